"""The obvious SQL on the same server: one wide table, `ts_rank_cd`, `<=>`, RRF in a statement."""

from __future__ import annotations

import re
import time
from typing import LiteralString

import psycopg
from pgvector.psycopg import register_vector_async
from psycopg import sql
from psycopg.rows import TupleRow
from psycopg_pool import AsyncConnectionPool

from bench.corpus import Batch
from bench.engines import Answer
from bench.queries import PASSAGES, POOL, Asked
from bench.server import Server
from orrery_knowledge.preparation import embedding_text

SCHEMA: LiteralString = """
CREATE TABLE passage (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    path text NOT NULL,
    corpus text NOT NULL,
    service text,
    eligible boolean NOT NULL,
    active boolean NOT NULL,
    body text NOT NULL,
    search tsvector GENERATED ALWAYS AS (to_tsvector('english', body)) STORED,
    embedding vector(384) NOT NULL
)
"""
INDEXES: LiteralString = """
CREATE INDEX ON passage USING gin (search);
CREATE INDEX ON passage (service)
"""
SEARCH: LiteralString = """
WITH asked AS (SELECT to_tsquery('english', %(words)s) AS words),
lexical AS (
    SELECT id, row_number() OVER (ORDER BY score DESC, id) AS rank FROM (
        SELECT p.id, ts_rank_cd(p.search, a.words) AS score
        FROM passage p, asked a
        WHERE p.search @@ a.words AND p.eligible AND p.active
          AND (%(service)s::text IS NULL OR p.service = %(service)s)
        ORDER BY score DESC, p.id LIMIT %(pool)s) best),
semantic AS (
    SELECT id, row_number() OVER (ORDER BY distance, id) AS rank FROM (
        SELECT p.id, p.embedding <=> %(vector)s AS distance
        FROM passage p
        WHERE p.eligible AND p.active
          AND (%(service)s::text IS NULL OR p.service = %(service)s)
        ORDER BY distance LIMIT %(pool)s) best),
fused AS (
    SELECT id, coalesce(1.0 / (60 + l.rank), 0) + coalesce(1.0 / (60 + s.rank), 0) AS score
    FROM lexical l FULL JOIN semantic s USING (id)
    ORDER BY score DESC, id LIMIT %(pool)s)
SELECT f.id, CASE WHEN row_number() OVER (ORDER BY f.score DESC, f.id) <= %(passages)s
             THEN p.body END
FROM fused f JOIN passage p USING (id) ORDER BY f.score DESC, f.id
"""
TIMEOUT_SECONDS = 20
"""A search that takes longer is cancelled and counts as this long, which flatters the engine."""

_WORD = re.compile(r"\w+")


def or_query(text: str) -> str:
    """A tsquery of every word of a text, each once, joined by OR."""
    return " | ".join(f"'{word}'" for word in dict.fromkeys(_WORD.findall(text.lower())))


class ObviousEngine:
    """What a first version looks like; default planner settings."""

    name = "obvious"

    def __init__(self, url: str, server: Server | None = None) -> None:
        self._url = url
        self._server = server
        self._open = False
        self._made = False
        self._pool: AsyncConnectionPool[psycopg.AsyncConnection[TupleRow]] = AsyncConnectionPool(
            url,
            kwargs={"autocommit": True, "options": f"-c statement_timeout={TIMEOUT_SECONDS}s"},
            min_size=1,
            max_size=8,
            open=False,
            configure=register_vector_async,
        )

    async def add(self, batch: Batch) -> None:
        """See `Engine.add`."""
        await self._opened()
        async with self._pool.connection() as connection, connection.transaction():
            if not self._made:
                await connection.execute(SCHEMA)
                self._made = True
            statement = sql.SQL(
                "COPY passage (path, corpus, service, eligible, active, body, embedding) "
                "FROM STDIN (FORMAT BINARY)"
            )
            async with connection.cursor() as cursor, cursor.copy(statement) as copy:
                copy.set_types(["text", "text", "text", "bool", "bool", "text", "vector"])
                vectors = iter(batch.vectors)
                for document in batch.documents:
                    for item in document.chunks:
                        await copy.write_row(
                            (
                                document.path,
                                document.corpus,
                                document.service,
                                document.eligible,
                                True,
                                embedding_text(item.chunk),
                                next(vectors),
                            )
                        )

    async def finish(self) -> None:
        """See `Engine.finish`."""
        async with self._pool.connection() as connection:
            await connection.execute(INDEXES)
            await connection.execute("VACUUM ANALYZE passage")

    async def search(self, asked: Asked, *, shared: bool = False) -> Answer:
        """See `Engine.search`."""
        await self._opened()
        values = {
            "words": or_query(asked.text),
            "vector": asked.vector,
            "service": asked.service,
            "pool": POOL,
            "passages": PASSAGES,
        }
        async with self._pool.connection() as connection:
            try:
                rows = await (await connection.execute(SEARCH, values)).fetchall()
            except psycopg.errors.QueryCanceled:
                return Answer(0, ())
        return Answer(len(rows), tuple(row[1] for row in rows if row[1] is not None))

    def cpu_seconds(self) -> float:
        """See `Engine.cpu_seconds`."""
        return time.process_time() + (self._server.cpu_seconds() if self._server else 0.0)

    async def size(self) -> int:
        """See `Engine.size`."""
        return self._server.size(self.name) if self._server else 0

    async def close(self) -> None:
        """See `Engine.close`."""
        await self._pool.close()

    async def _opened(self) -> None:
        if not self._open:
            await self._pool.open()
            self._open = True
