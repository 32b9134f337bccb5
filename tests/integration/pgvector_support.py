"""Many small chunks with vectors of our choice, without a text to embed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from orrery_knowledge.models import IndexedDocument, LoadRecord
from orrery_knowledge.protocols import KnowledgeIndex, Vectors
from orrery_knowledge.testing.documents import make_document

FINGERPRINT = "made-up"
_CHUNK = make_document("base.md", "# Base\n\nzebra\n").chunks[0]


def unit(vectors: Vectors) -> Vectors:
    """The same directions, each of length 1."""
    return (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)


def page_of(
    path: str, count: int, *, eligible: bool = True, service: str | None = None
) -> IndexedDocument:
    """A document of `count` chunks with keys of their own."""
    chunks = tuple(
        _CHUNK.model_copy(
            update={
                "chunk": _CHUNK.chunk.model_copy(update={"ordinal": number}),
                "vector_key": hashlib.sha256(f"{path}/{number}".encode()).hexdigest(),
            }
        )
        for number in range(count)
    )
    document = make_document(path, "# Base\n\nzebra\n", eligible=eligible, service=service)
    return document.model_copy(update={"chunks": chunks})


async def publish_vectors(
    index: KnowledgeIndex, pages: Sequence[tuple[IndexedDocument, Vectors]]
) -> LoadRecord:
    """Publish documents with the vectors given for their chunks."""
    load = await index.begin(FINGERPRINT, {})
    for document, vectors in pages:
        keys = [chunk.vector_key or "" for chunk in document.chunks]
        await index.store_vectors(FINGERPRINT, keys, vectors)
        await index.write(load.number, [document])
    await index.check(load.number)
    return await index.activate(load.number)
