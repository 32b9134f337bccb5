"""Words by language: who is addressed and what is asked of them, one table for all languages.

A line of a table is a class and its words. ``*`` at the end of a word stands for any ending, a
space for any white space. Words are folded as texts are (see `canonical`), so that accents and
letter case don't matter here. What the classes mean together is in `clauses`.

- ``agent``: can only mean a language model; ``broad``: also people, products and processes.
- ``modal``: lays a duty on its subject.
- ``override`` and ``rules``: verbs that set aside, and what is set aside; ``old``: which of them.
- ``show`` and ``prompt``: verbs that give away, and what only an agent holds.
- ``hush``, ``consent``, ``power``, ``store``, ``tool``: keep it from the user, do it unasked, more
  rights or fewer limits, remember it for later, use a tool.
- ``act``: plain requests.
- ``inner``: says what somebody now is, or names what only an agent has.
- ``user`` and ``yes``: who talks to an agent, as the name of a turn, and how it agrees.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import re2

from orrery_knowledge.screening.canonical import canonical
from orrery_knowledge.screening.injection_rules.english import ENGLISH
from orrery_knowledge.screening.injection_rules.languages import EUROPEAN
from orrery_knowledge.screening.injection_rules.scripts import OTHER

CLASSES = (
    "agent", "broad", "modal", "override", "rules", "old", "show", "prompt", "hush", "consent",
    "power", "store", "tool", "act", "user", "inner", "yes",
)  # fmt: skip


def _words(tables: dict[str, str]) -> dict[str, list[str]]:
    words: dict[str, list[str]] = {name: [] for name in CLASSES}
    for table in tables.values():
        for line in table.strip().splitlines():
            name, _, rest = line.partition(":")
            words[name.strip()] += [word.strip() for word in rest.split(",") if word.strip()]
    return words


def _source(word: str) -> str:
    stem = word.endswith("*")
    folded = canonical(word.rstrip("*")).text
    body = r"\s{1,3}".join(re2.escape(part) for part in folded.split())
    # ``\b`` knows ASCII only: words of other scripts are looked for as they are.
    front = r"\b" if folded[0].isascii() else ""
    if not folded[-1].isascii():
        return front + body
    return front + body + (r"[\w'-]{0,12}" if stem else r"\b")


@lru_cache(maxsize=64)
def pattern(name: str, *, wide: bool) -> Any:
    """The pattern of a class; `wide` when the text holds letters outside ASCII."""
    words = _words(EUROPEAN)[name] + (_words(OTHER)[name] if wide else [])
    # Longest first: the first alternative that fits wins.
    ordered = sorted(set(words), key=lambda word: (-len(word), word))
    parts = [ENGLISH[name]] if name in ENGLISH else []
    return re2.compile("|".join([*parts, *map(_source, ordered)]))
