"""The small protocols that a source, a backend or an embedder fulfils.

Each has a contract class in `orrery_knowledge.testing`; a third party runs it on its own component.
Nothing here opens a connection in its constructor: `open` (or first use) does.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, TypeGuard, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from orrery_knowledge.models import (
    Document,
    FetchedChunk,
    IndexedDocument,
    KnownDocument,
    LoadRecord,
    OutlinedChunk,
    Provenance,
    Query,
    Rankings,
    SourceEntry,
    Trust,
)

Vectors = NDArray[np.float32]


@runtime_checkable
class KnowledgeSource(Protocol):
    """Where documents come from. Adding one is one file under `sources/` and a registry line."""

    id: str
    corpus: str
    trust: Trust

    @property
    def settings_key(self) -> str:
        """Names the settings that shape this source's documents; part of the processing key."""
        ...

    def entries(self) -> AsyncIterator[SourceEntry]:
        """List everything, lazily; reads no more content than the listing needs.

        Raises:
            SourceError: the source can't be listed; what was yielded so far must not be taken for
                all there is.
        """
        ...

    async def read(self, entry: SourceEntry) -> Document:
        """Read one listed entry.

        Raises:
            DocumentError: this entry can't be read; the others can.
            SourceError: the source itself is gone.
        """
        ...

    async def close(self) -> None:
        """Release processes and connections; safe to call twice."""
        ...


class HistoricSource(KnowledgeSource, Protocol):
    """A source whose documents can get another commit or date without a change of their text."""

    async def provenance(self, entry: SourceEntry) -> Provenance:
        """What `read` would say of a listed entry besides its text, without reading it.

        Raises:
            DocumentError: this source did not list it.
            SourceError: the source itself is gone.
        """
        ...


class Embedder(Protocol):
    """Turns texts into vectors of unit length."""

    @property
    def fingerprint(self) -> str:
        """Names model, files, pooling and token limit; vectors of two fingerprints never meet."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        ...

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Vectors of shape (len(texts), dimensions), float32, each of length 1.

        Raises:
            EmbedderError: not as many finite vectors came back as texts went in.
        """
        ...

    async def embed_query(self, text: str) -> Vectors:
        """One vector of shape (dimensions,), float32, of length 1."""
        ...


class KnowledgeRetriever(Protocol):
    """Reads: query to ranked candidates, candidates to bodies. Every backend has one."""

    async def search(
        self, query: Query, vector: Vectors | None, fingerprint: str | None
    ) -> Rankings:
        """Rankings of at most `query.pool` eligible candidates each, from one load.

        Raises:
            BackendUnavailable: the backend does not answer.
        """
        ...

    async def fetch(self, chunks: Sequence[int], load: int) -> list[FetchedChunk]:
        """Bodies of candidates in the given order; those no longer eligible are left out."""
        ...

    async def active_load(self) -> int | None:
        """The number of the active load; None before the first."""
        ...

    async def close(self) -> None:
        """Close connections; safe to call twice."""
        ...


