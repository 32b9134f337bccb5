"""Runs an application until it is cancelled."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable, Iterator

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from orrery_knowledge.errors import KnowledgeError

IDLE_SECONDS = 30
"""How long a connection may say nothing."""

STOP_SECONDS = 3
"""How long what has begun may take to end; less than the grace of the command line."""

CONNECTIONS = 200
"""At once; more of them hear 503."""


async def run(app: FastAPI, host: str, port: int, on_start: Callable[[str], object]) -> None:
    """Serve, and end what has begun when the task is cancelled.

    Args:
        app: what answers.
        host: a loopback address.
        port: 0 for any that is free.
        on_start: told the address once connections are accepted.

    Raises:
        KnowledgeError: the port can't be used.
    """
    bound = _bind(host, port)
    config = uvicorn.Config(
        app,
        http=_Impatient,
        log_level="warning",
        access_log=False,  # what was asked is nobody's business
        server_header=False,
        limit_concurrency=CONNECTIONS,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=STOP_SECONDS,
    )
    server = _Server(config)
    serving = asyncio.ensure_future(server.serve(sockets=[bound]))
    shown = f"[{host}]" if ":" in host else host
    on_start(f"http://{shown}:{bound.getsockname()[1]}")
    try:
        await asyncio.shield(serving)
    except asyncio.CancelledError:
        server.should_exit = True
        await serving
        raise


class _Impatient(H11Protocol):
    """Closes what says nothing also before a request is whole; the server does so after one."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._wait()

    def _wait(self) -> None:
        asked = self.cycle is not None and not self.cycle.response_complete
        if not asked and self.timeout_keep_alive_task is None:
            self.timeout_keep_alive_task = self.loop.call_later(
                self.timeout_keep_alive, self.timeout_keep_alive_handler
            )


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to the command line, which cancels us."""
        yield


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
        bound.listen(128)
    except OSError as error:
        bound.close()
        raise KnowledgeError(f"port {port} can't be used: {error.strerror}") from None
    return bound
