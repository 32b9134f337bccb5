"""A database that is opened, used in transactions, and closed; what a ledger stands on."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Self

from sqlalchemy.exc import DatabaseError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from orrery_knowledge.errors import BackendUnavailable
from orrery_knowledge.governance.driver import (
    is_sqlite,
    make_engine,
    mapped,
    read_url,
    serialise,
    shown,
    writer,
)
from orrery_knowledge.governance.locks import DecisionLock
from orrery_knowledge.governance.migrate import bring_up_to_date, is_there


class Connected:
    """Opening, closing and transactions.

    Args:
        url: SQLAlchemy URL, ``sqlite+aiosqlite:///.orrery/ledger.db`` or
            ``postgresql+psycopg://...``; a path means a SQLite file.

    Raises:
        ConfigurationError: the URL can't be used.
    """

    def __init__(self, url: str | Path) -> None:
        self._url = read_url(url)
        self._engine: AsyncEngine | None = None
        self._lock: DecisionLock | None = None

    async def open(self) -> None:
        """Connect; create or migrate the schema where needed. Safe to call twice.

        Raises:
            ConfigurationError: the schema is newer than this code.
            BackendUnavailable: the path can't be used, or the database does not answer.
        """
        if self._engine is None:
            await bring_up_to_date(self._url)
        if self._engine is None:  # still: two tasks may have opened it at once
            self._engine = make_engine(self._url)
            self._lock = DecisionLock(self._url, self._engine)

    async def exists(self) -> bool:
        """Whether it was ever opened, by anybody; what only reads has nothing to create.

        Raises:
            BackendUnavailable: the database does not answer.
        """
        return self._engine is not None or await is_there(self._url)

    async def close(self) -> None:
        """Close every connection; safe to call twice."""
        engine, self._engine, self._lock = self._engine, None, None
        if engine is not None:
            with mapped(self._url):
                await engine.dispose()

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def is_damaged(self) -> bool:
        """Whether a SQLite file has damaged pages; a server looks after its own.

        Raises:
            BackendUnavailable: the database does not answer.
        """
        if not is_sqlite(self._url):
            return False
        with mapped(self._url):
            async with self._open_engine().connect() as connection:
                try:
                    found = await connection.exec_driver_sql("PRAGMA integrity_check(1)")
                    return found.scalars().all() != ["ok"]
                except DatabaseError as error:
                    if getattr(error.orig, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_CORRUPT:
                        raise
                    return True

    def decision_lock(self, patience: float = 30) -> AbstractAsyncContextManager[None]:
        """Keep everybody else from deciding, so that an index can be brought in step.

        Holds across processes; whoever holds it may decide, and take it again.

        Args:
            patience: seconds to wait for it.

        Raises:
            BackendUnavailable: somebody else held it all that time.
        """
        if self._lock is None:
            raise self._not_open()
        return self._lock.hold(patience)

    @asynccontextmanager
    async def _read(self) -> AsyncIterator[AsyncConnection]:
        with mapped(self._url):
            async with self._open_engine().connect() as connection:
                yield connection

    @asynccontextmanager
    async def _write(self, name: str | None = None) -> AsyncIterator[AsyncConnection]:
        """One transaction; of those with the same name one runs at a time."""
        with mapped(self._url):
            async with writer(self._open_engine()).begin() as connection:
                if name is not None:
                    await serialise(connection, name)
                yield connection

    def _open_engine(self) -> AsyncEngine:
        if self._engine is None:
            raise self._not_open()
        return self._engine

    def _not_open(self) -> BackendUnavailable:
        return BackendUnavailable(f"{shown(self._url)} is not open")
