"""PostgreSQL's binary COPY format, as much of it as our rows need.

Rows are put together here instead of by the driver, value by value: that was half the time of
writing a chunk. The format is that of PostgreSQL's manual (``COPY``, "Binary Format") and of the
types' receive functions.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Sequence, Set
from itertools import accumulate

BEGIN = b"PGCOPY\n\xff\r\n\x00" + bytes(8)
"""What comes before the first row: the signature, no flags, no extension."""

END = b"\xff\xff"
"""What comes after the last one."""

NULL = b"\xff\xff\xff\xff"
"""A field without a value."""

MAX_TSVECTOR = 2**20 - 1
"""Bytes of lexemes and positions, of which PostgreSQL takes no more in a tsvector."""

_TEXT_OID = 25
_LENGTH = struct.Struct("!i")
_ARRAY = struct.Struct("!5i")
_EMPTY_ARRAY = struct.pack("!4i", 12, 0, 0, _TEXT_OID)
_NO_DIMENSION = 20


def field(value: bytes) -> bytes:
    """A value with its length before it."""
    return _LENGTH.pack(len(value)) + value


def optional(value: bytes | None) -> bytes:
    """The same for what may be NULL."""
    return NULL if value is None else field(value)


def texts(values: Sequence[bytes]) -> bytes:
    """A field of type ``text[]``."""
    if not values:
        return _EMPTY_ARRAY
    body = b"".join(map(field, values))
    return _LENGTH.pack(_NO_DIMENSION + len(body)) + (
        _ARRAY.pack(1, 0, _TEXT_OID, len(values), 1) + body
    )


def lexemes(header: Set[str], words: Sequence[str]) -> tuple[bytes, int]:
    """A tsvector that says of each word how often it occurs, for `search.sql`.

    Weight A: it stands in the header. Weights D, C and B: it stands in the body once, twice, more
    often. That is all our ranking needs to choose candidates, in four bytes a word.

    Args:
        header: words; like those of the body they hold no space.
        words: of the body, in order.

    Returns:
        the field, and how many words didn't fit.
    """
    counts = Counter(words)
    titled: list[list[str]] = [[] for _ in _TAILS[True]]
    for word in header:
        titled[min(counts.pop(word, 0), _MOST)].append(word)
    bare: list[list[str]] = [[] for _ in _TAILS[False]]
    bare[1] = [word for word, count in counts.items() if count == 1]
    if len(bare[1]) < len(counts):
        for word, count in counts.items():
            if count > 1:
                bare[min(count, _MOST)].append(word)
    groups = [*zip(_TAILS[True], titled, strict=True), *zip(_TAILS[False], bare, strict=True)]
    entries = [(tail, _stored(group)) for tail, group in groups if group]
    held = sum(len(group) for _, group in entries)
    body, cut = b"".join(tail.join(group) + tail for tail, group in entries), 0
    if len(body) > MAX_TSVECTOR:
        singles = [word + tail for tail, group in entries for word in group]
        sizes = accumulate(map(len, singles))
        fitting = [one for one, size in zip(singles, sizes, strict=True) if size <= MAX_TSVECTOR]
        held, cut, body = len(fitting), held - len(fitting), b"".join(fitting)
    return _LENGTH.pack(4 + len(body)) + _LENGTH.pack(held) + body, cut


def _stored(words: Sequence[str]) -> list[bytes]:
    """Words as a tsvector can hold them; encoding them one by one would cost more than the rest."""
    return " ".join(words).encode(errors="replace").replace(b"\x00", b"?").split(b" ")


_MOST = 3
_A, _WEIGHTS = 3 << 14, (0, 0 << 14, 1 << 14, 2 << 14)


def _tail(in_header: bool, count: int) -> bytes:
    """What follows a lexeme as PostgreSQL receives it: NUL, and positions with their weights."""
    weights = [_A] * in_header + [_WEIGHTS[count]] * (count > 0)
    positions = [weight | number for number, weight in enumerate(weights, start=1)]
    return struct.pack(f"!xH{len(positions)}H", len(positions), *positions)


_TAILS = {
    in_header: [_tail(in_header, count) for count in range(_MOST + 1)]
    for in_header in (False, True)
}
