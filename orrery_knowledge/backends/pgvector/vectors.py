"""Vectors of one fingerprint: two tables each, and who knows which (rule 7)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from pgvector import Vector
from pgvector.psycopg import register_vector_async
from psycopg import errors

from orrery_knowledge.backends.pgvector.pools import Connection
from orrery_knowledge.backends.pgvector.sql import Sql, VectorTables
from orrery_knowledge.errors import EmbedderError
from orrery_knowledge.protocols import Vectors

SQL = Sql("vectors.sql")

INLINE_DIMENSIONS = 4000
"""Longer vectors don't fit into one page with their row, so they go out of line."""


async def know_vectors(connection: Connection) -> None:
    """Teach a connection the vector types; it has to ask the server for their numbers once."""
    if connection.adapters.types.get("halfvec") is None:
        await register_vector_async(connection)


async def tables_of(connection: Connection, fingerprint: str | None) -> VectorTables | None:
    """The tables of a fingerprint; None without one, or while it has no vector."""
    if fingerprint is None:
        return None
    cursor = await connection.execute(SQL["fingerprint"], {"fingerprint": fingerprint})
    row = await cursor.fetchone()
    return VectorTables(*row) if row else None


async def every_table(connection: Connection) -> list[VectorTables]:
    """The tables of all fingerprints."""
    cursor = await connection.execute(SQL["fingerprints"])
    return [VectorTables(*row[:2]) for row in await cursor.fetchall()]


async def missing(connection: Connection, fingerprint: str, keys: Sequence[str]) -> list[str]:
    """Those of `keys` without a vector, in order."""
    tables = await tables_of(connection, fingerprint)
    if tables is None:
        return list(keys)
    wanted = [bytes.fromhex(key) for key in keys]
    cursor = await connection.execute(SQL.on("held", tables), {"keys": wanted})
    held = {bytes(row[0]).hex() for row in await cursor.fetchall()}
    return [key for key in keys if key not in held]


async def store(
    connection: Connection, fingerprint: str, keys: Sequence[str], vectors: Vectors
) -> None:
    """Store vectors, inside a transaction; a key that is there is left as it is.

    Raises:
        EmbedderError: a vector is not made of finite numbers.
    """
    values = np.asarray(vectors, dtype=np.float32)
    if not len(keys):
        return
    if not np.isfinite(values).all():
        raise EmbedderError("the embedder gave a vector that is not made of finite numbers")
    await know_vectors(connection)
    tables = await _make(connection, fingerprint, values.shape[1])
    by_key = dict(zip(keys, values, strict=True))
    try:
        async with connection.transaction():
            await _copy(connection, tables, by_key)
    except errors.UniqueViolation:  # the caller did not ask first, or somebody was faster
        rows = [{"key": bytes.fromhex(key), "value": Vector(by_key[key])} for key in by_key]
        await connection.cursor().executemany(SQL.on("insert", tables), rows)


async def fill(connection: Connection, tables: VectorTables, chunks: Sequence[int]) -> None:
    """Let exact searches scan some chunks (once their load is active)."""
    await connection.execute(SQL.on("fill", tables), {"chunks": list(chunks)})


async def fill_load(connection: Connection, tables: VectorTables, load: int) -> None:
    """The same for what a load shows and whose vectors came after its rows."""
    cursor = await connection.execute(SQL.on("unfilled", tables), {"load": load})
    if chunks := [row[0] for row in await cursor.fetchall()]:
        await fill(connection, tables, chunks)


async def gc(connection: Connection) -> None:
    """Drop fingerprints that no kept load needs, and vectors that no chunk needs."""
    cursor = await connection.execute(SQL["unused"])
    for row in await cursor.fetchall():
        await connection.execute(SQL.on("drop", VectorTables(*row[:2])))
        await connection.execute(SQL["drop_fingerprint"], {"id": row[0]})
    for tables in await every_table(connection):
        await connection.execute(SQL.on("gc", tables))


async def _make(connection: Connection, fingerprint: str, dimensions: int) -> VectorTables:
    tables = await tables_of(connection, fingerprint)
    if tables is None:
        values = {"fingerprint": fingerprint, "dimensions": dimensions}
        # Of two that are at it, the second waits here for the first one's transaction.
        row = await (await connection.execute(SQL["add_fingerprint"], values)).fetchone()
        if row is None:
            return await _make(connection, fingerprint, dimensions)
        tables = VectorTables(row[0], dimensions)
        await connection.execute(SQL.on("create", tables))
        if dimensions <= INLINE_DIMENSIONS:
            await connection.execute(SQL.on("inline", tables))
    if tables.dimensions != dimensions:
        raise EmbedderError(
            f"the embedder gave vectors of {dimensions} numbers, after {tables.dimensions} before"
        )
    return tables


async def _copy(connection: Connection, tables: VectorTables, vectors: dict[str, Vectors]) -> None:
    async with (
        connection.cursor() as cursor,
        cursor.copy(SQL.on("copy", tables)) as copy,
    ):
        copy.set_types(["bytea", "vector"])
        for key, value in vectors.items():
            await copy.write_row((bytes.fromhex(key), value))
