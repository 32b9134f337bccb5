"""Documents and chunks as rows of our tables, made while they are sent."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any

from orrery_knowledge.backends.pgvector.sql import FOREVER
from orrery_knowledge.backends.pgvector.tsvectors import lexemes
from orrery_knowledge.lexical import pack
from orrery_knowledge.models import IndexedDocument

REPLACEMENT = "\ufffd"

Row = tuple[Any, ...]

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


def document_rows(
    load: int, documents: Sequence[IndexedDocument], ids: Sequence[int], clean: Cleaner
) -> Iterator[Row]:
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
) -> Iterator[Row]:
    """Lay out what the chunks of documents are found by."""
    next_id = iter(ids)
    for number, document in zip(document_ids, documents, strict=True):
        corpus, service = clean.text(document.corpus), clean.maybe(document.service)
        for item in document.chunks:
            names = dict.fromkeys(map(clean.text, (*item.identifiers, *item.fragments)))
            words, cut = lexemes(frozenset(item.header), item.words)
            clean.cut += cut
            yield (
                next(next_id), number, load, FOREVER, item.chunk.ordinal, item.length,
                len(item.identifiers), document.eligible, corpus, service,
                bytes.fromhex(item.vector_key) if item.vector_key else None, list(names), words,
            )  # fmt: skip


def body_rows(
    documents: Sequence[IndexedDocument], ids: Iterable[int], clean: Cleaner
) -> Iterator[Row]:
    """The same for what is read of the few chunks that are scored or shown."""
    chunks = (item for document in documents for item in document.chunks)
    for number, item in zip(ids, chunks, strict=True):
        chunk = item.chunk
        yield (
            number, clean.text(pack(item.header)), clean.text(pack(item.words)),
            clean.text(chunk.text), clean.text(chunk.context), clean.text(chunk.section),
            json.dumps(clean.data(chunk.heading_path)), clean.text(chunk.anchor), chunk.part,
            chunk.parts, chunk.line_start, chunk.line_end,
        )  # fmt: skip


def document_key(source: str, path: str) -> bytes:
    """What finds a document: source and path together may be longer than an index entry."""
    return sha256(f"{len(source)}:{source}{path}".encode(errors="surrogatepass")).digest()
