"""Clients that are slow, or say nothing."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest
from fastapi import FastAPI

from orrery_knowledge.web import server


@pytest.mark.parametrize(
    "said",
    [
        [],
        [b"GET /nothing HTTP/1.1\r\nHost: loc"],
        [b"GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n", b"GET /noth"],
    ],
)
async def test_a_connection_that_stays_silent_is_closed(
    said: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "IDLE_SECONDS", 0.3)
    told: asyncio.Queue[str] = asyncio.Queue()
    serving = asyncio.ensure_future(server.run(FastAPI(), "127.0.0.1", 0, told.put_nowait))
    try:
        port = int((await told.get()).rpartition(":")[2])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for number, piece in enumerate(said):
            if number:
                assert await reader.read(10)  # of the answer to what came before
            writer.write(piece)
        await asyncio.wait_for(reader.read(), 20)
        writer.close()
    finally:
        serving.cancel()
        with suppress(asyncio.CancelledError):
            await serving
