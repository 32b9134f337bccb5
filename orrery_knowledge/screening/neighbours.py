"""Instructions that are cut into pieces: neighbouring texts of one result, read as one.

A model reads a list of lines, or a row of content blocks, as one text. So neighbours are joined,
and a strong rule that matches across a seam takes the pieces out. Cues are left out here: two
harmless cues in two lines of a log convict nobody.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from orrery_knowledge.screening.blocks import Blocks
from orrery_knowledge.screening.canonical import canonical
from orrery_knowledge.screening.findings import Edit, Screened, Stage, run
from orrery_knowledge.screening.injections import marked, strong_spans
from orrery_knowledge.screening.variants import plain

SEAMS = (" ", "\n")
"""A piece goes on with a sentence, or begins one: a rule may need either."""


_END = 600
_LEFT_OUT = "\n\n...\n\n"


def screen_neighbours(texts: Sequence[str]) -> list[Screened]:
    """Withhold what instructs an agent across the seams of neighbouring texts.

    Args:
        texts: each screened by itself before; in the order in which they are read.

    Returns:
        one result a text. Linear in the length of all texts.
    """
    edits: list[list[Edit]] = [[] for _ in texts]
    if len(texts) > 1:
        for seam in SEAMS:
            _find(texts, seam, edits)
    return [
        run(text, _once(text, own)) if own else Screened(text=text)
        for text, own in zip(texts, edits, strict=True)
    ]


def _find(texts: Sequence[str], seam: str, edits: list[list[Edit]]) -> None:
    joined = _Joined(texts, seam)
    view = plain(canonical(joined.text))
    blocks: dict[int, Blocks] = {}
    for rule, low, high in strong_spans(view):
        parts = joined.parts(*view.raw_span(low, high))
        if len({index for index, _, _ in parts}) < 2:
            continue
        for index, start, end in parts:
            if texts[index][start:end].strip():
                if index not in blocks:
                    blocks[index] = Blocks(texts[index], [])
                block = blocks[index].enclosing(start, end)
                edits[index].append(marked(*block, (start, end), rule))


class _Joined:
    """Texts as one; of a long one its two ends only, since only seams matter."""

    def __init__(self, texts: Sequence[str], seam: str) -> None:
        self._starts: list[int] = []
        self._places: list[tuple[int, int, int]] = []
        pieces: list[str] = []
        position = 0
        for index, text in enumerate(texts):
            whole = len(text) <= 2 * _END
            for low, high in (
                [(0, len(text))] if whole else [(0, _END), (len(text) - _END, len(text))]
            ):
                self._starts.append(position)
                self._places.append((index, low, high))
                behind = seam if high == len(text) else _LEFT_OUT
                pieces += (text[low:high], behind)
                position += high - low + len(behind)
        self.text = "".join(pieces)

    def parts(self, start: int, end: int) -> list[tuple[int, int, int]]:
        """Which texts a span of the joined text touches, and where."""
        first = bisect_right(self._starts, start) - 1
        last = bisect_right(self._starts, max(end - 1, start)) - 1
        parts = []
        for number in range(first, last + 1):
            index, low, high = self._places[number]
            shift = low - self._starts[number]
            parts.append((index, max(start + shift, low), min(end + shift, high)))
        return [part for part in parts if part[1] < part[2]]


def _once(text: str, edits: Sequence[Edit]) -> Stage:
    """A stage that applies edits to the text that they were made for."""
    return lambda current: edits if current == text else ()
