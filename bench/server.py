"""A PostgreSQL of our own for the length of a run, and what it costs."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import psycopg
from psycopg.sql import SQL, Identifier

TESTS = Path(__file__).parents[1] / "tests"
SETTINGS = {
    "shared_buffers": "1GB",
    "maintenance_work_mem": "256MB",
    "max_wal_size": "8GB",
    "log_min_messages": "panic",  # a search that is cancelled ends its parallel workers
}
"""Besides the launcher's own, which save the disk: nothing here is worth keeping."""

_TICKS = os.sysconf("SC_CLK_TCK")
_NANOSECONDS = 1e9


class Server:
    """Hands out URLs, one database for each engine and size, and reads the server's clocks."""

    def __init__(self, launched: Any) -> None:
        self._launched = launched
        self.url: str = launched.url()
        with psycopg.connect(self.url) as connection:
            row = connection.execute("SHOW server_version").fetchone()
            found = connection.execute(
                "SELECT default_version FROM pg_available_extensions WHERE name = 'vector'"
            ).fetchone()
        self.version = f"{row[0] if row else '?'} with pgvector {found[0] if found else '?'}"

    def make_database(self, name: str) -> str:
        """URL of a new database with the extension."""
        with psycopg.connect(self.url, autocommit=True) as admin:
            admin.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
        url: str = self._launched.url(name)
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("CREATE EXTENSION vector")
        return url

    def drop_database(self, name: str) -> None:
        """Remove it, whoever is connected."""
        statement = SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)")
        with psycopg.connect(self.url, autocommit=True) as admin:
            admin.execute(statement.format(Identifier(name)))

    def size(self, name: str) -> int:
        """Bytes of a database."""
        with psycopg.connect(self.url) as connection:
            row = connection.execute("SELECT pg_database_size(%s::text::name)", (name,)).fetchone()
        return int(row[0]) if row else 0

    def cpu_seconds(self) -> float:
        """Processor time of every process of the server so far, ended ones included; 0 off Linux.

        Living ones are read to the nanosecond, ended ones (parallel workers) to the clock tick.
        """
        total = 0.0
        with contextlib.suppress(OSError):
            postmaster = self._launched.pid
            children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
            fields = Path(f"/proc/{postmaster}/stat").read_text().rpartition(")")[2].split()
            total += (int(fields[13]) + int(fields[14])) / _TICKS  # cutime, cstime
            for child in children:
                with contextlib.suppress(OSError):
                    on_cpu = Path(f"/proc/{child}/schedstat").read_text().split()[0]
                    total += int(on_cpu) / _NANOSECONDS
        return total


@contextlib.contextmanager
def running_server() -> Iterator[Server]:
    """The launcher of the test suite: private folder, unix socket, gone with this process."""
    sys.path.insert(0, str(TESTS))
    try:
        launcher = import_module("postgres_server")
    finally:
        sys.path.remove(str(TESTS))
    launched = launcher.PostgresServer(SETTINGS)
    try:
        yield Server(launched)
    finally:
        launched.stop()
