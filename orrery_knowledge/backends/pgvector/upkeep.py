"""Indexes and statistics, made when a load's rows are written and before it is activated."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Final, LiteralString

from psycopg.sql import SQL as Text
from psycopg.sql import Identifier

from orrery_knowledge.backends.pgvector import approximate, loads, vectors
from orrery_knowledge.backends.pgvector.config import Hnsw
from orrery_knowledge.backends.pgvector.pools import Connection
from orrery_knowledge.backends.pgvector.sql import Sql, VectorTables

SQL = Sql("upkeep.sql")

ANALYZE_SHARE = 0.1
"""The planner's statistics are renewed when a load wrote more than this share of all chunks."""

MAKE: Final[Mapping[str, LiteralString]] = {
    "passage_words": "make_words",
    "passage_names": "make_names",
    "passage_document": "make_documents",
    "passage_service": "make_services",
    "passage_corpus": "make_corpora",
    "passage_vector": "make_keys",
}
MAKE_NEAREST: Final[Mapping[str, LiteralString]] = {
    "document": "make_nearest_documents",
    "service": "make_nearest_services",
    "corpus": "make_nearest_corpora",
}


async def prepare(connection: Connection, load: int, hnsw: Hnsw | None) -> None:
    """Make a load ready to be searched, on a connection in autocommit mode.

    The indexes are made after the first load's rows: built at once they take a fraction of the
    time. Later loads find them there; what they added to the full-text ones is moved out of the
    pending list, which every search would have to read from end to end.
    """
    # Where something is active, decisions must be able to change rows meanwhile.
    active = await loads.number(connection, "pointer")
    how = Text("CONCURRENTLY" if active else "")
    for index in await _absent(connection, MAKE):
        await connection.execute(SQL.filled(MAKE[index], how=how))
    await clean_pending(connection)
    fresh = await loads.number(connection, "new_chunks", load=load)
    total = (await loads.row(connection, "count_visible", load=load))["chunks"]
    tables = await vectors.tables_of(connection, (await loads.record(connection, load)).fingerprint)
    if tables is not None:
        by_name = {f"{tables.nearest}_{name}": made for name, made in MAKE_NEAREST.items()}
        for index in await _absent(connection, by_name):
            await connection.execute(SQL.on(by_name[index], tables, how=how))
    if fresh > ANALYZE_SHARE * total:
        await connection.execute(SQL["analyze"])
        if tables is not None:
            await connection.execute(SQL.on("analyze_nearest", tables))
    if tables is not None:
        await _approximate(connection, tables, load, hnsw)


async def clean_pending(connection: Connection) -> None:
    """Move what was written into the body of the full-text indexes."""
    await connection.execute(SQL["clean_pending"])


async def _approximate(
    connection: Connection, tables: VectorTables, load: int, hnsw: Hnsw | None
) -> None:
    """Make or drop the approximate index, and measure it."""
    await vectors.know_vectors(connection)
    if hnsw is None:
        await connection.execute(approximate.SQL.on("drop", tables))
        return
    if await _absent(connection, [tables.hnsw]):
        await approximate.make_index(connection, tables, hnsw)
    found = await approximate.probe(connection, tables, hnsw, load)
    await connection.execute(approximate.SQL["note"], {"load": load, "probe": json.dumps(found)})


async def _absent(connection: Connection, names: Iterable[str]) -> list[str]:
    """Which of some indexes have to be made; what an interruption left of one is taken away."""
    wanted = list(names)
    cursor = await connection.execute(SQL["sound"], {"names": wanted})
    sound = {row[0] for row in await cursor.fetchall()}
    absent = [name for name in wanted if name not in sound]
    for name in absent:
        await connection.execute(SQL.filled("drop_unsound", index=Identifier(name)))
    return absent
