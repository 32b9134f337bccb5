"""Where the cues of one text stand, class by class."""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from typing import Any

from orrery_knowledge.screening.injection_rules.english import ENGLISH
from orrery_knowledge.screening.injection_rules.lexicon import pattern
from orrery_knowledge.screening.injection_rules.sentences import Span
from orrery_knowledge.screening.patterns import compiled

NEAR = 60
"""How far a verb and what it governs may lie apart, in characters."""
_ENGLISH_ONLY = ("own", "shape", "telling", "place", "send", "risky", "deed")
_NEGATION = compiled(
    r"\b(?:never|not|cannot|n't|avoid\w*|refus\w+|prevent\w*|against|without|no|nobody|nor|can|may"
    r"|safely|could|might)\b[^.,;:\n]{0,16}$"
)


class Cues:
    """Where each class of cue stands in a text; a class is looked for when it is first asked."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.wide = not text.isascii()
        self._found: dict[str, list[Span]] = {}
        self._starts: dict[str, list[int]] = {}

    def all(self, name: str) -> list[Span]:
        """Every cue of a class, in order."""
        if name not in self._found:
            matches = class_pattern(name, self.wide).finditer(self.text)
            self._found[name] = [match.span() for match in matches]
            self._starts[name] = [start for start, _ in self._found[name]]
        return self._found[name]

    def within(self, name: str, start: int, end: int) -> list[Span]:
        """The cues of a class that begin between two offsets."""
        found = self.all(name)
        starts = self._starts[name]
        return found[bisect_left(starts, start) : bisect_left(starts, end)]

    def pair(self, verbs: str, nouns: str, start: int, end: int) -> Span | None:
        """The first verb with its noun near it, on either side (as languages have it)."""
        governed = self.within(nouns, start, end)
        if not governed:
            return None
        starts = [low for low, _ in governed]
        for low, high in self.within(verbs, start, end):
            if _NEGATION.search(self.text[max(low - 30, start) : low]):
                continue
            index = bisect_left(starts, high)
            if index < len(governed) and governed[index][0] - high <= NEAR:
                return low, governed[index][1]
            behind = index and low - governed[index - 1][1] <= NEAR
            if behind and not _english(verbs).fullmatch(self.text[low:high]):
                return governed[index - 1][0], high
        return None


@lru_cache(maxsize=64)
def class_pattern(name: str, wide: bool) -> Any:
    """The pattern of a class; `wide` as in `lexicon.pattern`."""
    return compiled(ENGLISH[name]) if name in _ENGLISH_ONLY else pattern(name, wide=wide)


@lru_cache(maxsize=8)
def _english(name: str) -> Any:
    return compiled(ENGLISH[name])
