"""Forged conversations in a document: turns of a user and an agent, pairs of question and answer.

Transcripts are ordinary documents. What gives a forged one away is what is said in it: the agent
agrees at once, or the pairs teach it to give secrets away, to ask nobody, to obey.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any

from orrery_knowledge.screening.injection_rules.lexicon import pattern
from orrery_knowledge.screening.patterns import compiled

_AFTER_LABEL = (
    r"(?:(?:\s?\([^()\n]{1,20}\))?[*_\"`\]]{0,3}\s?[:\x{ff1a}][*_\"`]{0,3}\s|>\s{0,2}[^\s<|])"
)
_AGENT = r"(?:(?:support |voice |ai )?(?:assistants?|agent)(?: action)?|ai|chat ?bot|bot|model|llm)"
TAUGHT_PAIR = compiled(
    r"(?:^|[\n.,;|/:]\s{0,6}|-\s)[\"*_]{0,3}(?:q|question|input|user|human|customer|ticket"
    r"|prompt|query"
    r"|request|in|case \w{1,3}|example \w{1,3}|alert)\b[^:\n]{0,12}(?:: [^\n]{1,160}?)?"
    r"(?:\n[\s*_>-]{0,8}|[-=]{1,2}>\s{0,3}|,\s|[.?!]\s{1,2}|[\"']\s)[\"*_]{0,3}(?:(?:a|answer"
    r"|out|output|response|reply"
    rf"|action|tool|command)\b[^:\n]{{0,12}}:|{_AGENT}\s?:"
    r"|(?:the )?(?:bot|assistant|agent|model|ai) \w{2,10}s\b"
    r"|you (?:give|say|answer|send|run)\b)[^\n.;]{1,120}"
)
_REACH = 400
_MAX_GAP = 120
_TAUGHT = 2
"""Pairs that make a pattern."""


def forged_turns(text: str) -> Iterator[tuple[int, int]]:
    """From the first turn to the end of the second, where a user's and an agent's turn follow."""
    wide = not text.isascii()
    users = [match.span() for match in label("user", wide=wide).finditer(text)]
    if not users:
        return
    agents = [match.span() for match in label("agent", wide=wide).finditer(text)]
    turns = sorted([(*span, "user") for span in users] + [(*span, "agent") for span in agents])
    # An arrow in front of a name belongs to a diagram.
    turns = [turn for turn in turns if text[max(0, turn[0] - 2) : turn[0]] not in ("->", ">>")]
    for (start, end, who), (low, high, other) in pairwise(turns):
        if who != other and low - end <= _REACH:
            stop = text.find("\n", high)
            yield start, len(text) if stop < 0 else stop


def taught_pairs(text: str) -> Iterator[tuple[int, int]]:
    """Runs of at least `_TAUGHT` pairs of a question (or a case) and its answer."""
    run: list[tuple[int, int]] = []
    for match in TAUGHT_PAIR.finditer(text):
        if run and match.start() - run[-1][1] > _MAX_GAP:
            if len(run) >= _TAUGHT:
                yield run[0][0], run[-1][1]
            run = []
        run.append(match.span())
    if len(run) >= _TAUGHT:
        yield run[0][0], run[-1][1]


@lru_cache(maxsize=4)
def label(who: str, *, wide: bool) -> Any:
    """The pattern of a label in front of a turn of a ``user`` or an ``agent``."""
    if who == "user":
        words = pattern("user", wide=wide).pattern
    else:
        broad = pattern("broad", wide=wide).pattern
        words = rf"\b{_AGENT}|{broad}|\bsupport agent"
    return compiled(f"(?:{words}){_AFTER_LABEL}")
