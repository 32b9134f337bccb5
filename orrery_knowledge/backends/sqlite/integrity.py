"""Is the file itself whole? Damaged pages, which queries that don't touch them never notice.

A nightly `verify` can afford SQLite's full check of every table and its indexes (measured: about
70 MB a second); before an activation the quick one has to do (about 600 MB a second), which leaves
out whether an index says what its table says.
"""

from __future__ import annotations

import sqlite3

from orrery_knowledge.errors import BackendUnavailable

ADVICE = (
    "the file is damaged; delete it and run sync again, or run verify --repair (it can always be "
    "rebuilt)"
)

_INTERRUPTIONS = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_LOCKED)


class DamagedIndex(BackendUnavailable):
    """The file can't be trusted any more; it can always be rebuilt.

    Args:
        reason: for people.
        tables: which are damaged; empty when nobody has looked.
    """

    def __init__(self, reason: str, tables: tuple[str, ...] = ()) -> None:
        super().__init__(reason)
        self.tables = tables


def check_file(db: sqlite3.Connection) -> None:
    """Look through the whole file.

    Raises:
        DamagedIndex: names the damaged tables, or ``"file"`` for what lies between them. (Raised,
            so that the transaction is rolled back: SQLite can't even commit a read there.)
    """
    tables = [
        str(row[0])
        for row in db.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY name"
        )
    ]
    damaged = [name for name in tables if not _is_whole(db, f"integrity_check('{name}')")]
    if not damaged and not _is_whole(db, "quick_check(1)"):
        damaged = ["file"]
    if damaged:
        raise DamagedIndex(ADVICE, tuple(damaged))


def refuse_damaged(db: sqlite3.Connection) -> None:
    """Look for damaged pages before a load is activated.

    Raises:
        DamagedIndex: there are.
    """
    if not _is_whole(db, "quick_check(1)"):
        raise DamagedIndex(f"index: {ADVICE}")


def is_full_text_whole(db: sqlite3.Connection) -> bool:
    """Whether the full-text table's own structure is sound; needs a write transaction."""
    try:
        db.execute("INSERT INTO passage (passage) VALUES ('integrity-check')")
    except sqlite3.DatabaseError as error:
        if _primary(error) != sqlite3.SQLITE_CORRUPT:
            raise
        return False
    return True


def _is_whole(db: sqlite3.Connection, check: str) -> bool:
    try:
        return [row[0] for row in db.execute(f"PRAGMA {check}")] == ["ok"]
    except sqlite3.DatabaseError as error:
        if _primary(error) in _INTERRUPTIONS:
            raise
        return False


def _primary(error: sqlite3.DatabaseError) -> int:
    # The low byte is the primary code; the rest says where it happened.
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
