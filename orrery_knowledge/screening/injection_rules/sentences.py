"""Where the sentences of a view begin and end."""

from __future__ import annotations

from collections.abc import Sequence

from orrery_knowledge.screening.patterns import compiled

Span = tuple[int, int]
_MAX_SENTENCE = 700
_ENDS = compiled(
    r"[.!?](?:[\"')\]*]{0,3}\s|$)|[\x{3002}\x{ff01}\x{ff1f}\x{0964}\x{061f}]|\n\s*\n"
    r"|<!--|-->|\n[ \t]*(?:[-*+|>{#]|\d{1,3}[.)]|[\w\"'-]{1,30}\s?[:=]\s|\d{4}-)|;\s"
)


def sentence_starts(text: str) -> list[int]:
    """Where sentences begin; none is longer than `_MAX_SENTENCE`."""
    starts = [0]
    for match in _ENDS.finditer(text):
        found = match.group()
        place = match.start() + (found[0] == "\n") if found[0] in "\n<" else match.end()
        while place - starts[-1] > _MAX_SENTENCE:
            starts.append(starts[-1] + _MAX_SENTENCE)
        if place > starts[-1] and place < len(text):
            starts.append(place)
    while len(text) - starts[-1] > _MAX_SENTENCE:
        starts.append(starts[-1] + _MAX_SENTENCE)
    return starts


def sentence_bounds(starts: Sequence[int], index: int, length: int) -> Span:
    """Start and end of a sentence of a text that is `length` characters long."""
    return starts[index], starts[index + 1] if index + 1 < len(starts) else length
