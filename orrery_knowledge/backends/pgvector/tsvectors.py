"""Words of a chunk as a tsvector in PostgreSQL's binary format, for which the driver has no type.

The format is that of the type's receive function, ``tsvectorrecv``.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Sequence, Set
from itertools import accumulate
from typing import Any

from psycopg import AsyncConnection
from psycopg.abc import Buffer
from psycopg.adapt import Dumper
from psycopg.pq import Format

MAX_TSVECTOR = 2**20 - 1
"""Bytes of lexemes and positions, of which PostgreSQL takes no more in a tsvector."""

_COUNT = struct.Struct("!i")


class Lexemes(bytes):
    """A tsvector in the binary format."""

    __slots__ = ()


class _LexemesDumper(Dumper):
    format = Format.BINARY
    oid = 3614  # tsvector, the same on every server

    def dump(self, obj: Lexemes) -> Buffer:
        return obj


def register_lexemes(connection: AsyncConnection[Any]) -> None:
    """Teach a connection to send them."""
    connection.adapters.register_dumper(Lexemes, _LexemesDumper)


def lexemes(header: Set[str], words: Sequence[str]) -> tuple[Lexemes, int]:
    """A tsvector that says of each word how often it occurs, for `search.sql`.

    Weight A: it stands in the header. Weights D, C and B: it stands in the body once, twice, more
    often. That is all our ranking needs to choose candidates, in four bytes a word.

    Args:
        header: words; like those of the body they hold no space.
        words: of the body, in order.

    Returns:
        the tsvector, and how many words didn't fit.
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
    return Lexemes(_COUNT.pack(held) + body), cut


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
