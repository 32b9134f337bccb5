"""The decision lock: while it is held, nobody else decides."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar

import sqlalchemy as sa
from filelock import FileLock, Timeout
from sqlalchemy.ext.asyncio import AsyncEngine

from orrery_knowledge.errors import BackendUnavailable
from orrery_knowledge.governance.driver import file_of, is_sqlite, lock_number, mapped, shown

_POLL_SECONDS = 0.05


class _Hold:
    def __init__(self, owner: DecisionLock) -> None:
        self.owner = owner
        self.active = True


_holds: ContextVar[tuple[_Hold, ...]] = ContextVar("orrery_decision_holds", default=())


class DecisionLock:
    """A lock across tasks and processes, which the task that holds it may take again.

    It keeps what the ledger says and what an index shows in step; that decisions exclude each other
    does not rest on it, but on their transactions. A lock file for SQLite, an advisory lock for
    PostgreSQL: both end with their process.
    """

    def __init__(self, url: sa.URL, engine: AsyncEngine) -> None:
        self._url = url
        self._engine = engine
        self._here = asyncio.Lock()

    @asynccontextmanager
    async def hold(self, patience: float) -> AsyncIterator[None]:
        """Hold it; waits up to `patience` seconds.

        Raises:
            BackendUnavailable: somebody else held it all that time.
        """
        before = _holds.get()
        if any(hold.active and hold.owner is self for hold in before):
            yield
            return
        deadline = time.monotonic() + patience
        try:
            await asyncio.wait_for(self._here.acquire(), patience)
        except TimeoutError:
            raise self._busy() from None
        try:
            across = self._file if is_sqlite(self._url) else self._advisory
            async with across(deadline):
                mine = _Hold(self)
                _holds.set((*before, mine))
                try:
                    yield
                finally:
                    # Tasks started meanwhile have copied the tuple: the flag reaches them too.
                    mine.active = False
                    _holds.set(before)
        finally:
            self._here.release()

    @asynccontextmanager
    async def _file(self, deadline: float) -> AsyncIterator[None]:
        path = file_of(self._url)
        with mapped(self._url):
            lock = FileLock(path.with_name(path.name + ".decisions.lock"), thread_local=False)
        while True:
            with mapped(self._url), suppress(Timeout):
                # One attempt takes microseconds, so a cancelled wait can leave nothing half held.
                lock.acquire(blocking=False)
                break
            await self._pause(deadline)
        try:
            yield
        finally:
            lock.release()

    @asynccontextmanager
    async def _advisory(self, deadline: float) -> AsyncIterator[None]:
        number = lock_number("decisions")
        with mapped(self._url):
            connection = await self._engine.connect()
        try:
            # A lock of the session, outside transactions: an idle one would hold back vacuum.
            await connection.execution_options(isolation_level="AUTOCOMMIT")
            while True:
                with mapped(self._url):
                    query = sa.select(sa.func.pg_try_advisory_lock(number))
                    if (await connection.execute(query)).scalar():
                        break
                await self._pause(deadline)
            yield
        finally:
            # Not back into the pool: only the end of the session is sure to release it.
            await connection.invalidate()
            await connection.close()

    async def _pause(self, deadline: float) -> None:
        if time.monotonic() >= deadline:
            raise self._busy()
        await asyncio.sleep(_POLL_SECONDS)

    def _busy(self) -> BackendUnavailable:
        return BackendUnavailable(f"{shown(self._url)} is held by another decision or sync")
