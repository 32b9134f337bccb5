"""Makes the rows and loads that contract tests work with, by the real preparation."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from orrery_knowledge.governance.records import Decision
from orrery_knowledge.models import (
    Document,
    IndexedDocument,
    LoadRecord,
    Query,
    Rankings,
)
from orrery_knowledge.preparation import embedding_text, prepare
from orrery_knowledge.protocols import KnowledgeIndex
from orrery_knowledge.testing.embedders import HashingEmbedder

OpenIndex = Callable[[], KnowledgeIndex]
"""Opens one more handle on the same store, as another process would."""

EMBEDDER = HashingEmbedder()


def make_document(
    path: str,
    text: str,
    *,
    corpus: str = "runbooks",
    source: str = "docs",
    service: str | None = None,
    eligible: bool = True,
    revision: str | None = None,
) -> IndexedDocument:
    """The rows of one document, prepared as sync prepares them."""
    document = Document(
        corpus=corpus,
        source=source,
        path=path,
        uri=f"test:{path}",
        text=text,
        revision=revision or f"revision of {len(text)}",
        metadata={"service": service} if service else {},
    )
    decisions: dict[str, Decision] = {}
    prepared = prepare(
        document, trust="reviewed", decisions=decisions, key="key", size=800, embedded=True
    )
    assert prepared.indexed is not None, f"{path}: {prepared.outcome}"
    return prepared.indexed.model_copy(update={"eligible": eligible})


async def build(
    index: KnowledgeIndex,
    documents: Sequence[IndexedDocument] = (),
    *,
    removed: Sequence[str] = (),
    source: str = "docs",
    embedder: HashingEmbedder = EMBEDDER,
) -> int:
    """Write a candidate load, without activating it. Returns its number."""
    load = await index.begin(embedder.fingerprint, {})
    await store_vectors(index, documents, embedder)
    await index.write(load.number, documents)
    if removed:
        await index.remove(load.number, source, removed)
    return load.number


async def publish(
    index: KnowledgeIndex,
    documents: Sequence[IndexedDocument] = (),
    *,
    removed: Sequence[str] = (),
    source: str = "docs",
    embedder: HashingEmbedder = EMBEDDER,
) -> LoadRecord:
    """Write a load, check it and activate it."""
    load = await build(index, documents, removed=removed, source=source, embedder=embedder)
    await index.check(load)
    return await index.activate(load)


async def store_vectors(
    index: KnowledgeIndex, documents: Sequence[IndexedDocument], embedder: HashingEmbedder
) -> None:
    """Store the vectors of documents that aren't stored yet."""
    texts = {
        chunk.vector_key: embedding_text(chunk.chunk)
        for document in documents
        for chunk in document.chunks
        if chunk.vector_key is not None
    }
    keys = await index.missing_vectors(embedder.fingerprint, list(texts))
    if keys:
        vectors = await embedder.embed_documents([texts[key] for key in keys])
        await index.store_vectors(embedder.fingerprint, keys, vectors)


async def ask(
    index: KnowledgeIndex,
    text: str,
    *,
    embedder: HashingEmbedder = EMBEDDER,
    service: str | None = None,
    corpus: str | None = None,
    pool: int = 50,
) -> Rankings:
    """Search with the test embedder's vector."""
    query = Query(text=text, service=service, corpus=corpus, pool=pool)
    return await index.search(query, await embedder.embed_query(text), embedder.fingerprint)


async def paths(index: KnowledgeIndex, rankings: Rankings, ranking: str) -> list[str]:
    """Paths of a ranking's documents, best first, each once."""
    assert rankings.load is not None
    found = await index.fetch(rankings.rankings.get(ranking, ()), rankings.load)
    return list(dict.fromkeys(body.path for body in found))


async def everywhere(index: KnowledgeIndex, text: str) -> set[str]:
    """Paths of documents that any ranking finds."""
    rankings = await ask(index, text)
    if rankings.load is None:
        return set()
    found = await index.fetch(list(rankings.candidates), rankings.load)
    return {body.path for body in found}


async def shown(index: KnowledgeIndex) -> set[tuple[str, str]]:
    """(path, digest) of everything that the active load shows."""
    return {(path, digest) for _, _, path, digest in await index.visible()}
