"""Where to cut a text that is too long: at a sentence, a line, a space, or else anywhere."""

from __future__ import annotations

import re
import unicodedata

from orrery_knowledge.chunking.lines import BLANKS

# Possessive, so that a long run of spaces is walked once. A lower-case letter after it means an
# abbreviation rather than an end.
_SENTENCE_END = re.compile(
    r"[.!?\N{HORIZONTAL ELLIPSIS}][)\]\"'*_`\N{RIGHT SINGLE QUOTATION MARK}"
    r"\N{RIGHT DOUBLE QUOTATION MARK}]*+[ \t\r\n]++(?![a-z])"
    r"|[\N{IDEOGRAPHIC FULL STOP}\N{FULLWIDTH EXCLAMATION MARK}\N{FULLWIDTH QUESTION MARK}]"
    r"[\N{RIGHT CORNER BRACKET}\N{FULLWIDTH RIGHT PARENTHESIS}]*+[ \t\r\n]*+"
)
_LINE_END = re.compile(r"(?:\r\n|\r|\n)[ \t\r\n]*+")
_SPACE = re.compile(r"[ \t\r\n]++")
_BLANK_RUN = re.compile(r"[ \t\r\n]*+")
_JOINERS = "\u200d\ufe0e\ufe0f"
# Longer than any cluster of letter and marks that a language writes.
_MAX_CLUSTER = 16


def cut(
    text: str, start: int, stop: int, size: int, *, room: int, limit: int, prose: bool = True
) -> list[int]:
    """Offsets at which to cut ``text[start:stop]`` into pieces of at most `size` characters.

    White space after a piece belongs to it and isn't counted, so no piece is blank.

    Args:
        text: the whole text.
        start: where the span starts, with a visible character.
        stop: where its visible content ends.
        size: most visible characters a piece.
        room: the same for the first piece.
        limit: most visible characters of the last piece, so that no tiny rest is cut off.
        prose: whether a sentence end is better than a line end (not in HTML).

    Returns:
        Offsets in rising order, each inside the span; [] if it fits as it is.
    """
    orders = (_SENTENCE_END, _LINE_END, _SPACE) if prose else (_LINE_END, _SPACE)
    offsets: list[int] = []
    position, budget, enough = start, max(room, 1), room
    while stop - position > enough:
        position = _next_cut(text, position, stop, budget, orders)
        if position >= stop:
            break
        offsets.append(position)
        budget, enough = size, limit
    return offsets


def _next_cut(
    text: str, start: int, stop: int, budget: int, orders: tuple[re.Pattern[str], ...]
) -> int:
    # One character more than fits: the white space after the last word may lie outside.
    window = text[start : min(stop, start + budget + 1)]
    fallback = 0
    for pattern in orders:
        best = 0
        for match in pattern.finditer(window):
            if 0 < len(window[: match.end()].rstrip(BLANKS)) <= budget:
                best = match.end()
        if best > budget // 4:
            return _skip_blank(text, start + best, stop)
        fallback = fallback or best
    return _skip_blank(text, start + (fallback or _hard(text, start, budget)), stop)


def _skip_blank(text: str, offset: int, stop: int) -> int:
    match = _BLANK_RUN.match(text, offset, stop)
    return match.end() if match else offset


def _hard(text: str, start: int, budget: int) -> int:
    """A length of at most `budget` that tears no cluster of characters apart, if one is near."""
    for length in range(budget, max(budget - _MAX_CLUSTER, 0), -1):
        before, after = text[start + length - 1], text[start + length]
        if unicodedata.combining(after) or after in _JOINERS or before == "\u200d":
            continue
        if "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff":
            continue
        return length
    return budget
