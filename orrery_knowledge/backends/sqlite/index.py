"""The embedded default: one SQLite file (WAL, FTS5) with a numpy cache of the vectors."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict

from orrery_knowledge.backends.bodies import outlined_chunk
from orrery_knowledge.backends.sqlite import loads
from orrery_knowledge.backends.sqlite.database import Database, NoIndexYet
from orrery_knowledge.backends.sqlite.integrity import (
    DamagedIndex,
    check_file,
    is_full_text_whole,
    refuse_damaged,
)
from orrery_knowledge.backends.sqlite.search import fetch, search
from orrery_knowledge.backends.sqlite.snapshot import SnapshotCache
from orrery_knowledge.backends.sqlite.verify import verify
from orrery_knowledge.errors import BackendUnavailable, SyncRunning
from orrery_knowledge.models import (
    FetchedChunk,
    IndexedDocument,
    KnownDocument,
    LoadRecord,
    OutlinedChunk,
    Provenance,
    Query,
    Rankings,
)
from orrery_knowledge.protocols import Vectors

T = TypeVar("T")


class SqliteConfig(BaseModel):
    """Settings of the embedded backend.

    Attributes:
        path: the database file; relative to the state folder (``.orrery``).
    """

    model_config = ConfigDict(extra="forbid")
    type: Literal["sqlite"] = "sqlite"
    path: Path = Path("index.db")


class SqliteIndex:
    """`KnowledgeIndex` on one SQLite file. Several processes may search while one syncs."""

    Config = SqliteConfig

    def __init__(self, config: SqliteConfig, *, state: Path) -> None:
        self.path = state / config.path
        self._database = Database(self.path)
        self._snapshots = SnapshotCache()

    @classmethod
    def private(cls, config: SqliteConfig, *, state: Path) -> SqliteIndex:
        """An index of one's own in a folder of one's own, whatever the configured path."""
        return cls(SqliteConfig(), state=state)

    async def destroy(self) -> None:
        """Delete a private index."""
        await self.close()
        for file in self.path.parent.glob(f"{self.path.name}*"):
            file.unlink(missing_ok=True)

    async def search(
        self, query: Query, vector: Vectors | None, fingerprint: str | None
    ) -> Rankings:
        """See `KnowledgeRetriever.search`."""

        def work(db: sqlite3.Connection) -> Rankings:
            snapshot = self._snapshots.get(db, self._database.file)
            if snapshot is None:
                return Rankings(load=None)
            return search(db, snapshot, query, vector, fingerprint)

        return await self._read_or(Rankings(load=None), work, "search")

    async def fetch(self, chunks: Sequence[int], load: int) -> list[FetchedChunk]:
        """See `KnowledgeRetriever.fetch`."""
        return await self._database.read(lambda db: fetch(db, chunks, load), "fetch")

    async def active_load(self) -> int | None:
        """See `KnowledgeRetriever.active_load`."""
        return await self._pointer("active") or None

    async def applied_decision(self) -> int:
        """See `KnowledgeIndex.applied_decision`."""
        return await self._pointer("decision")

    async def close(self) -> None:
        """Close every connection."""
        await self._database.close()

    @asynccontextmanager
    async def lock(self) -> AsyncIterator[None]:
        """Hold the build lock; the system releases it when the process dies."""
        lock = FileLock(f"{self.path}.lock")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            lock.acquire(timeout=0)
        except Timeout:
            raise SyncRunning("another sync is running on this index") from None
        except OSError as error:
            raise BackendUnavailable(f"index {self.path.name}: {error.strerror}") from error
        try:
            yield
        finally:
            lock.release()

    async def sources(self) -> list[str]:
        """Ids of the sources that the active load shows."""
        return await self._read_or(
            [], lambda db: [row["source"] for row in db.execute(loads.SQL["sources"])]
        )

    async def known(self, source: str) -> Mapping[str, KnownDocument]:
        """See `KnowledgeIndex.known`."""
        empty: dict[str, KnownDocument] = {}
        return await self._read_or(empty, lambda db: loads.known(db, source), "known")

    async def begin(self, fingerprint: str | None, details: Mapping[str, Any]) -> LoadRecord:
        """See `KnowledgeIndex.begin`."""
        return await self._database.write(lambda db: loads.begin(db, fingerprint, details), "begin")

    async def write(self, load: int, documents: Sequence[IndexedDocument]) -> int:
        """See `KnowledgeIndex.write`."""
        return await self._database.write(lambda db: loads.write(db, load, documents), "write")

    async def remove(self, load: int, source: str, paths: Sequence[str]) -> int:
        """See `KnowledgeIndex.remove`."""
        return await self._database.write(
            lambda db: loads.remove(db, load, source, paths), "remove"
        )

    async def describe(self, source: str, provenances: Sequence[Provenance]) -> int:
        """See `KnowledgeIndex.describe`."""
        return await self._database.write(
            lambda db: loads.describe(db, source, provenances), "describe"
        )

    async def missing_vectors(self, fingerprint: str, keys: Sequence[str]) -> list[str]:
        """See `KnowledgeIndex.missing_vectors`."""
        unique = list(dict.fromkeys(keys))

        def work(db: sqlite3.Connection) -> list[str]:
            statement = loads.SQL["has_vector"]
            return [
                key
                for key in unique
                if not db.execute(statement, (fingerprint, bytes.fromhex(key))).fetchone()
            ]

        return await self._read_or(unique, work)

    async def store_vectors(self, fingerprint: str, keys: Sequence[str], vectors: Vectors) -> None:
        """See `KnowledgeIndex.store_vectors`."""
        rows = [
            (fingerprint, bytes.fromhex(key), np.asarray(vector, dtype="<f4").tobytes())
            for key, vector in zip(keys, vectors, strict=True)
        ]
        await self._database.write(
            lambda db: db.executemany(loads.SQL["insert_vector"], rows), "store_vectors"
        )

    async def prepare(self, load: int) -> None:
        """See `KnowledgeIndex.prepare`: nothing here takes long."""

    async def check(self, load: int) -> LoadRecord:
        """See `KnowledgeIndex.check`."""

        def work(db: sqlite3.Connection) -> LoadRecord:
            refuse_damaged(db)
            return loads.check(db, load)

        return await self._database.read(work, "check")

    async def activate(self, load: int) -> LoadRecord:
        """See `KnowledgeIndex.activate`."""
        return await self._database.write(lambda db: loads.activate(db, load), "activate")

    async def abandon(self, load: int) -> None:
        """See `KnowledgeIndex.abandon`."""
        await self._database.write(lambda db: loads.abandon(db, load), "abandon")

    async def loads(self) -> list[LoadRecord]:
        """See `KnowledgeIndex.loads`."""
        return await self._read_or(
            [], lambda db: [loads.to_record(row) for row in db.execute(loads.SQL["loads"])]
        )

    async def held(self) -> bool:
        """Whether a rollback holds the pointer."""
        return bool(await self._pointer("held"))

    async def rollback(self, to: int | None = None) -> LoadRecord:
        """See `KnowledgeIndex.rollback`."""
        return await self._database.write(lambda db: loads.rollback(db, to), "rollback")

    async def resume(self) -> None:
        """See `KnowledgeIndex.resume`."""
        await self._database.write(lambda db: db.execute(loads.SQL["release"]))

    async def gc(self, keep: int = 5, min_age_seconds: float = 600) -> int:
        """See `KnowledgeIndex.gc`."""
        return await self._database.write(lambda db: loads.gc(db, keep, min_age_seconds), "gc")

    async def set_eligible(
        self, document: tuple[str, str, str], digest: str, eligible: bool, decision: int
    ) -> int:
        """See `KnowledgeIndex.set_eligible`."""
        return await self._database.write(
            lambda db: loads.set_eligible(db, document, digest, eligible, decision)
        )

    async def visible(self) -> list[tuple[str, str, str, str]]:
        """See `KnowledgeIndex.visible`."""
        return await self._read_or(
            [], lambda db: [(*row,) for row in db.execute(loads.SQL["visible"])]
        )

    async def filters(self) -> set[tuple[str, str | None]]:
        """See `KnowledgeIndex.filters`."""
        empty: set[tuple[str, str | None]] = set()
        return await self._read_or(
            empty, lambda db: {(*row,) for row in db.execute(loads.SQL["filters"])}, "filters"
        )

    async def outline(self) -> list[OutlinedChunk]:
        """See `KnowledgeIndex.outline`."""
        return await self._read_or(
            [],
            lambda db: [outlined_chunk(row) for row in db.execute(loads.SQL["outline"])],
            "outline",
        )

    async def verify(self, *, repair: bool = False) -> list[str]:
        """See `KnowledgeIndex.verify`; a damaged file is emptied to be filled anew."""
        damaged = await self._damaged(repair)
        if damaged:
            if repair:
                await self._start_again()
            return [f"the file is damaged: {', '.join(damaged)}; it can be rebuilt (--repair)"]
        sound = await self._database.write(is_full_text_whole, "verify")
        problems = [] if sound else ["full-text table: its structure is damaged"]
        if not repair:
            return problems + await self._database.read(lambda db: verify(db, repair=False))

        def work(db: sqlite3.Connection) -> list[str]:
            if problems:
                loads.rebuild(db)
            return problems + verify(db, repair=True)

        return await self._database.write(work)

    async def _damaged(self, repair: bool) -> Sequence[str]:
        try:
            await self._database.read(check_file, "verify")
        except DamagedIndex as error:
            if not (repair or error.tables):
                raise
            return error.tables or ("it can't be opened",)
        return ()

    async def _start_again(self) -> None:
        """Delete a damaged file; nobody may be building in it."""
        async with self.lock():
            await self._database.close()
            # Not the lock's own file, which is held.
            for file in (self.path, *self.path.parent.glob(f"{self.path.name}-*")):
                file.unlink(missing_ok=True)
            self._database, self._snapshots = Database(self.path), SnapshotCache()

    async def _pointer(self, column: str) -> int:
        return await self._read_or(
            0, lambda db: int(db.execute(loads.SQL["pointer"]).fetchone()[column])
        )

    async def _read_or(
        self, default: T, work: Callable[[sqlite3.Connection], T], operation: str = "read"
    ) -> T:
        """Read, or answer `default` when no sync has run yet."""
        try:
            return await self._database.read(work, operation)
        except NoIndexYet:
            return default
