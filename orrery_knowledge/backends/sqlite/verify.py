"""Does the SQLite index hold what it says? Drift inside the store, found and mended."""

from __future__ import annotations

import sqlite3

from orrery_knowledge.backends.sqlite import loads


def verify(db: sqlite3.Connection, *, repair: bool) -> list[str]:
    """Compare bodies, search tables and vectors with the documents of the active load.

    Args:
        db: a connection inside a transaction (a write transaction to repair).
        repair: rebuild the search tables; lost bodies and vectors need a sync, which reads those
            documents again by itself.

    Returns:
        one line a problem; empty when all is well.
    """
    pointer = db.execute(loads.SQL["pointer"]).fetchone()
    if not pointer["active"]:
        return []
    problems = [
        f"{row['source']}: {row['path']}: chunks are missing; the next sync reads it again"
        for row in db.execute(loads.SQL["lost_bodies"])
    ]
    expected = [row[0] for row in db.execute(loads.SQL["searchable_chunks"])]
    held = [row[0] for row in db.execute(loads.SQL["passage_chunks"])]
    if expected != held:
        lost, extra = len(set(expected) - set(held)), len(set(held) - set(expected))
        problems.append(f"full-text table: {lost} chunks missing, {extra} too many")
    names = db.execute(loads.SQL["identifier_rows"]).fetchone()
    if names["held"] != names["expected"]:
        problems.append(f"identifier table: {names['held']} rows instead of {names['expected']}")
    fingerprint = loads.record(db, pointer["active"]).fingerprint
    if fingerprint is not None:
        key = {"load": pointer["active"], "fingerprint": fingerprint}
        if missing := db.execute(loads.SQL["without_vector"], key).fetchone()[0]:
            problems.append(
                f"{missing} chunks without a vector; the next sync reads their documents again"
            )
    if repair and problems:
        loads.rebuild(db)
    return problems
