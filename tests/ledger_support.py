"""Looks at a ledger's tables, and touches them, past the ledger itself."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from orrery_knowledge.governance.driver import make_sync_engine, read_url


def change(url: str, statement: str) -> None:
    """Run a statement past the ledger, as somebody with access to the database could."""
    with make_sync_engine(read_url(url)).begin() as connection:
        connection.exec_driver_sql(statement)


def everything(url: str) -> str:
    """Every value of every table, and for a file also its raw bytes and those beside it."""
    engine = make_sync_engine(read_url(url))
    tables = sa.MetaData()
    tables.reflect(engine)
    with engine.connect() as connection:
        rows = [
            str(row) for table in tables.sorted_tables for row in connection.execute(table.select())
        ]
    if url.startswith("sqlite"):
        folder = Path(url.partition("///")[2]).parent
        rows += [file.read_bytes().decode("latin-1") for file in folder.iterdir()]
    assert rows
    return "\n".join(rows)
