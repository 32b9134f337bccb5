"""PostgreSQL with pgvector behind the same contract as the embedded index."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, asynccontextmanager
from pathlib import Path
from secrets import token_hex
from typing import Any, TypeVar

import psycopg
from psycopg.sql import SQL, Identifier

from orrery_knowledge.backends.bodies import outlined_chunk
from orrery_knowledge.backends.pgvector import loads, upkeep, vectors, writing
from orrery_knowledge.backends.pgvector.config import PgVectorConfig
from orrery_knowledge.backends.pgvector.connecting import (
    AT_ONCE,
    Connect,
    in_turn,
    of_the_pool,
)
from orrery_knowledge.backends.pgvector.driver_errors import (
    ConnectionLost,
    NoIndexYet,
    driver_errors,
)
from orrery_knowledge.backends.pgvector.pools import SHARED, Connection, Pool, PoolKey, within
from orrery_knowledge.backends.pgvector.schema import ensure_migrated, ensure_readable
from orrery_knowledge.backends.pgvector.search import fetch, search
from orrery_knowledge.backends.pgvector.statistics import StatisticsCache
from orrery_knowledge.backends.pgvector.verify import verify
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
from orrery_knowledge.telemetry import database_span

T = TypeVar("T")
Work = Callable[[Connection], Awaitable[T]]

BUILD_SECONDS = 900.0
"""How long one step of a build may take; a search has `statement_timeout_seconds`."""


class PgVectorIndex:
    """`KnowledgeIndex` on PostgreSQL. Any number of processes may search while one syncs."""

    Config = PgVectorConfig

    def __init__(self, config: PgVectorConfig, *, state: Path) -> None:
        self._config = config
        self._key = PoolKey(
            config.url.get_secret_value(),
            config.schema_name,
            config.pool_size,
            config.statement_timeout_seconds,
            config.connect_timeout_seconds,
        )
        self._seconds = config.statement_timeout_seconds + config.connect_timeout_seconds
        self._statistics = StatisticsCache()
        self._prepared: int | None = None
        # One thread: several would take turns with the event loop, which then waits for them all.
        self._ranker = ThreadPoolExecutor(1, "orrery-rank")
        self._address = config.address
        self._closed = False

    @classmethod
    def private(cls, config: PgVectorConfig, *, state: Path) -> PgVectorIndex:
        """An index in a schema of its own on the configured server."""
        schema = f"orrery_private_{token_hex(8)}"
        return cls(config.model_copy(update={"schema_name": schema}), state=state)

    async def destroy(self) -> None:
        """Drop the schema of a private index, if it was ever made."""
        drop = SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(Identifier(self._config.schema_name))

        async def once() -> None:
            async with self._pool().connection() as connection:
                await connection.execute(drop)

        try:
            await within(self._seconds, once())
        finally:
            await self.close()

    async def search(
        self, query: Query, vector: Vectors | None, fingerprint: str | None
    ) -> Rankings:
        """See `KnowledgeRetriever.search`."""

        async def on(connect: Connect) -> Rankings:
            return await search(
                connect,
                self._statistics,
                query,
                vector,
                fingerprint,
                self._config.hnsw,
                self._ranker,
            )

        async def work(pool: Pool) -> Rankings:
            pool.searches += 1
            try:
                if pool.searches * AT_ONCE <= pool.key.size:
                    return await on(of_the_pool(pool))
                async with pool.connection(check=False) as connection:
                    return await on(in_turn(connection))
            finally:
                pool.searches -= 1

        return await self._reading(Rankings(load=None), work, "search")

    async def fetch(self, chunks: Sequence[int], load: int) -> list[FetchedChunk]:
        """See `KnowledgeRetriever.fetch`."""
        nothing: list[FetchedChunk] = []
        return await self._read_or(nothing, lambda db: fetch(db, chunks, load), "fetch")

    async def active_load(self) -> int | None:
        """See `KnowledgeRetriever.active_load`."""
        return await self._pointer("active") or None

    async def applied_decision(self) -> int:
        """See `KnowledgeIndex.applied_decision`."""
        return await self._pointer("decision")

    async def held(self) -> bool:
        """Whether a rollback holds the pointer."""
        return bool(await self._pointer("held"))

    async def close(self) -> None:
        """Let go of the pool; the last user of it closes its connections."""
        self._closed = True
        await SHARED.release(self)

    @asynccontextmanager
    async def lock(self) -> AsyncIterator[None]:
        """Hold the build lock: an advisory lock of a connection of its own.

        It goes with the connection, so a process that dies lets go of it. That a lost connection
        lets another build start is harmless: correctness rests on the compare-and-swap.
        """
        pool = self._pool()
        async with contextlib.AsyncExitStack() as stack:
            connection = await within(self._seconds, pool.connect())
            stack.push_async_callback(_close, connection)
            with driver_errors():
                cursor = await connection.execute(
                    "SELECT pg_try_advisory_lock(hashtextextended(%s, 0))",
                    (f"orrery:build:{self._config.schema_name}",),
                )
                row = await cursor.fetchone()
            if row is None or not row[0]:
                raise SyncRunning("another sync is running on this index")
            yield

    async def sources(self) -> list[str]:
        """Ids of the sources that the active load shows."""

        async def work(db: Connection) -> list[str]:
            return [row["source"] for row in await loads.rows(db, "sources")]

        return await self._read_or([], work, "sources")

    async def known(self, source: str) -> Mapping[str, KnownDocument]:
        """See `KnowledgeIndex.known`."""
        empty: dict[str, KnownDocument] = {}
        return await self._read_or(
            empty, lambda db: loads.known(db, source), "known", BUILD_SECONDS
        )

    async def begin(self, fingerprint: str | None, details: Mapping[str, Any]) -> LoadRecord:
        """See `KnowledgeIndex.begin`."""
        return await self._write(
            lambda db: loads.begin(db, fingerprint, details), "begin", BUILD_SECONDS
        )

    async def write(self, load: int, documents: Sequence[IndexedDocument]) -> int:
        """See `KnowledgeIndex.write`."""
        return await self._write(
            lambda db: writing.write(db, load, documents), "write", BUILD_SECONDS
        )

    async def remove(self, load: int, source: str, paths: Sequence[str]) -> int:
        """See `KnowledgeIndex.remove`."""
        return await self._write(
            lambda db: loads.remove(db, load, source, paths), "remove", BUILD_SECONDS
        )

    async def describe(self, source: str, provenances: Sequence[Provenance]) -> int:
        """See `KnowledgeIndex.describe`."""
        return await self._write(
            lambda db: loads.describe(db, source, provenances), "describe", BUILD_SECONDS
        )

    async def missing_vectors(self, fingerprint: str, keys: Sequence[str]) -> list[str]:
        """See `KnowledgeIndex.missing_vectors`."""
        unique = list(dict.fromkeys(keys))
        return await self._read_or(
            unique, lambda db: vectors.missing(db, fingerprint, unique), "missing_vectors"
        )

    async def store_vectors(self, fingerprint: str, keys: Sequence[str], vectors_: Vectors) -> None:
        """See `KnowledgeIndex.store_vectors`."""
        await self._write(
            lambda db: vectors.store(db, fingerprint, keys, vectors_),
            "store_vectors",
            BUILD_SECONDS,
        )

    async def prepare(self, load: int) -> None:
        """See `KnowledgeIndex.prepare`."""
        await self._maintain(lambda db: upkeep.prepare(db, load, self._config.hnsw))
        self._prepared = load

    async def check(self, load: int) -> LoadRecord:
        """See `KnowledgeIndex.check`."""
        found = await self._write(lambda db: loads.check(db, load), "check", BUILD_SECONDS)
        if self._prepared == load:  # what was written since is little
            await self._maintain(upkeep.clean_pending)
        else:
            await self.prepare(load)
        return found

    async def activate(self, load: int) -> LoadRecord:
        """See `KnowledgeIndex.activate`."""
        return await self._write(lambda db: loads.activate(db, load), "activate", BUILD_SECONDS)

    async def abandon(self, load: int) -> None:
        """See `KnowledgeIndex.abandon`."""
        await self._write(lambda db: loads.abandon(db, load), "abandon", BUILD_SECONDS)

    async def loads(self) -> list[LoadRecord]:
        """See `KnowledgeIndex.loads`."""

        async def work(db: Connection) -> list[LoadRecord]:
            return [loads.to_record(row) for row in await loads.rows(db, "loads")]

        return await self._read_or([], work, "loads")

    async def rollback(self, to: int | None = None) -> LoadRecord:
        """See `KnowledgeIndex.rollback`."""
        return await self._write(lambda db: loads.rollback(db, to), "rollback", BUILD_SECONDS)

    async def resume(self) -> None:
        """See `KnowledgeIndex.resume`."""
        await self._write(lambda db: loads.run(db, "release"), "resume")

    async def gc(self, keep: int = 5, min_age_seconds: float = 600) -> int:
        """See `KnowledgeIndex.gc`."""
        return await self._write(
            lambda db: loads.gc(db, keep, min_age_seconds), "gc", BUILD_SECONDS
        )

    async def set_eligible(
        self, document: tuple[str, str, str], digest: str, eligible: bool, decision: int
    ) -> int:
        """See `KnowledgeIndex.set_eligible`."""
        return await self._write(
            lambda db: loads.set_eligible(db, document, digest, eligible, decision), "set_eligible"
        )

    async def visible(self) -> list[tuple[str, str, str, str]]:
        """See `KnowledgeIndex.visible`."""

        async def work(db: Connection) -> list[tuple[str, str, str, str]]:
            cursor = await db.execute(loads.SQL["visible"])
            return [(row[0], row[1], row[2], row[3]) for row in await cursor.fetchall()]

        return await self._read_or([], work, "visible", BUILD_SECONDS)

    async def filters(self) -> set[tuple[str, str | None]]:
        """See `KnowledgeIndex.filters`."""

        async def work(db: Connection) -> set[tuple[str, str | None]]:
            cursor = await db.execute(loads.SQL["filters"])
            return {(row[0], row[1]) for row in await cursor.fetchall()}

        return await self._read_or(set(), work, "filters")

    async def outline(self) -> list[OutlinedChunk]:
        """See `KnowledgeIndex.outline`."""

        async def work(db: Connection) -> list[OutlinedChunk]:
            cursor = await db.execute(loads.SQL["outline"])
            return [outlined_chunk(row) for row in await cursor.fetchall()]

        return await self._read_or([], work, "outline", BUILD_SECONDS)

    async def verify(self, *, repair: bool = False) -> list[str]:
        """See `KnowledgeIndex.verify`."""
        hnsw = self._config.hnsw
        try:
            await ensure_readable(self._pool())
        except NoIndexYet:
            return []
        return await self._write(
            lambda db: verify(db, repair=repair, hnsw=hnsw), "verify", BUILD_SECONDS
        )

    def _pool(self) -> Pool:
        if self._closed:
            raise BackendUnavailable("the index is closed")
        return SHARED.get(self._key, self)

    async def _pointer(self, column: str) -> int:
        async def work(db: Connection) -> int:
            return int((await loads.row(db, "pointer"))[column])

        return await self._read_or(0, work, "pointer")

    async def _read_or(
        self, default: T, work: Work[T], operation: str, seconds: float | None = None
    ) -> T:
        """Read on one connection, or answer `default` when no sync has run yet."""

        async def on(pool: Pool) -> T:
            async with pool.connection(check=False) as connection:
                if seconds is None:
                    return await work(connection)
                async with connection.transaction():
                    await _allow(connection, seconds)
                    return await work(connection)

        return await self._reading(default, on, operation, seconds)

    async def _reading(
        self,
        default: T,
        work: Callable[[Pool], Awaitable[T]],
        operation: str,
        seconds: float | None = None,
    ) -> T:
        """Read, once more on sound connections when one turns out to be lost."""

        async def twice() -> T:
            pool = self._pool()
            await ensure_readable(pool)
            try:
                return await work(pool)
            except ConnectionLost:
                await pool.mend()
                return await work(pool)

        with self._span(operation):
            try:
                return await within(seconds or self._seconds, twice())
            except NoIndexYet:
                return default

    async def _write(self, work: Work[T], operation: str, seconds: float | None = None) -> T:
        """Change something in one transaction: all of it is committed, or nothing."""

        async def once() -> T:
            pool = self._pool()
            await ensure_migrated(pool)
            async with pool.connection() as connection, connection.transaction():
                await _allow(connection, seconds or self._seconds)
                return await work(connection)

        with self._span(operation):
            return await within((seconds or self._seconds) + self._seconds, once())

    def _span(self, operation: str) -> AbstractContextManager[object]:
        return database_span(
            system="postgresql",
            operation=operation,
            namespace=self._config.schema_name,
            address=self._address,
        )

    async def _maintain(self, work: Work[None]) -> None:
        """Do what has to hold its locks briefly, so each statement is a transaction of its own."""

        async def once() -> None:
            async with self._pool().connection() as connection:
                await _allow(connection, BUILD_SECONDS, local=False)
                try:
                    await work(connection)
                finally:
                    if not connection.broken:
                        seconds = self._config.statement_timeout_seconds
                        await _allow(connection, seconds, local=False)

        await within(BUILD_SECONDS + self._seconds, once())


async def _allow(connection: Connection, seconds: float, *, local: bool = True) -> None:
    """Set how long a statement may take, by default until the end of the transaction."""
    await connection.execute(
        "SELECT set_config('statement_timeout', %s, %s)", (str(round(seconds * 1000)), local)
    )


async def _close(connection: Connection) -> None:
    with contextlib.suppress(psycopg.Error):
        await connection.close()
