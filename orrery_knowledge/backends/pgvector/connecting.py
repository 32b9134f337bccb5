"""How a search gets its connections."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

from orrery_knowledge.backends.pgvector.pools import Connection, Pool

AT_ONCE = 4
"""Statements that a search sends together, each on a connection of its own."""


class Connect(Protocol):
    """Gives connections for reading.

    Attributes:
        one: whether it is the same one each time, so that holding two would wait for ever.
    """

    @property
    def one(self) -> bool:
        """See above."""
        ...

    def __call__(self) -> AbstractAsyncContextManager[Connection]:
        """One connection, for the length of a block."""
        ...


class Several:
    """A connection of the pool each time."""

    one = False

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def __call__(self) -> AbstractAsyncContextManager[Connection]:
        """See `Connect`."""
        return self._pool.connection(check=False)


class InTurn:
    """One connection for a whole search, whose statements then follow each other.

    With many searches in flight they all wait for the same processors, and asking the pool for a
    connection four times over only adds to the work.
    """

    one = True

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._turn = asyncio.Lock()

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[Connection]:
        """See `Connect`."""
        async with self._turn:
            yield self._connection
