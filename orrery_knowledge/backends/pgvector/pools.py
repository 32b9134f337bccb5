"""Connection pools that a process shares by URL, one for each event loop.

psycopg's pool belongs to the event loop that opened it, and a process may run several, one after
the other (a command line, tests) or at once (threads). The pools are kept by loop, and those of a
loop that has ended are closed when the next one is asked for.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import AsyncIterator, Coroutine
from typing import Any, NamedTuple, TypeVar
from weakref import WeakKeyDictionary, WeakSet

from psycopg import AsyncConnection, Error, OperationalError
from psycopg.rows import TupleRow
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from orrery_knowledge.backends.pgvector.driver_errors import (
    NAME,
    ConnectionLost,
    driver_errors,
    reason,
)
from orrery_knowledge.backends.pgvector.tsvectors import register_lexemes
from orrery_knowledge.errors import BackendUnavailable

T = TypeVar("T")
Connection = AsyncConnection[TupleRow]

RECONNECT_SECONDS = 0.1
"""How long the pool goes on trying by itself; whoever asks next tries again at once, so that a
server that is back is found without a growing delay."""

IDLE_IN_TRANSACTION_SECONDS = 120
"""A client that is frozen inside a transaction holds the pointer no longer than this."""

SETTINGS = """
SELECT set_config('search_path', concat_ws(', ', quote_ident(%(schema)s), coalesce((
           SELECT quote_ident(n.nspname) FROM pg_extension e
           JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'), 'public')),
           false),
       set_config('statement_timeout', %(statement_timeout)s, false),
       set_config('idle_in_transaction_session_timeout', %(idle)s, false),
       set_config('timezone', 'UTC', false),
       -- A plan made for one query's words is a bad one for the next.
       set_config('plan_cache_mode', 'force_custom_plan', false),
       set_config('jit', 'off', false),
       set_config('max_parallel_workers_per_gather', '0', false)
"""


class _WithoutDetails(logging.Filter):
    """Takes the driver's words out of the pool's log: they repeat parts of the URL."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args, record.exc_info = "a connection of the pool failed", (), None
        return True


_WITHOUT_DETAILS = _WithoutDetails()


class PoolKey(NamedTuple):
    """What two indexes must have in common to share a pool."""

    url: str
    schema: str
    size: int
    statement_timeout: float
    connect_timeout: float


class Pool:
    """A bounded pool on one event loop; connections are in autocommit mode.

    Attributes:
        migrated: whether our tables are known to be there and up to date.
        searches: how many are in flight on it.
    """

    def __init__(self, key: PoolKey) -> None:
        self.key = key
        self.migrated = False
        self.searches = 0
        self.users: WeakSet[object] = WeakSet()
        self._connections: WeakSet[Connection] = WeakSet()
        self._failed = asyncio.Event()
        self._failure: Error | None = None
        self._opening = asyncio.Lock()
        self._guard: asyncio.Task[None] | None = None
        logging.getLogger("psycopg.pool").addFilter(_WITHOUT_DETAILS)  # once, however often
        self._pool: AsyncConnectionPool[Connection] = AsyncConnectionPool(
            key.url,
            connection_class=_recording(self),
            kwargs=self.options,
            min_size=0,
            max_size=key.size,
            timeout=key.connect_timeout,
            reconnect_timeout=RECONNECT_SECONDS,
            reconnect_failed=self._note_failure,
            configure=self._configure,
            open=False,
        )

    @property
    def options(self) -> dict[str, Any]:
        """What every connection is made with, pooled or not."""
        return {
            "autocommit": True,
            "application_name": "orrery-knowledge",
            "connect_timeout": max(1, round(self.key.connect_timeout)),
        }

    @contextlib.asynccontextmanager
    async def connection(self, *, check: bool = True) -> AsyncIterator[Connection]:
        """A connection out of the pool.

        Args:
            check: make sure that it still answers. A search doesn't spend the round trip: it is
                repeated when its connection turns out to be lost.

        Raises:
            ConnectionLost: it broke while it was used.
            BackendUnavailable: none can be had within the timeout.
        """
        with driver_errors():
            connection = await self._sound() if check else await self._get()
            try:
                yield connection
            except OperationalError as error:
                if connection.closed:
                    raise ConnectionLost(f"{NAME}: {reason(error)}") from error
                raise
            finally:
                await self._pool.putconn(connection)

    async def connect(self) -> AsyncConnection[TupleRow]:
        """A connection outside the pool; whoever asks for it closes it."""
        with driver_errors():
            return await AsyncConnection.connect(self.key.url, **self.options)

    async def mend(self) -> None:
        """Replace the connections that are lost."""
        with driver_errors():
            await self._pool.check()

    async def close(self) -> None:
        """Close every connection."""
        if self._guard is not None:
            self._guard.cancel()
            await asyncio.wait({self._guard})

    def finish(self) -> None:
        """Close the sockets of a pool whose loop is gone."""
        for connection in list(self._connections):
            connection.pgconn.finish()

    async def _sound(self) -> Connection:
        """A connection that has just answered; broken ones are replaced."""
        for _ in range(self.key.size):
            connection = await self._get()
            try:
                await AsyncConnectionPool.check_connection(connection)
            except Error:
                await self._pool.putconn(connection)
            except BaseException:
                await self._pool.putconn(connection)
                raise
            else:
                return connection
        return await self._get()

    async def _get(self) -> Connection:
        """Wait for a connection, or for the news that none can be made."""
        if self._pool.closed:
            await self._open()
        if self._pool.get_stats().get("pool_available"):
            return await self._pool.getconn()
        getting = asyncio.ensure_future(self._pool.getconn())
        try:
            while not getting.done():
                self._failed.clear()
                failing = asyncio.ensure_future(self._failed.wait())
                try:
                    await asyncio.wait({getting, failing}, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    failing.cancel()
                # While there are other connections one will come back (and the pool's own timeout
                # bounds the wait); without any, there is nothing to wait for.
                if not (getting.done() or self._pool.get_stats().get("pool_size")):
                    failure = self._failure or PoolTimeout()
                    raise BackendUnavailable(f"{NAME}: {reason(failure)}") from failure
            return await getting
        except BaseException:
            # It may get a connection in spite of being cancelled, now or in a moment.
            getting.add_done_callback(self._give_back)
            getting.cancel()
            raise

    def _give_back(self, getting: asyncio.Task[Connection]) -> None:
        if not getting.cancelled() and getting.exception() is None:
            keep(asyncio.ensure_future(self._pool.putconn(getting.result())))

    async def _open(self) -> None:
        async with self._opening:
            if self._pool.closed:
                await self._pool.open(wait=False)
                self._guard = asyncio.create_task(self._close_with_the_loop())

    async def _close_with_the_loop(self) -> None:
        """Close the pool when the event loop cancels everything at its end.

        The pool's own tasks take a cancellation for a failed connection and go on, so a loop that
        ends before `close` was called would wait for them for ever.
        """
        try:
            await asyncio.Event().wait()
        finally:
            await self._pool.close()

    async def _note_failure(self, _: AsyncConnectionPool[Connection]) -> None:
        self._failed.set()

    async def _configure(self, connection: Connection) -> None:
        self._connections.add(connection)
        await connection.execute(
            SETTINGS,
            {
                "schema": self.key.schema,
                "statement_timeout": _milliseconds(self.key.statement_timeout),
                "idle": _milliseconds(IDLE_IN_TRANSACTION_SECONDS),
            },
        )
        register_lexemes(connection)


def _recording(pool: Pool) -> type[Connection]:
    """A connection class that keeps why a connection failed: the pool only logs it."""

    class Recording(AsyncConnection[TupleRow]):
        @classmethod
        async def connect(cls, *args: Any, **kwargs: Any) -> Any:
            try:
                return await super().connect(*args, **kwargs)
            except Error as error:
                pool._failure = error
                raise

    return Recording


class Pools:
    """The pools of a process, by event loop and `PoolKey`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[PoolKey, Pool]]
        self._by_loop = WeakKeyDictionary()

    def get(self, key: PoolKey, user: object) -> Pool:
        """The running loop's pool, on which `user` counts until it lets go of it."""
        loop = asyncio.get_running_loop()
        with self._lock:
            for other in [other for other in self._by_loop if other.is_closed()]:
                for pool in self._by_loop.pop(other).values():
                    pool.finish()
            pools = self._by_loop.setdefault(loop, {})
            if key not in pools:
                pools[key] = Pool(key)
            pools[key].users.add(user)
            return pools[key]

    async def release(self, user: object) -> None:
        """Let go of every pool; the running loop's are closed with their last user."""
        loop = asyncio.get_running_loop()
        unused: list[Pool] = []
        with self._lock:
            for other, pools in self._by_loop.items():
                for key, pool in list(pools.items()):
                    pool.users.discard(user)
                    if other is loop and not pool.users:
                        unused.append(pools.pop(key))
        for pool in unused:
            await pool.close()


SHARED = Pools()
"""Filled on use; however often a process opens the same index, it has one set of connections."""


async def within(seconds: float, work: Coroutine[Any, Any, T]) -> T:
    """Run `work`, but wait for it no longer than `seconds`, even if the server hangs.

    A statement is cancelled on the server too; that may take a few seconds more when the server
    doesn't answer at all, and goes on behind the caller's back.

    Raises:
        BackendUnavailable: it took longer.
    """
    task = asyncio.ensure_future(work)
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
    except asyncio.CancelledError:
        _drop(task)
        raise
    if not done:
        _drop(task)
        raise BackendUnavailable(f"{NAME}: no answer within {seconds:g} seconds")
    return task.result()


_kept: set[asyncio.Task[Any]] = set()


def keep(task: asyncio.Task[T]) -> None:
    """Let a task end on its own; what it raises is nobody's business any more."""
    _kept.add(task)  # the event loop alone would let it be collected

    def forget(_: asyncio.Task[T]) -> None:
        _kept.discard(task)
        if not task.cancelled():
            task.exception()

    task.add_done_callback(forget)


def _drop(task: asyncio.Task[T]) -> None:
    """Cancel a task without waiting for it."""
    keep(task)
    task.cancel()


def _milliseconds(seconds: float) -> str:
    return str(max(1, round(seconds * 1000)))
