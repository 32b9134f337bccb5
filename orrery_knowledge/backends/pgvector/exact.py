"""The exact scan of the vectors: whole, or in two halves at once.

A scan spends its time waiting for memory, on one processor. Two connections that share a snapshot
scan half of the table each, and see the same rows, wherever an update moves one meanwhile.
(Parallel workers do the same, but starting them takes as long as they save.)
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from psycopg.sql import SQL as Text
from psycopg.sql import Literal

from orrery_knowledge.backends.pgvector.connecting import Connect
from orrery_knowledge.backends.pgvector.pools import Connection
from orrery_knowledge.backends.pgvector.sql import VectorTables
from orrery_knowledge.backends.pgvector.statistics import SQL
from orrery_knowledge.backends.pgvector.vectors import know_vectors

LARGE = 50_000
"""Chunks from which on two halves save more than the statements around them cost."""

Neighbours = list[tuple[int, float]]


async def whole(
    connection: Connection, tables: VectorTables, values: Mapping[str, Any]
) -> list[int]:
    """Nearest chunks, best first."""
    cursor = await connection.execute(SQL.on("nearest", tables), values)
    return [row[0] for row in await cursor.fetchall()]


async def in_halves(connect: Connect, tables: VectorTables, values: Mapping[str, Any]) -> list[int]:
    """The same without filters, on two connections."""
    async with connect() as connection:
        await know_vectors(connection)
        async with connection.transaction():
            await connection.execute(SQL["one_snapshot"])
            cursor = await connection.execute(SQL["share"], {"table": tables.nearest})
            row = await cursor.fetchone()
            if row is None:
                return []
            snapshot, middle = row
            asked = {**values, "middle": f"({middle},0)"}
            first, second = await asyncio.gather(
                _half(connection, tables, asked), _other_half(connect, snapshot, tables, asked)
            )
    # Each is sorted; of equal distances the one that is scanned first comes first.
    best = sorted([*first, *second], key=lambda found: found[1])
    return [chunk for chunk, _ in best[: values["limit"]]]


async def _half(
    connection: Connection, tables: VectorTables, values: Mapping[str, Any]
) -> Neighbours:
    cursor = await connection.execute(SQL.on("nearest_before", tables), values)
    return [(row[0], row[1]) for row in await cursor.fetchall()]


async def _other_half(
    connect: Connect, snapshot: str, tables: VectorTables, values: Mapping[str, Any]
) -> Neighbours:
    async with connect() as connection:
        await know_vectors(connection)
        async with connection.transaction():
            await connection.execute(SQL["one_snapshot"])
            share = Text("SET TRANSACTION SNAPSHOT {}").format(Literal(snapshot))
            await connection.execute(share)
            cursor = await connection.execute(SQL.on("nearest_after", tables), values)
            return [(row[0], row[1]) for row in await cursor.fetchall()]
