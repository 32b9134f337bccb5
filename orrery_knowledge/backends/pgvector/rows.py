"""Documents and chunks as rows of our tables, in PostgreSQL's binary COPY format."""

from __future__ import annotations

import json
import re
import struct
from collections import Counter
from collections.abc import Sequence, Set
from hashlib import sha256
from itertools import accumulate
from typing import Any, NamedTuple

from psycopg import AsyncConnection
from psycopg.abc import Buffer
from psycopg.adapt import Dumper
from psycopg.pq import Format

from orrery_knowledge.backends.pgvector.sql import FOREVER
from orrery_knowledge.lexical import pack
from orrery_knowledge.models import IndexedChunk, IndexedDocument

MAX_TSVECTOR = 2**20 - 1
"""Bytes of lexemes and positions, of which PostgreSQL takes no more in a tsvector."""

REPLACEMENT = "\ufffd"

DOCUMENT = {
    "id": "int8", "corpus": "text", "source": "text", "path": "text", "uri": "text",
    "title": "text", "service": "text", "status": "text", "digest": "text", "revision": "text",
    "processing_key": "text", "commit_id": "text", "modified_at": "timestamptz",
    "eligible": "bool", "trust": "text", "metadata": "json", "chunk_count": "int4",
    "added_in": "int4", "key": "bytea",
}  # fmt: skip
PASSAGE = {
    "id": "int8", "document_id": "int8", "added_in": "int4", "removed_in": "int4",
    "ordinal": "int4", "length": "int4", "wholes": "int4", "eligible": "bool", "corpus": "text",
    "service": "text", "vector_key": "bytea", "names": "text[]", "words": "tsvector",
}  # fmt: skip
BODY = {
    "id": "int8", "header": "text", "words": "text", "text": "text", "context": "text",
    "section": "text", "heading_path": "text", "anchor": "text", "part": "int4", "parts": "int4",
    "line_start": "int4", "line_end": "int4",
}  # fmt: skip
"""Columns of a table and their types, in the order of the rows below."""

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class Lexemes(bytes):
    """A tsvector in the binary format."""

    __slots__ = ()


class _LexemesDumper(Dumper):
    format = Format.BINARY
    oid = 3614  # tsvector, the same on every server

    def dump(self, obj: Lexemes) -> Buffer:
        return obj


def register_rows(connection: AsyncConnection[Any]) -> None:
    """Teach a connection the types that our rows are made of."""
    connection.adapters.register_dumper(Lexemes, _LexemesDumper)


