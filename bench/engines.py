"""What is measured: our two backends behind one small protocol."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from bench.corpus import FINGERPRINT, Batch
from bench.queries import PASSAGES, POOL, Asked
from bench.server import Server
from orrery_knowledge.backends.pgvector.config import PgVectorConfig
from orrery_knowledge.backends.pgvector.index import PgVectorIndex
from orrery_knowledge.backends.sqlite.index import SqliteConfig, SqliteIndex
from orrery_knowledge.fusion import best_per_document, fuse
from orrery_knowledge.protocols import KnowledgeIndex

NAMES = ("sqlite", "pgvector", "obvious", "baseline")


@dataclass(frozen=True)
class Answer:
    """How many hybrid candidates came back, and the texts of the best."""

    candidates: int
    bodies: tuple[str, ...]


class Engine(Protocol):
    """Stores rows and answers queries. Opens what it needs on first use."""

    name: str

    async def add(self, batch: Batch) -> None:
        """Store some rows."""
        ...

    async def finish(self) -> None:
        """Make everything that was stored searchable."""
        ...

    async def search(self, asked: Asked, *, shared: bool = False) -> Answer:
        """The best `POOL` candidates by words and vector, with the bodies of `PASSAGES`.

        Args:
            asked: the query.
            shared: other searches are in flight, so the event loop must not be held.
        """
        ...

    def cpu_seconds(self) -> float:
        """Processor time so far, of this process and of the server if there is one."""
        ...

    async def size(self) -> int:
        """Bytes that the index takes."""
        ...

    async def close(self) -> None:
        """Let go of everything; what is durable stays."""
        ...


class OurEngine:
    """One of our backends, asked as `Retrieval` asks it."""

    def __init__(self, name: str, index: KnowledgeIndex, server: Server | None = None) -> None:
        self.name = name
        self.index = self._index = index
        self._server = server
        self._load: int | None = None

    async def add(self, batch: Batch) -> None:
        """See `Engine.add`."""
        if self._load is None:
            self._load = (await self._index.begin(FINGERPRINT, {})).number
        missing = await self._index.missing_vectors(FINGERPRINT, batch.keys)
        rows = dict(zip(batch.keys, batch.vectors, strict=True))
        if missing:
            vectors = np.stack([rows[key] for key in missing])
            await self._index.store_vectors(FINGERPRINT, missing, vectors)
        await self._index.write(self._load, batch.documents)

    async def finish(self) -> None:
        """See `Engine.finish`."""
        if self._load is None:
            return
        await self._index.check(self._load)
        await self._index.activate(self._load)

    async def search(self, asked: Asked, *, shared: bool = False) -> Answer:
        """See `Engine.search`."""
        rankings = await self._index.search(asked.query, asked.vector, FINGERPRINT)
        fused = fuse(rankings)[:POOL]
        best = best_per_document(fused, 1)[:PASSAGES]
        bodies = await self._index.fetch([item.chunk for item in best], rankings.load or 0)
        return Answer(len(fused), tuple(body.chunk.text for body in bodies))

    def cpu_seconds(self) -> float:
        """See `Engine.cpu_seconds`."""
        return time.process_time() + (self._server.cpu_seconds() if self._server else 0.0)

    async def size(self) -> int:
        """See `Engine.size`."""
        if self._server is not None:
            return self._server.size(self.name)
        path = self._index.path if isinstance(self._index, SqliteIndex) else Path()
        return sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*"))

    async def close(self) -> None:
        """See `Engine.close`."""
        await self._index.close()


def sqlite_engine(folder: Path) -> OurEngine:
    """The embedded backend on a file in a folder."""
    return OurEngine("sqlite", SqliteIndex(SqliteConfig(), state=folder))


def pgvector_engine(url: str, server: Server | None = None) -> OurEngine:
    """The PostgreSQL backend, exact, with its own settings."""
    config = PgVectorConfig.model_validate({"url": url, "statement_timeout_seconds": 60})
    return OurEngine("pgvector", PgVectorIndex(config, state=Path()), server)
