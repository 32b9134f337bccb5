"""Request bodies, read no further than they may go, and not too many of them at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import Request

READ_SECONDS = 10.0
"""How long a body may take to arrive."""

IN_FLIGHT = 64 * 1024 * 1024
"""Bytes of all bodies that are read or worked on; read as JSON they take several times that."""


class Refused(Exception):
    """A request that is not looked at.

    Args:
        code: HTTP status.
        reason: one line for whoever sent it.
        retry_after: seconds after which it may be sent again; None says nothing of that.
    """

    def __init__(self, code: int, reason: str, *, retry_after: int | None = None) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.retry_after = retry_after


class Bodies:
    """The bodies of one server.

    Args:
        total: bytes of all that are held at once.
    """

    def __init__(self, total: int = IN_FLIGHT) -> None:
        self._total = total
        self._held = 0

    @asynccontextmanager
    async def read(self, request: Request, limit: int) -> AsyncIterator[bytes]:
        """The body of a request; it counts as held until it is done with.

        Args:
            request: whose body nobody has read.
            limit: bytes.

        Raises:
            Refused: it is larger, takes too long, or too many others are held.
        """
        too_large = Refused(413, f"the body is larger than {limit // 1024} KiB")
        declared = request.headers.get("content-length", "")
        if declared.isascii() and declared.isdigit() and int(declared[:20]) > limit:
            raise too_large
        body = bytearray()
        try:
            try:
                async with asyncio.timeout(READ_SECONDS):
                    async for piece in request.stream():
                        if self._held + len(piece) > self._total:
                            raise Refused(503, "too many requests at once", retry_after=5)
                        body += piece
                        self._held += len(piece)
                        if len(body) > limit:
                            raise too_large
            except TimeoutError:
                raise Refused(408, "the body did not arrive in time") from None
            yield bytes(body)
        finally:
            self._held -= len(body)
