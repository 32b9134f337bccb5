"""Fills an index with the vectors that it misses; what it has is never computed again."""

from __future__ import annotations

from orrery_knowledge.embedders.batches import embed_all
from orrery_knowledge.models import IndexedDocument
from orrery_knowledge.preparation import embedding_text
from orrery_knowledge.protocols import Embedder, KnowledgeIndex
from orrery_knowledge.tally import Tally


class Embedding:
    """The embedder's side of one sync.

    Vectors lie by content and fingerprint, so a moved file costs none, and a sync that was killed
    goes on where it stopped.

    Args:
        index: keeps the vectors.
        embedder: computes them.
        tally: gets the count; a dry run only counts.
    """

    def __init__(self, index: KnowledgeIndex, embedder: Embedder, tally: Tally) -> None:
        self._index = index
        self._embedder = embedder
        self._tally = tally
        self._planned: set[str] = set()

    async def fill(self, documents: list[IndexedDocument]) -> list[IndexedDocument]:
        """Store the vectors that are missing; returns the documents that have all of theirs.

        Raises:
            EmbedderError: the embedder fails whatever the text.
        """
        texts = {
            item.vector_key: embedding_text(item.chunk)
            for document in documents
            for item in document.chunks
            if item.vector_key is not None
        }
        missing = await self._index.missing_vectors(self._embedder.fingerprint, list(texts))
        if self._tally.dry_run:
            self._tally.embedded += len(set(missing) - self._planned)
            self._planned.update(missing)
            return documents
        if not missing:
            return documents
        vectors, failures = await embed_all(self._embedder, [texts[key] for key in missing])
        bad = {missing[failure.index]: failure.reason for failure in failures}
        good = [position for position, key in enumerate(missing) if key not in bad]
        self._tally.embedded += len(good)
        keys = [missing[position] for position in good]
        await self._index.store_vectors(self._embedder.fingerprint, keys, vectors[good])
        return [document for document in documents if not self._fails(document, bad)]

    def _fails(self, document: IndexedDocument, bad: dict[str, str]) -> bool:
        reasons = [bad[c.vector_key] for c in document.chunks if c.vector_key in bad]
        if reasons:
            self._tally.fail(f"{document.source}: {document.path}", reasons[0])
        return bool(reasons)