class Cleaner:
    """Replaces what a PostgreSQL text can't hold (NUL, lone surrogates), and counts.

    Attributes:
        replaced: characters that became U+FFFD.
        cut: words that fitted into no tsvector.
    """

    def __init__(self) -> None:
        self.replaced = 0
        self.cut = 0

    def text(self, value: str) -> str:
        """A string that can be stored."""
        if "\x00" not in value:
            try:
                value.encode()
            except UnicodeEncodeError:
                pass
            else:
                return value
        clean, count = _UNSTORABLE.subn(REPLACEMENT, value)
        self.replaced += count
        return clean

    def maybe(self, value: str | None) -> str | None:
        """The same for what may be None."""
        return None if value is None else self.text(value)

    def data(self, value: Any) -> Any:
        """The same inside JSON."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(str(key)): self.data(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.data(item) for item in value]
        return value

    def lexemes(self, header: Set[str], words: Sequence[str]) -> Lexemes:
        """A tsvector that says of each word how often it occurs, for `search.sql`.

        Weight A: it stands in the header. Weights D, C and B: it stands in the body once, twice,
        more often. That is all our ranking needs to choose candidates, in four bytes a word.
        """
        counts = Counter(words)
        in_header, elsewhere = _ENTRIES[True], _ENTRIES[False]
        entries = [
            (in_header if word in header else elsewhere)[min(count, _MOST)][word]
            for word, count in counts.items()
        ]
        entries += [in_header[0][word] for word in header if word not in counts]
        if sum(map(len, entries)) > MAX_TSVECTOR:
            self.cut += len(entries) - len(entries := _that_fit(entries))
        return Lexemes(struct.pack("!i", len(entries)) + b"".join(entries))


_MOST = 3
_A, _BODY = 3 << 14, (0, 0 << 14, 1 << 14, 2 << 14)


class _Entries(dict[str, bytes]):
    """Lexemes as PostgreSQL receives them: text, NUL, and positions with their weights.

    Made once a word: vocabularies are small, and this is most of the work of writing a chunk.
    """

    def __init__(self, in_header: bool, count: int) -> None:
        super().__init__()
        weights = [_A] * in_header + [_BODY[count]] * (count > 0)
        positions = [weight | number for number, weight in enumerate(weights, start=1)]
        self._tail = struct.pack(f"!xH{len(positions)}H", len(positions), *positions)

    def __missing__(self, word: str) -> bytes:
        if len(self) > _REMEMBERED:
            self.clear()
        text = word.encode(errors="replace").replace(b"\x00", b"?")
        entry = self[word] = text + self._tail
        return entry


_REMEMBERED = 100_000
_ENTRIES = {
    in_header: [_Entries(in_header, count) for count in range(_MOST + 1)]
    for in_header in (False, True)
}


def _that_fit(entries: Sequence[bytes]) -> list[bytes]:
    sizes = accumulate(map(len, entries))
    return [entry for entry, size in zip(entries, sizes, strict=True) if size <= MAX_TSVECTOR]


class Rows(NamedTuple):
    """The rows of some documents."""

    documents: list[tuple[Any, ...]]
    passages: list[tuple[Any, ...]]
    bodies: list[tuple[Any, ...]]


def make_rows(
    load: int,
    documents: Sequence[IndexedDocument],
    document_ids: Sequence[int],
    chunk_ids: Sequence[int],
    clean: Cleaner,
) -> Rows:
    """Lay out documents whose ids were reserved."""
    rows = Rows([], [], [])
    next_chunk = iter(chunk_ids)
    for number, document in zip(document_ids, documents, strict=True):
        corpus, service = clean.text(document.corpus), clean.maybe(document.service)
        rows.documents.append((
            number, corpus, clean.text(document.source), clean.text(document.path),
            clean.text(document.uri), clean.text(document.title), service, document.status,
            document.digest, clean.text(document.revision), document.processing_key,
            clean.maybe(document.commit), document.modified_at, document.eligible,
            clean.text(document.trust), clean.data(document.metadata),
            len(document.chunks), load, document_key(document.source, document.path),
        ))  # fmt: skip
        for item in document.chunks:
            chunk = next(next_chunk)
            rows.passages.append((
                chunk, number, load, FOREVER, item.chunk.ordinal, item.length,
                len(item.identifiers), document.eligible, corpus, service,
                bytes.fromhex(item.vector_key) if item.vector_key else None,
                list(dict.fromkeys(map(clean.text, (*item.identifiers, *item.fragments)))),
                clean.lexemes(frozenset(item.header), item.words),
            ))  # fmt: skip
            rows.bodies.append((chunk, *_body(item, clean)))
    return rows


def document_key(source: str, path: str) -> bytes:
    """What finds a document: source and path together may be longer than an index entry."""
    return sha256(f"{len(source)}:{source}{path}".encode(errors="surrogatepass")).digest()


def _body(item: IndexedChunk, clean: Cleaner) -> tuple[Any, ...]:
    chunk = item.chunk
    return (
        clean.text(pack(item.header)), clean.text(pack(item.words)), clean.text(chunk.text),
        clean.text(chunk.context), clean.text(chunk.section),
        json.dumps(clean.data(chunk.heading_path)), clean.text(chunk.anchor), chunk.part,
        chunk.parts, chunk.line_start, chunk.line_end,
    )  # fmt: skip
