"""How a search gets its connections."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from orrery_knowledge.backends.pgvector.pools import Connection, Pool

AT_ONCE = 3
"""Statements that a search sends together, each on a connection of its own."""

Connect = Callable[[], AbstractAsyncContextManager[Connection]]
"""Gives a connection for reading, for the length of a block."""


def of_the_pool(pool: Pool) -> Connect:
    """A connection of the pool each time."""
    return lambda: pool.connection(check=False)


def in_turn(connection: Connection) -> Connect:
    """One connection for a whole search, whose statements then follow each other.

    With many searches in flight they all wait for the same processors, and asking the pool for a
    connection three times over only adds to the work.
    """
    turn = asyncio.Lock()

    @asynccontextmanager
    async def connect() -> AsyncIterator[Connection]:
        async with turn:
            yield connection

    return connect
