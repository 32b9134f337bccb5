"""Documents and chunks as rows of our tables."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any

from orrery_knowledge.backends.pgvector.binary import field, lexemes, optional, texts
from orrery_knowledge.backends.pgvector.sql import FOREVER
from orrery_knowledge.lexical import pack
from orrery_knowledge.models import IndexedChunk, IndexedDocument

REPLACEMENT = "\ufffd"

DOCUMENT = {
    "id": "int8", "corpus": "text", "source": "text", "path": "text", "uri": "text",
    "title": "text", "service": "text", "status": "text", "digest": "text", "revision": "text",
    "processing_key": "text", "commit_id": "text", "modified_at": "timestamptz",
    "eligible": "bool", "trust": "text", "metadata": "json", "chunk_count": "int4",
    "added_in": "int4", "key": "bytea",
}  # fmt: skip
"""Columns of a document and their types, in the order of its rows below."""

PASSAGE = (
    "id", "document_id", "added_in", "removed_in", "ordinal", "length", "wholes", "eligible",
    "corpus", "service", "vector_key", "names", "words",
)  # fmt: skip
BODY = (
    "id", "part", "parts", "line_start", "line_end", "header", "words", "text", "context",
    "section", "heading_path", "anchor",
)  # fmt: skip
"""Columns in the order in which the functions below put them into binary rows."""

# The number of columns, then length and value of each.
_PASSAGE = struct.Struct("!h iq iq ii ii ii ii ii i?")
_BODY = struct.Struct("!h iq ii ii ii ii")

_BETWEEN = "\x1f"
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class Cleaner:
    """Replaces what a PostgreSQL text can't hold (NUL, lone surrogates), and counts.

    Attributes:
        replaced: characters that became U+FFFD.
        cut: words that fitted into no tsvector.
    """

    def __init__(self) -> None:
        self.replaced = 0
        self.cut = 0

    def encoded(self, value: str) -> bytes:
        """A string as bytes that can be stored."""
        try:
            data = value.encode()
        except UnicodeEncodeError:
            pass
        else:
            if b"\x00" not in data:
                return data
        clean, count = _UNSTORABLE.subn(REPLACEMENT, value)
        self.replaced += count
        return clean.encode()

    def every(self, values: Sequence[str]) -> list[bytes]:
        """The same for many short ones, which cost more to encode one by one."""
        joined = _BETWEEN.join(values)
        if joined.isascii() and "\x00" not in joined:
            encoded = joined.encode().split(_BETWEEN.encode())
            if len(encoded) == len(values):
                return encoded
        return [self.encoded(value) for value in values]

    def text(self, value: str) -> str:
        """A string that can be stored."""
        return self.encoded(value).decode()

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


def document_rows(
    load: int, documents: Sequence[IndexedDocument], ids: Sequence[int], clean: Cleaner
) -> Iterator[tuple[Any, ...]]:
    """Lay out documents whose ids were reserved."""
    for number, document in zip(ids, documents, strict=True):
        yield (
            number, clean.text(document.corpus), clean.text(document.source),
            clean.text(document.path), clean.text(document.uri), clean.text(document.title),
            clean.maybe(document.service), document.status, document.digest,
            clean.text(document.revision), document.processing_key, clean.maybe(document.commit),
            document.modified_at, document.eligible, clean.text(document.trust),
            clean.data(document.metadata), len(document.chunks), load,
            document_key(document.source, document.path),
        )  # fmt: skip


def passage_rows(
    load: int,
    documents: Sequence[IndexedDocument],
    document_ids: Sequence[int],
    ids: Iterable[int],
    clean: Cleaner,
) -> Iterator[bytes]:
    """Lay out what the chunks of documents are found by, as rows of a binary COPY."""
    next_id = iter(ids)
    for number, document in zip(document_ids, documents, strict=True):
        service = clean.maybe(document.service)
        filters = field(clean.encoded(document.corpus)) + optional(
            None if service is None else service.encode()
        )
        for item in document.chunks:
            fixed = _PASSAGE.pack(
                len(PASSAGE), 8, next(next_id), 8, number, 4, load, 4, FOREVER, 4,
                item.chunk.ordinal, 4, item.length, 4, len(item.identifiers), 1, document.eligible,
            )  # fmt: skip
            yield b"".join((fixed, filters, *_searched(item, clean)))


def body_rows(
    documents: Sequence[IndexedDocument], ids: Iterable[int], clean: Cleaner
) -> Iterator[bytes]:
    """The same for what is read of the few chunks that are scored or shown."""
    chunks = (item for document in documents for item in document.chunks)
    return (b"".join(_body(*numbered, clean)) for numbered in zip(ids, chunks, strict=True))


def document_key(source: str, path: str) -> bytes:
    """What finds a document: source and path together may be longer than an index entry."""
    return sha256(f"{len(source)}:{source}{path}".encode(errors="surrogatepass")).digest()


def _searched(item: IndexedChunk, clean: Cleaner) -> tuple[bytes, ...]:
    names = dict.fromkeys(clean.every((*item.identifiers, *item.fragments)))
    words, cut = lexemes(frozenset(item.header), item.words)
    clean.cut += cut
    key = bytes.fromhex(item.vector_key) if item.vector_key else None
    return optional(key), texts(list(names)), words


def _body(number: int, item: IndexedChunk, clean: Cleaner) -> tuple[bytes, ...]:
    chunk = item.chunk
    return (
        _BODY.pack(
            len(BODY), 8, number, 4, chunk.part, 4, chunk.parts, 4, chunk.line_start,
            4, chunk.line_end,
        ),
        field(clean.encoded(pack(item.header))),
        field(clean.encoded(pack(item.words))),
        field(clean.encoded(chunk.text)),
        field(clean.encoded(chunk.context)),
        field(clean.encoded(chunk.section)),
        field(json.dumps(clean.data(chunk.heading_path)).encode()),
        field(clean.encoded(chunk.anchor)),
    )  # fmt: skip