class KnowledgeIndex(KnowledgeRetriever, Protocol):
    """A store that sync fills: loads as intervals (see ``docs/aep/025-knowledge-retrieval.md``)."""

    def lock(self) -> AbstractAsyncContextManager[None]:
        """Hold the build lock; raises `SyncRunning` at once when somebody else does."""
        ...

    async def sources(self) -> list[str]:
        """Ids of the sources of which the active load shows a document."""
        ...

    async def held(self) -> bool:
        """Whether a rollback holds the pointer, so that no sync may run."""
        ...

    async def known(self, source: str) -> Mapping[str, KnownDocument]:
        """Documents of a source in the newest visible load, by path; one paged aggregation."""
        ...

    async def begin(self, fingerprint: str | None, details: Mapping[str, Any]) -> LoadRecord:
        """Undo whatever lies above the pointer, then start a load with a number never used before.

        Raises:
            LoadsHeld: a rollback holds the pointer.
        """
        ...

    async def write(self, load: int, documents: Sequence[IndexedDocument]) -> int:
        """Add document versions to a building load, each ending the version that it replaces.

        Returns:
            how many chunks of replaced versions end with this load.
        """
        ...

    async def remove(self, load: int, source: str, paths: Sequence[str]) -> int:
        """End documents with a building load. Returns how many chunks end."""
        ...

    async def describe(self, source: str, provenances: Sequence[Provenance]) -> int:
        """Give documents of a source that the active load shows another uri, commit and date.

        In place and at once, like eligibility: provenance is no part of a text, so no load is
        needed, and a rollback keeps it. Only rows of the path and revision that a provenance names
        change. Returns how many did.
        """
        ...

    async def missing_vectors(self, fingerprint: str, keys: Sequence[str]) -> list[str]:
        """Those of `keys` for which no vector is stored, without duplicates, in order."""
        ...

    async def store_vectors(self, fingerprint: str, keys: Sequence[str], vectors: Vectors) -> None:
        """Store vectors; a key that is already there is left as it is."""
        ...

    async def prepare(self, load: int) -> None:
        """Do in advance what makes a building load fast to search and may take long.

        A sync calls it while decisions can still be made, before the lock under which it checks
        and activates. Without it, `check` does the same.
        """
        ...

    async def check(self, load: int) -> LoadRecord:
        """Check a building load's rows and vectors, and count what it would show.

        Raises:
            CheckFailed: a chunk without bounds or vector, a duplicate, an empty document.
        """
        ...

    async def activate(self, load: int) -> LoadRecord:
        """Move the pointer from where the build started to this load: one compare-and-swap.

        Raises:
            Superseded: the pointer is not where the build started.
        """
        ...

    async def abandon(self, load: int) -> None:
        """Undo a building load."""
        ...

    async def loads(self) -> list[LoadRecord]:
        """Every load, newest first."""
        ...

    async def rollback(self, to: int | None = None) -> LoadRecord:
        """Move the pointer back (to the load before, by default) and hold it there.

        Raises:
            UnknownLoad: no such load, or its rows are gone.
        """
        ...

    async def resume(self) -> None:
        """Let syncs run again after a rollback."""
        ...

    async def gc(self, keep: int = 5, min_age_seconds: float = 600) -> int:
        """Delete rows that no kept load shows. Returns how many chunks were deleted."""
        ...

    async def set_eligible(
        self, document: tuple[str, str, str], digest: str, eligible: bool, decision: int
    ) -> int:
        """Change eligibility in place on every load; (corpus, source, path) and digest name rows.

        `decision` is the ledger's number of the decision; the index remembers the highest.
        Returns how many document versions changed.
        """
        ...

    async def applied_decision(self) -> int:
        """The last ledger decision that this index has applied; 0 before the first."""
        ...

    async def visible(self) -> list[tuple[str, str, str, str]]:
        """(corpus, source, path, digest) of every eligible document that the active load shows."""
        ...

    async def filters(self) -> set[tuple[str, str | None]]:
        """(corpus, service) of every eligible document that the active load shows, once each."""
        ...

    async def outline(self) -> list[OutlinedChunk]:
        """What every eligible chunk that the active load shows is called, by chunk id."""
        ...

    async def destroy(self) -> None:
        """Close the index and delete all of it; for private ones (see `registry`)."""
        ...

    async def verify(self, *, repair: bool = False) -> list[str]:
        """Problems of the store itself, a line each; with `repair`, mended where it can.

        A store that can't be mended is emptied: no load is active then, and a sync fills it.
        """
        ...


def keeps_history(source: KnowledgeSource) -> TypeGuard[HistoricSource]:
    """Whether a source can say where a text comes from without reading it."""
    return hasattr(source, "provenance")


def is_index(retriever: KnowledgeRetriever) -> TypeGuard[KnowledgeIndex]:
    """Whether a backend is filled by sync; for any other, ingestion is somebody else's job."""
    return hasattr(retriever, "begin") and hasattr(retriever, "activate")
