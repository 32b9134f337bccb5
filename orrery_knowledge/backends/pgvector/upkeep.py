"""Indexes and statistics, made when a load's rows are written and before it is activated."""

from __future__ import annotations

import json
from typing import Final

from orrery_knowledge.backends.pgvector import approximate, loads, vectors
from orrery_knowledge.backends.pgvector.config import Hnsw
from orrery_knowledge.backends.pgvector.pools import Connection
from orrery_knowledge.backends.pgvector.sql import Sql

SQL = Sql("upkeep.sql")

ANALYZE_SHARE = 0.1
"""The planner's statistics are renewed when a load wrote more than this share of all chunks."""

MAKE: Final = ("make_words", "make_names", "make_documents", "make_services", "make_keys")
MAKE_NEAREST: Final = ("make_nearest_documents", "make_nearest_services")


async def prepare(connection: Connection, load: int, hnsw: Hnsw | None) -> None:
    """Make a load ready to be searched, on a connection in autocommit mode.

    The indexes are made after the first load's rows: built at once they take a fraction of the
    time. Later loads find them there; what they added to the full-text ones is moved out of the
    pending list, which every search would have to read from end to end.
    """
    for name in MAKE:
        await connection.execute(SQL[name])
    await connection.execute(SQL["clean_pending"])
    fresh = await loads.number(connection, "new_chunks", load=load)
    total = (await loads.row(connection, "count_visible", load=load))["chunks"]
    tables = await vectors.tables_of(connection, (await loads.record(connection, load)).fingerprint)
    if tables is not None:
        for name in MAKE_NEAREST:
            await connection.execute(SQL.on(name, tables))
    if fresh > ANALYZE_SHARE * total:
        await connection.execute(SQL["analyze"])
        if tables is not None:
            await connection.execute(SQL.on("analyze_nearest", tables))
    if tables is None:
        return
    await vectors.know_vectors(connection)
    if hnsw is None:
        await connection.execute(approximate.SQL.on("drop", tables))
        return
    await approximate.make_index(connection, tables, hnsw)
    found = await approximate.probe(connection, tables, hnsw, load)
    await connection.execute(approximate.SQL["note"], {"load": load, "probe": json.dumps(found)})
