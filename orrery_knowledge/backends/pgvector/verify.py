"""Does the PostgreSQL index hold what it says? Drift inside the store, found and mended."""

from __future__ import annotations

from orrery_knowledge.backends.pgvector import approximate, loads, vectors
from orrery_knowledge.backends.pgvector.config import Hnsw
from orrery_knowledge.backends.pgvector.pools import Connection


async def verify(connection: Connection, *, repair: bool, hnsw: Hnsw | None) -> list[str]:
    """Compare bodies, intervals, frequencies and vectors with the documents of the active load.

    Args:
        connection: inside a transaction.
        repair: mend what can be; lost bodies and vectors need a sync, which reads those documents
            again by itself.
        hnsw: settings of the approximate index, when it is on.

    Returns:
        one line a problem; empty when all is well.
    """
    active = (await loads.row(connection, "pointer"))["active"]
    if not active:
        return []
    lost = await loads.rows(connection, "lost_bodies", active=active)
    problems = [
        f"{row['source']}: {row['path']}: chunks are missing; the next sync reads it again"
        for row in lost
    ]
    strayed = {row["id"] for row in await loads.rows(connection, "strayed")}
    for tables in await vectors.every_table(connection):
        cursor = await connection.execute(loads.SQL.on("strayed_nearest", tables))
        strayed.update(row[0] for row in await cursor.fetchall())
    if strayed:
        problems.append(f"{len(strayed)} documents are not searched as their loads say")
    totals = await loads.row(connection, "searchable")
    miscounted = await loads.number(connection, "miscounted_words", active=active)
    if miscounted or totals["chunks"] != totals["there"]:
        problems.append(
            f"frequencies: {miscounted} words miscounted, {totals['chunks']} chunks instead of "
            f"{totals['there']}"
        )
    record = await loads.record(connection, active)
    current = await vectors.tables_of(connection, record.fingerprint)
    if current is not None:
        if repair:
            await vectors.fill_load(connection, current, active)
        statement = loads.SQL.on("without_vector", current)
        row = await (await connection.execute(statement, {"active": active})).fetchone()
        if row is not None and row[0]:
            problems.append(
                f"{row[0]} chunks without a vector; the next sync reads their documents again"
            )
    recall = record.details.get("hnsw", {}).get("recall")
    if hnsw is not None and recall is not None and recall < hnsw.min_recall:
        problems.append(approximate.refusal(recall, hnsw))
    if repair and problems:
        await loads.follow(connection, sorted(strayed))
        await loads.recount(connection)
    return problems
