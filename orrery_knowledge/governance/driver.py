"""Everything of the ledger that depends on the database engine, and the mapping of its errors."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from orrery_knowledge.errors import BackendUnavailable, ConfigurationError, MissingExtra
from orrery_knowledge.governance.digests import framed_digest
from orrery_knowledge.sqlite_faults import Fault, fault_of, sentence

_WRITE = "orrery_write"
# How long a writer waits for another process to commit. A commit takes milliseconds.
_BUSY_SECONDS = 15

_WORDS = {
    Fault.FULL: "can't grow: the disk is full, or a quota is used up; make room and try again",
    Fault.LIMIT: (
        "can't grow: this process may write files of at most {limit} bytes; raise that limit "
        "(ulimit -f)"
    ),
    Fault.READ_ONLY: (
        "can't be written: it is read-only; make its folder writable, or set `state` or `ledger` "
        "to a place that is"
    ),
    Fault.CLOSED: (
        "can't be opened; check the path, and that this user may write it and its folder"
    ),
    Fault.LOCKED: "is locked by another process; try again",
    Fault.DAMAGED: (
        "is damaged, or is no ledger: restore it from your backup. It alone holds every decision "
        "on trust, the texts that wait for a review and the evidence; never delete it to get going"
    ),
    Fault.BROKEN: "can't be read or written: the disk reports an error; look at the system's log",
    Fault.MEMORY: "needs more memory than there is",
}


def read_url(where: str | Path) -> sa.URL:
    """Check a ledger's URL; `sqlite` and `postgresql` without a driver get the one used here.

    Args:
        where: a URL, or the path of a SQLite file (in a URL ``?``, ``#`` and ``%`` need escapes).

    Raises:
        ConfigurationError: no URL, another engine, or SQLite without a file.
    """
    if isinstance(where, Path):
        return sa.URL.create("sqlite+aiosqlite", database=str(where))
    try:
        url = sa.make_url(where)
    except (ArgumentError, ValueError):
        raise ConfigurationError(
            "the ledger's url can't be read; write sqlite+aiosqlite:///.orrery/ledger.db"
        ) from None
    if url.drivername in ("sqlite", "postgresql", "postgres"):
        default = {"sqlite": "sqlite+aiosqlite"}.get(url.drivername, "postgresql+psycopg")
        url = url.set(drivername=default)
    if url.drivername not in ("sqlite+aiosqlite", "postgresql+psycopg"):
        raise ConfigurationError(
            "the ledger's url must start with sqlite+aiosqlite:// or postgresql+psycopg://"
        )
    database = url.database or ""
    if is_sqlite(url) and (not database or database == ":memory:" or database.startswith("file:")):
        raise ConfigurationError("the ledger needs the plain path of a file: it must outlive us")
    return url


def is_sqlite(url: sa.URL) -> bool:
    """Whether the ledger is a file."""
    return url.get_backend_name() == "sqlite"


def shown(url: sa.URL) -> str:
    """The ledger's name in messages: a path, or a server and database. Never a password."""
    if is_sqlite(url):
        return f"the ledger {url.database}"
    return f"the ledger at {url.host or 'localhost'}:{url.port or 5432}/{url.database or ''}"


def file_of(url: sa.URL) -> Path:
    """The file of a SQLite ledger."""
    return Path(url.database or "")


def make_engine(url: sa.URL) -> AsyncEngine:
    """The engine that a ledger works with; opens no connection yet."""
    engine = create_async_engine(url, pool_pre_ping=not is_sqlite(url))
    prepare(engine.sync_engine)
    return engine


def make_sync_engine(url: sa.URL) -> sa.Engine:
    """An engine for opening and migrating, which happens in a worker thread.

    Raises:
        MissingExtra: the driver is not installed.
    """
    plain = url.set(drivername="sqlite+pysqlite") if is_sqlite(url) else url
    try:
        engine = sa.create_engine(plain, poolclass=sa.NullPool)
    except ModuleNotFoundError:
        raise MissingExtra("pgvector", "psycopg") from None
    prepare(engine)
    return engine


def prepare(engine: sa.Engine) -> None:
    """Make SQLite connections durable and their transactions explicit."""
    if engine.dialect.name != "sqlite":
        return

    @sa.event.listens_for(engine, "connect")
    def on_connect(connection: Any, record: object) -> None:
        # None stops the driver from guessing where transactions begin.
        connection.isolation_level = None
        try:
            cursor = connection.cursor()
            cursor.execute(f"PRAGMA busy_timeout = {_BUSY_SECONDS * 1000}")
            # FULL: in WAL mode NORMAL may lose the last commits when the machine loses power.
            cursor.execute("PRAGMA synchronous = FULL")
            cursor.close()
        except BaseException:
            # Nobody else knows this connection yet, and its thread would outlive the event loop.
            connection.close()
            raise

    @sa.event.listens_for(engine, "begin")
    def on_begin(connection: sa.Connection) -> None:
        # IMMEDIATE: a writer that starts as a reader can't wait for another one, only fail.
        writes = connection.get_execution_options().get(_WRITE)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def writer(engine: AsyncEngine) -> AsyncEngine:
    """The same engine for transactions that write."""
    return engine.execution_options(**{_WRITE: True})


def sync_writer(engine: sa.Engine) -> sa.Engine:
    """The same for migrations."""
    return engine.execution_options(**{_WRITE: True})


def use_wal(engine: sa.Engine) -> None:
    """Let readers and a writer work side by side; kept in the file, so it is set once."""
    if engine.dialect.name == "sqlite":
        connection = engine.raw_connection()
        try:
            connection.cursor().execute("PRAGMA journal_mode = WAL")
        finally:
            connection.close()


def lock_number(name: str) -> int:
    """PostgreSQL's number of an advisory lock: 63 bits of the name's digest."""
    return int(framed_digest("orrery-lock", name)[:16], 16) >> 1


async def serialise(connection: AsyncConnection, name: str) -> None:
    """Let one transaction of this name in at a time, until it ends.

    Numbers must be committed in their order: whoever has seen 7 must not have missed 6. SQLite has
    one writer anyway.
    """
    if connection.dialect.name == "postgresql":
        await connection.execute(sa.select(sa.func.pg_advisory_xact_lock(lock_number(name))))


@contextmanager
def mapped(url: sa.URL) -> Iterator[None]:
    """Turn every error of driver and file system into one of ours; no SQL, no values.

    Raises:
        BackendUnavailable: the ledger can't be used, and why.
    """
    try:
        yield
    except DBAPIError as error:
        raise _ours(url, error.orig) from error
    except (SQLAlchemyError, sqlite3.Error, OverflowError, UnicodeEncodeError, OSError) as error:
        raise _ours(url, error) from error
    except ValueError as error:
        # A stored value that is none: bytes were changed behind the engine's back.
        raise BackendUnavailable(f"{shown(url)} {_WORDS[Fault.DAMAGED]}") from error


def _ours(url: sa.URL, error: BaseException | None) -> BackendUnavailable:
    fault = fault_of(error, file_of(url)) if is_sqlite(url) else None
    if fault is not None:
        return BackendUnavailable(f"{shown(url)} {sentence(fault, _WORDS)}")
    return BackendUnavailable(f"{shown(url)} does not answer ({type(error).__name__})")
