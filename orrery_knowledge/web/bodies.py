"""Request bodies, read no further than they may go."""

from __future__ import annotations

import asyncio

from fastapi import Request

READ_SECONDS = 10.0
"""How long a body may take to arrive."""


class Refused(Exception):
    """A request that is not looked at.

    Args:
        code: HTTP status.
        reason: one line for whoever sent it.
    """

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


async def read_body(request: Request, limit: int) -> bytes:
    """The body of a request.

    Args:
        request: whose body nobody has read.
        limit: bytes.

    Raises:
        Refused: it is larger, or takes too long.
    """
    too_large = Refused(413, f"the body is larger than {limit // 1024} KiB")
    declared = request.headers.get("content-length", "")
    if declared.isascii() and declared.isdigit() and int(declared[:20]) > limit:
        raise too_large
    body = bytearray()
    try:
        async with asyncio.timeout(READ_SECONDS):
            async for piece in request.stream():
                body += piece
                if len(body) > limit:
                    raise too_large
    except TimeoutError:
        raise Refused(408, "the body did not arrive in time") from None
    return bytes(body)
