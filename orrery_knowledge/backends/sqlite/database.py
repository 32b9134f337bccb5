"""One SQLite file behind asyncio: a connection a thread, and errors in our own words."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path
from typing import TypeVar

from tenacity import retry, retry_if_exception, stop_after_delay, wait_random

from orrery_knowledge.backends.sqlite.integrity import ADVICE, DamagedIndex
from orrery_knowledge.errors import BackendUnavailable, ConfigurationError, KnowledgeError
from orrery_knowledge.sqlite_faults import Fault, fault_of, sentence
from orrery_knowledge.telemetry import database_span

T = TypeVar("T")

SQLITE_FLOOR = (3, 40, 0)
"""Oldest SQLite that the statements here were tried with."""

BUSY_SECONDS = 30.0
"""How long a writer waits for another process's short transaction."""

_MIGRATIONS = "orrery_knowledge.backends.sqlite.migrations"


class Database:
    """Runs work on one SQLite file, each piece in a transaction of its own.

    Reads see one snapshot from their first statement to their last (WAL), whatever is committed
    meanwhile. Nothing is opened before the first use.

    Args:
        path: the database file; its folder is created by the first write.
        readers: how many reads may run at once.
    """

    def __init__(self, path: Path, *, readers: int = 4) -> None:
        self.path = path
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._guard = threading.Lock()
        self._readers = ThreadPoolExecutor(readers, thread_name_prefix="orrery-sqlite-read")
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="orrery-sqlite-write")
        self._migrated = False

    async def read(self, work: Callable[[sqlite3.Connection], T], operation: str = "read") -> T:
        """Run `work` on a snapshot.

        Args:
            work: gets a connection inside a transaction.
            operation: names the span.

        Raises:
            BackendUnavailable: there is no database, or it can't be read.
        """
        with database_span(system="sqlite", operation=operation, namespace=self.path.name):
            return await self._run(self._readers, lambda: self._in_transaction(work, "DEFERRED"))

    async def write(self, work: Callable[[sqlite3.Connection], T], operation: str = "write") -> T:
        """Run `work` in a write transaction: all of it is committed, or nothing."""
        with database_span(system="sqlite", operation=operation, namespace=self.path.name):
            return await self._run(self._writer, lambda: self._in_transaction(work, "IMMEDIATE"))

    async def close(self) -> None:
        """Close every connection; safe to call twice."""
        await asyncio.to_thread(self._shutdown)

    def _shutdown(self) -> None:
        self._readers.shutdown(wait=True)
        self._writer.shutdown(wait=True)
        with self._guard:
            for connection in self._connections:
                connection.close()
            self._connections.clear()

    async def _run(self, pool: ThreadPoolExecutor, work: Callable[[], T]) -> T:
        try:
            future = asyncio.get_running_loop().run_in_executor(pool, work)
        except RuntimeError as error:  # the pool is shut down
            raise BackendUnavailable("the index is closed") from error
        return await future

    def _in_transaction(self, work: Callable[[sqlite3.Connection], T], mode: str) -> T:
        with _mapped(self.path):
            connection = self._connection(create=mode == "IMMEDIATE")
            connection.execute(f"BEGIN {mode}")
            try:
                result = work(connection)
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")
            return result

    def _connection(self, *, create: bool) -> sqlite3.Connection:
        existing: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if existing is not None:
            if self._local.file == self._file():
                return existing
            # The index was deleted, and maybe built anew, while this process went on.
            self._local.connection = None
            with self._guard:
                self._connections.remove(existing)
            existing.close()
        if sqlite3.sqlite_version_info < SQLITE_FLOOR:
            raise ConfigurationError(
                f"this Python has SQLite {sqlite3.sqlite_version}; 3.40 or newer is needed"
            )
        if not self.path.exists():
            if not create:
                raise NoIndexYet(
                    f"nothing is indexed yet ({self.path.name}); run: orrery-knowledge sync"
                )
            self.path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(
            self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        with self._guard:
            self._connections.append(connection)
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA page_size = 8192")
        _write_ahead(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA mmap_size = 268435456")
        connection.execute("PRAGMA temp_store = MEMORY")
        if create:
            # The writer's, in KiB and pages: with the defaults, filling a large index reads its
            # pages again and again, and copies the same ones out of the WAL every other batch.
            connection.execute("PRAGMA cache_size = -65536")
            connection.execute("PRAGMA wal_autocheckpoint = 4000")
        self._migrate(connection)
        self._local.connection, self._local.file = connection, self._file()
        return connection

    @property
    def file(self) -> tuple[int, int] | None:
        """Which file this thread's connection reads, apart from its name."""
        file: tuple[int, int] | None = getattr(self._local, "file", None)
        return file

    def _file(self) -> tuple[int, int] | None:
        try:
            status = self.path.stat()
        except FileNotFoundError:
            return None
        return status.st_dev, status.st_ino

    def _migrate(self, connection: sqlite3.Connection) -> None:
        scripts = sorted(
            (file for file in files(_MIGRATIONS).iterdir() if file.name.endswith(".sql")),
            key=lambda file: file.name,
        )
        if self._version(connection) == len(scripts):
            return
        connection.execute("BEGIN IMMEDIATE")
        try:
            version = self._version(connection)
            if version > len(scripts):
                raise ConfigurationError(
                    f"{self.path.name} was written by a newer orrery-knowledge; upgrade, or delete "
                    "the file and sync again (the index can always be rebuilt)"
                )
            for number, script in enumerate(scripts[version:], start=version + 1):
                for statement in _split(script.read_text(encoding="utf-8")):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {number}")
            connection.execute("COMMIT")
        except BaseException:
            # SQLite may have rolled back by itself: then this would fail, and hide the reason.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    @staticmethod
    def _version(connection: sqlite3.Connection) -> int:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _locked(error: BaseException) -> bool:
    return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY


@retry(
    retry=retry_if_exception(_locked),
    wait=wait_random(0.01, 0.05),
    stop=stop_after_delay(BUSY_SECONDS),
    reraise=True,
)
def _write_ahead(connection: sqlite3.Connection) -> None:
    """Switch to WAL. SQLite itself doesn't wait there for others that have just made the file."""
    connection.execute("PRAGMA journal_mode = WAL")


class NoIndexYet(BackendUnavailable):
    """No sync has run yet."""


def _split(script: str) -> Iterator[str]:
    """The statements of a script, by SQLite's own idea of completeness."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


@contextlib.contextmanager
def _mapped(path: Path) -> Iterator[None]:
    """Turn every error of the driver or file system into ours; messages carry no SQL."""
    try:
        yield
    except KnowledgeError:
        raise
    except (sqlite3.Error, OSError) as error:
        fault = fault_of(error, path)
        kind = DamagedIndex if fault is Fault.DAMAGED else BackendUnavailable
        if fault is not None:
            reason = sentence(fault, _WORDS)
        elif isinstance(error, OSError):
            reason = error.strerror or type(error).__name__
        else:
            reason = f"SQLite refused ({type(error).__name__})"
        raise kind(f"index {path.name}: {reason}") from error


_WORDS = {
    Fault.FULL: (
        "the disk is full; what was active stays active; make room: searches need a little too"
    ),
    Fault.LIMIT: (
        "this process may write files of at most {limit} bytes; raise that limit (ulimit -f); "
        "what was active stays active"
    ),
    Fault.READ_ONLY: (
        "it can't be written, it is read-only; make its folder writable, or set `state` to one "
        "that is"
    ),
    Fault.CLOSED: "it can't be opened; check the folder's permissions",
    Fault.LOCKED: "another process has kept it locked for too long",
    Fault.DAMAGED: ADVICE,
    Fault.BROKEN: "the disk reports an error; look at the system's log",
    Fault.MEMORY: "it needs more memory than there is",
}
