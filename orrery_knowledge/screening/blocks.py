"""Which part of a text a hostile instruction fills: what is withheld with it.

A paragraph of prose goes as a whole, because the instruction rarely fits one sentence. Structure
limits the loss: one list item, one quote, one table row, one log line, one HTML comment, one JSON
string.
"""

from __future__ import annotations

from bisect import bisect_right

from orrery_knowledge.screening.findings import searchable
from orrery_knowledge.screening.patterns import compiled

_ELEMENT = compiled(
    r"(?i)<(/?)(information|important|system[\w-]*|instructions?|admin[\w-]*|user[\w-]*|assistant"
    r"|override|priority|directive|prompt|message|context|note|notice|policy|task|environment)"
    r"(?:\s[^<>]*)?>"
)
_BULLET = compiled(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+")
_QUOTE = compiled(r"^\s*>[ \t]?")
_ALONE = compiled(r"^\s*(?:\||#{1,6}\s|```|~~~|\$ |<!--)|^\s*(?:=+|-+|\*{3,}|_{3,})\s*$")
_DATA = compiled(
    # A setting, a time, a logger, a line of a chat, an element of a page, a row of values.
    r"^\s*(?:[\"']?[A-Za-z_][\w./-]*[\"']?\s*(?::\s|=)|[\[({]?\d{4}-\d\d-\d\d"
    r"|[A-Z][a-z]{2} +\d{1,2} \d\d:|[IWEF]\d{4} |\{\"|\[\d{1,2}:\d\d|[\w.-]{1,40}\[\d{1,7}\]:"
    r"|(?i:<(?:div|p|li|tr|td|h[1-6]|blockquote|section)\b)"
    r"|[\w.-]{1,40},[\w.-]{1,40},[\w.-]{1,40},)"
)
_LINE_STRING = compiled(r'"(?:[^"\\\n]|\\.)*"')
_MAX_ELEMENT = 20_000


class Blocks:
    """The blocks of one text.

    Args:
        text: the raw text.
        hidden: spans of hidden markup; each is a block of its own.
    """

    def __init__(self, text: str, hidden: list[tuple[int, int]]) -> None:
        self._text = searchable(text)
        self._inner = sorted(hidden + list(self._elements()))
        self._starts = [0]
        self._lines: list[str] = []
        for line in self._text.split("\n"):
            self._lines.append(line)
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._cache: dict[int, tuple[int, int]] = {}
        self._strings: dict[int, list[tuple[int, int]]] = {}

    def enclosing(self, start: int, end: int) -> tuple[int, int]:
        """The smallest block that holds ``text[start:end]``."""
        index = bisect_right(self._inner, (start, len(self._text) + 1)) - 1
        if index >= 0 and end <= self._inner[index][1]:
            return self._inner[index]
        first = bisect_right(self._starts, start) - 1
        last = max(bisect_right(self._starts, max(end - 1, start)) - 1, first)
        if first == last and (inside := self._string(first, start, end)):
            return inside
        low, _ = self._paragraph(first)
        _, high = self._paragraph(last)
        return low, max(high, low)

    def _elements(self) -> list[tuple[int, int]]:
        """Outermost paired elements that pose as a frame round a message."""
        spans: list[tuple[int, int]] = []
        opened: dict[str, int] = {}
        for match in _ELEMENT.finditer(self._text):
            name = match.group(2).lower()
            if not match.group(1):
                opened.setdefault(name, match.start())
            elif name in opened:
                start = opened.pop(name)
                if match.end() - start <= _MAX_ELEMENT:
                    while spans and spans[-1][0] >= start:
                        spans.pop()
                    spans.append((start, match.end()))
        return [
            span for index, span in enumerate(spans) if not index or span[0] >= spans[index - 1][1]
        ]

    def _string(self, line: int, start: int, end: int) -> tuple[int, int] | None:
        """The inside of a JSON string, so that the object round it stays readable."""
        base = self._starts[line]
        if not self._lines[line].lstrip().startswith(("{", '"', "[", ",")):
            return None
        if line not in self._strings:
            self._strings[line] = [
                match.span() for match in _LINE_STRING.finditer(self._lines[line])
            ]
        strings = self._strings[line]
        index = bisect_right(strings, (start - base, 0)) - 1
        if index >= 0 and end - base < strings[index][1]:
            return base + strings[index][0] + 1, base + strings[index][1] - 1
        return None

    def _paragraph(self, index: int) -> tuple[int, int]:
        if index in self._cache:
            return self._cache[index]
        low = high = index
        quoted = bool(_QUOTE.match(self._lines[index]))
        if quoted:
            while low > 0 and _QUOTE.match(self._lines[low - 1]):
                low -= 1
            while high + 1 < len(self._lines) and _QUOTE.match(self._lines[high + 1]):
                high += 1
        elif not self._own(index) or self._begins(index):
            while not self._begins(low) and low > 0 and self._joins(low - 1):
                low -= 1
            while high + 1 < len(self._lines) and self._continues(high + 1):
                high += 1
        span = (
            self._starts[low] + self._indent(low, quoted=quoted),
            self._starts[high] + len(self._lines[high].rstrip("\r")),
        )
        for line in range(low, high + 1):
            self._cache[line] = span
        return span

    def _own(self, index: int) -> bool:
        return bool(_ALONE.match(self._lines[index]))

    def _begins(self, index: int) -> bool:
        line = self._lines[index]
        return bool(_BULLET.match(line)) or self._is_data(line)

    @staticmethod
    def _is_data(line: str) -> bool:
        """Whether a line stands for itself, as in logs, YAML and ``kubectl describe``."""
        if not _DATA.match(line):
            return False
        key, _, rest = line.partition(":")
        # "Important: please ..." is prose that happens to begin with a word and a colon.
        prose = key.strip().isalpha() and rest.lstrip()[:1] not in ("'", '"')
        return not (prose and len(rest.split()) >= 5)

    def _joins(self, index: int) -> bool:
        line = self._lines[index]
        return bool(line.strip()) and not self._own(index) and not _QUOTE.match(line)

    def _continues(self, index: int) -> bool:
        return self._joins(index) and not self._begins(index)

    def _indent(self, index: int, *, quoted: bool) -> int:
        line = self._lines[index]
        match = _BULLET.match(line) or (_QUOTE.match(line) if quoted else None)
        return match.end() if match else len(line) - len(line.lstrip())
