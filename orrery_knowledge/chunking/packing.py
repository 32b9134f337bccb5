"""Packing the blocks of one section into chunks."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from orrery_knowledge.chunking.blocks import Block
from orrery_knowledge.chunking.cutting import cut
from orrery_knowledge.chunking.lines import BLANKS

# A block that belongs to its neighbour, or a tiny last part, may exceed the size by this much.
_TOLERANCE_PERCENT = 115


class Packer:
    """Fills chunks with whole blocks, in order, up to a size.

    Args:
        text: the text that the blocks are spans of.
        size: most visible characters a chunk; code is never cut, so a chunk with code may exceed
            it.
    """

    def __init__(self, text: str, size: int) -> None:
        self._text = text
        self._size = size
        self._limit = size * _TOLERANCE_PERCENT // 100

    def pack(self, blocks: list[Block]) -> list[list[Block]]:
        """The chunks, each a list of adjacent blocks."""
        chunks: list[list[Block]] = []
        current: list[Block] = []
        waiting = blocks[::-1]
        while waiting:
            block = waiting.pop()
            if not current:
                pieces = self._pieces(block, self._size) if self._too_long(block) else []
                if pieces:
                    waiting.extend(reversed(pieces))
                else:
                    current = [block]
                continue
            if self._fits(current, block):
                current.append(block)
                continue
            bound = current[-1].intro or block.glue
            along = self._taken_along(current, block) if bound else len(current)
            if along < len(current):
                chunks.append(current[:along])
                current = [*current[along:], block]
                continue
            pieces = self._to_fill(current, block)
            if pieces:
                waiting.extend(reversed(pieces))
                continue
            last = current[-1]
            if block.glue and last.kind == "list" and len(last.children) > 1:
                # The step that the block belongs to is the last of a list: take that one along.
                current[-1:] = self._pieces(last, self._size)
                waiting.append(block)
                continue
            chunks.append(current)
            current = []
            waiting.append(block)
        if current:
            chunks.append(current)
        self._join_tiny_last(chunks)
        return chunks

    def _too_long(self, block: Block) -> bool:
        most = self._size if block.children else self._limit
        return block.stop - block.start > most

    def _fits(self, current: list[Block], block: Block) -> bool:
        length = block.stop - current[0].start
        if length <= self._size:
            return True
        if not (current[-1].intro or block.glue):
            return False
        return length <= self._limit or (
            self._only_intros(current) and self._joins_code(current, block)
        )

    def _only_intros(self, current: list[Block]) -> bool:
        return all(block.intro for block in current)

    def _joins_code(self, run: list[Block], block: Block) -> bool:
        """Whether short lead-ins stay with code that is too long for them: it can't be cut.

        A heading may be longer than a lead-in, because alone it would be a chunk that says nothing.
        """
        share = 2 if all(before.kind == "heading" for before in run) else 4
        return block.kind == "code" and run[-1].stop - run[0].start <= self._size // share

    def _taken_along(self, current: list[Block], block: Block) -> int:
        """Index of the first block at the end of `current` that should move with `block`.

        ``len(current)`` if nothing can, or if what remains would be headings and lead-ins alone.
        """
        first = len(current) - 1
        while first > 0 and (current[first - 1].intro or current[first].glue):
            first -= 1
        for index in range(first, len(current)):
            run = current[index:]
            if block.stop - run[0].start <= self._limit or self._joins_code(run, block):
                return index if not self._only_intros(current[:index]) else len(current)
        return len(current)

    def _to_fill(self, current: list[Block], block: Block) -> list[Block]:
        """The pieces of a block of which the first should still go into `current`; [] if none."""
        room = self._size - (current[-1].end - current[0].start)
        lonely = self._only_intros(current)
        introduced = current[-1].intro and bool(block.children)
        if not (self._too_long(block) or lonely or introduced):
            return []
        if not block.children and room < self._size // (2 if lonely else 4):
            return []
        return self._pieces(block, room)

    def _pieces(self, block: Block, room: int) -> list[Block]:
        """What a block can be taken apart into; [] if it has to stay whole.

        Args:
            block: the block.
            room: most characters of the first piece, if its text has to be cut.
        """
        if block.kind in ("code", "cut"):
            return []
        if block.children:
            first, *others = block.children
            return [replace(first, glue=first.glue or block.glue), *others]
        offsets = cut(
            self._text,
            block.start,
            block.stop,
            self._size,
            room=room,
            limit=self._limit,
            prose=block.kind not in ("html", "raw"),
        )
        if not offsets:
            return []
        edges = [block.start, *offsets, block.end]
        pieces = []
        for start, end in pairwise(edges):
            stop = min(end, block.stop)
            stop = start + len(self._text[start:stop].rstrip(BLANKS))
            pieces.append(Block("cut", start, stop, end, hints=block.hints))
        pieces[0] = replace(pieces[0], glue=block.glue)
        pieces[-1] = replace(pieces[-1], intro=block.intro)
        return pieces

    def _join_tiny_last(self, chunks: list[list[Block]]) -> None:
        if len(chunks) < 2:
            return
        last, before = chunks[-1], chunks[-2]
        tiny = (last[-1].stop - last[0].start) * 8 < self._size
        if tiny and last[-1].stop - before[0].start <= self._limit:
            chunks[-2:] = [[*before, *last]]
