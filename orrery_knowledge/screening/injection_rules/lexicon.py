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
- ``act``: plain requests; ``doing`` (in English ``deed``): further ones, behind an address only.
- ``inner``: says what somebody now is, or names what only an agent has.
- ``reader`` with ``here``, and ``thou``: make a model the one that reads this text (English has its
  own words for that, see `address`).
- ``user`` and ``yes``: who talks to an agent, as the name of a turn, and how it agrees.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import re2

from orrery_knowledge.screening.canonical import canonical
from orrery_knowledge.screening.injection_rules.english import ENGLISH
from orrery_knowledge.screening.injection_rules.languages import EUROPEAN
from orrery_knowledge.screening.injection_rules.languages_further import FURTHER_LATIN
from orrery_knowledge.screening.injection_rules.scripts import OTHER
from orrery_knowledge.screening.injection_rules.supplement import EUROPEAN_MORE
from orrery_knowledge.screening.injection_rules.supplement_scripts import OTHER_MORE
from orrery_knowledge.screening.patterns import compiled

CLASSES = (
    "agent", "broad", "modal", "override", "rules", "old", "show", "prompt", "hush", "consent",
    "power", "store", "tool", "act", "user", "inner", "yes",
)  # fmt: skip
FURTHER = ("reader", "here", "thou", "doing")
"""Classes that stand in the supplements only."""


def _words(*tables: dict[str, str]) -> dict[str, list[str]]:
    words: dict[str, list[str]] = {name: [] for name in CLASSES + FURTHER}
    for table in (text for by_language in tables for text in by_language.values()):
        for line in table.strip().splitlines():
            name, _, rest = line.partition(":")
            words[name.strip()] += [word.strip() for word in rest.split(",") if word.strip()]
    return words


_MEMORY = 32 << 20
"""Bytes that the automaton of a class may take: with the default, large tables fall back to a way
that is many times slower."""


def _folded(word: str) -> str:
    folded = canonical(word.rstrip("*")).text
    return r"\s{1,3}".join(re2.escape(part) for part in folded.split())


def _choice(words: list[str], front: str, behind: str) -> list[str]:
    # Longest first: the first alternative that fits wins. What all have in common stands outside,
    # or the automaton would hold it once a word.
    ordered = sorted(set(map(_folded, words)), key=lambda word: (-len(word), word))
    return [f"{front}(?:{'|'.join(ordered)}){behind}"] if ordered else []


@lru_cache(maxsize=64)
def pattern(name: str, *, wide: bool) -> Any:
    """The pattern of a class; `wide` when the text holds letters outside ASCII."""
    tables = (EUROPEAN, FURTHER_LATIN, EUROPEAN_MORE, *((OTHER, OTHER_MORE) if wide else ()))
    words = _words(*tables)[name]
    # ``\b`` knows ASCII only: words of other scripts are looked for as they are.
    latin = [word for word in words if canonical(word).text.isascii()]
    stems = [word for word in latin if word.endswith("*")]
    parts = [ENGLISH[name]] if name in ENGLISH else []
    whole = [word for word in latin if not word.endswith("*")]
    parts += _choice([word for word in whole if " " in word], r"\b", r"\b")
    parts += _choice(stems, r"\b", r"[\w'-]{0,12}")
    parts += _choice([word for word in whole if " " not in word], r"\b", r"\b")
    parts += _choice([word for word in words if not canonical(word).text.isascii()], "", "")
    return compiled("|".join(parts), memory=_MEMORY)
