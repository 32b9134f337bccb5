"""A stronger detector of injections that users plug in, such as a model of their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from orrery_knowledge.screening.blocks import Blocks
from orrery_knowledge.screening.findings import Edit, Stage, searchable

DETECTED = "detector"
"""The rule that findings of a detector name."""
_WITHHELD = "[withheld: "


class InjectionDetector(Protocol):
    """Says what in a text is aimed at an agent. None is required: the rules work without."""

    def detect(self, text: str) -> Iterable[tuple[int, int]]:
        """Start and end of each part of a text that instructs an agent.

        The block round a part is withheld, as with the rules. What is out of range is cut to the
        text. The text is hostile: it may hold anything, lone surrogates and control characters
        too. It may be called from several threads, and again on what is left of a text.

        Raises:
            Exception: whatever goes wrong; then the guard withholds the whole result.
        """
        ...


def detected(detector: InjectionDetector, marker: str) -> Stage:
    """The stage that asks a detector; `marker` takes the place of what it found."""

    def stage(text: str) -> Sequence[Edit]:
        edits: list[Edit] = []
        blocks: Blocks | None = None
        for start, end in detector.detect(text):
            start, end = max(start, 0), min(end, len(text))
            if start >= end:
                continue
            if blocks is None:
                blocks = Blocks(searchable(text), [])
            low, high = blocks.enclosing(start, end)
            # A detector may dislike the marker itself: what is withheld is withheld once.
            if not text[low:high].startswith(_WITHHELD):
                edits.append(Edit(low, high, marker, "injection", DETECTED, (start, end)))
        return edits

    return stage
