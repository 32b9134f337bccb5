"""The approximate index (HNSW): opt-in, measured before it is used, checked each time it is.

A graph search under a filter may find next to nothing, and single queries fail on their own; so it
serves only searches without a filter, its recall is measured against exact search whenever a load
is built, and a search that it leaves short is done exactly.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Mapping
from typing import Any

import numpy as np
from pgvector import HalfVector
from psycopg.sql import Literal

from orrery_knowledge.backends.pgvector.config import Hnsw
from orrery_knowledge.backends.pgvector.pools import Connection
from orrery_knowledge.backends.pgvector.sql import Sql, VectorTables
from orrery_knowledge.backends.pgvector.statistics import SQL as SEARCH

SQL = Sql("approximate.sql")
logger = logging.getLogger(__name__)

EF_FACTOR = 4
"""Candidates that a graph search keeps, as a multiple of those asked for; below it single queries
were seen to find nothing of the exact neighbours."""

EF_LIMIT = 1000
"""The most that pgvector takes."""

PROBES = 24
"""Queries of a recall probe."""

PROBE_POOL = 50
"""Neighbours that each of them asks for."""


async def near(
    connection: Connection,
    tables: VectorTables,
    hnsw: Hnsw,
    values: Mapping[str, Any],
    pool: int,
) -> list[int]:
    """Nearest chunks by the graph; fewer than asked for when its scan was stopped."""
    async with connection.transaction():
        await connection.execute(
            SQL["scan"],
            {
                "ef": str(min(EF_LIMIT, max(40, EF_FACTOR * pool))),
                "most": str(hnsw.max_scan_tuples),
            },
        )
        cursor = await connection.execute(SEARCH.on("near", tables), values)
        return [row[0] for row in await cursor.fetchall()]


async def make_index(connection: Connection, tables: VectorTables, hnsw: Hnsw) -> None:
    """Build the graph, on a connection in autocommit mode; PostgreSQL keeps it up to date."""
    await connection.execute(
        SQL.on("create", tables, m=Literal(hnsw.m), ef=Literal(hnsw.ef_construction))
    )


async def probe(
    connection: Connection, tables: VectorTables, hnsw: Hnsw, load: int
) -> dict[str, Any]:
    """Measure the recall of a load's graph against exact search, and note it on the load.

    The queries lie between two stored vectors each, because a stored one always finds itself.

    Returns:
        ``recall`` (mean share of the exact neighbours), ``queries`` and, where it isn't used, the
        ``reason``.
    """
    cursor = await connection.execute(SQL.on("sample", tables), {"load": load, "limit": 2 * PROBES})
    stored = [row[0].to_numpy().astype(np.float32) for row in await cursor.fetchall()]
    random.Random(load).shuffle(stored)  # noqa: S311 - a sample, no secret
    shares: list[float] = []
    for left, right in zip(stored[::2], stored[1::2], strict=False):
        between = left + right
        values = {
            "load": load,
            "corpus": None,
            "service": None,
            "vector": HalfVector(between / max(float(np.linalg.norm(between)), 1e-6)),
            "limit": PROBE_POOL,
        }
        exact_cursor = await connection.execute(SEARCH.on("nearest", tables), values)
        exact = {row[0] for row in await exact_cursor.fetchall()}
        found = set(await near(connection, tables, hnsw, values, PROBE_POOL))
        shares.append(len(exact & found) / len(exact) if exact else 1.0)
    recall = sum(shares) / len(shares) if shares else 1.0
    result: dict[str, Any] = {"recall": round(recall, 4), "queries": len(shares)}
    if recall < hnsw.min_recall:
        result["reason"] = refusal(recall, hnsw)
        logger.warning("load %d: %s", load, result["reason"])
    return result


def refusal(recall: float, hnsw: Hnsw) -> str:
    """Why an approximate index isn't used."""
    return (
        f"the approximate index is not used: it finds {recall:.2f} of the exact neighbours, and "
        f"{hnsw.min_recall:.2f} are asked for; searches are exact"
    )
