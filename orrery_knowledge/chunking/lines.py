"""The lines of a text, counted as Markdown counts them."""

from __future__ import annotations

import re
from bisect import bisect_right

BLANKS = " \t\r\n"

# CommonMark ends a line at these three only; str.splitlines knows eight more (form feed, U+2028).
_LINE_END = re.compile(r"\r\n|\r|\n")


class Lines:
    """Where each line of a text starts, and where its visible content ends.

    Args:
        text: the text; line numbers are 0-based here.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
        if len(starts) > 1 and starts[-1] == len(text):
            starts.pop()
        self._starts = starts
        # For each line the end of the last visible character at or before its end.
        self._visible: list[int] = []
        seen = 0
        for number, start in enumerate(starts):
            content = text[start : self.offset(number + 1)].rstrip(BLANKS)
            seen = start + len(content) if content else seen
            self._visible.append(seen)

    def __len__(self) -> int:
        """How many lines there are; the empty text has one."""
        return len(self._starts)

    def offset(self, line: int) -> int:
        """Where a line starts; the length of the text for any line after the last."""
        return self._starts[line] if line < len(self._starts) else len(self.text)

    def at(self, offset: int) -> int:
        """The line that holds the character at this offset."""
        return bisect_right(self._starts, offset) - 1

    def content_end(self, first: int, stop: int) -> int:
        """The end of the visible content of lines `first` to `stop` (exclusive).

        It is where line `first` starts when they are all blank.
        """
        return max(self._visible[stop - 1], self.offset(first)) if stop > first else 0

    def blank(self, first: int, stop: int) -> bool:
        """Whether lines `first` to `stop` (exclusive) hold spaces and tabs at most."""
        return self.content_end(first, stop) <= self.offset(first)

    def next_visible(self, line: int, stop: int) -> int:
        """The first line from `line` on that isn't blank; `stop` if there is none before it."""
        while line < stop and self.blank(line, line + 1):
            line += 1
        return line
