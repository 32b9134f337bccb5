"""`orrery-knowledge serve`."""

from __future__ import annotations

from pathlib import Path

import click

from orrery_knowledge.cli import options
from orrery_knowledge.cli.terminal import warn
from orrery_knowledge.errors import ConfigurationError, MissingExtra
from orrery_knowledge.runtime import build_retrieval
from orrery_knowledge.settings import load_settings

LOOPBACK = ("127.0.0.1", "::1", "localhost")


@click.command(
    epilog="""\b
Examples:
  orrery-knowledge serve
  orrery-knowledge serve --port 9099

Exit codes: 2 another host than this one, or a missing package; 1 the port is taken; 130 stopped."""
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Loopback only, so far.")
@click.option("--port", type=click.IntRange(0, 65_535), default=8085, show_default=True)
@options.command
async def serve(config: Path | None, host: str, port: int) -> int:
    """Serve POST /alerts/route, POST /search, GET /healthz and GET /readyz over HTTP."""
    if host not in LOOPBACK:
        raise ConfigurationError(
            f"host {host!r} is not loopback: without tokens only this machine may ask; put a proxy "
            "that authenticates in front, or use --host 127.0.0.1"
        )
    settings = load_settings(config)
    try:
        from orrery_knowledge.web.app import create_app
        from orrery_knowledge.web.server import run
    except ModuleNotFoundError as error:
        raise MissingExtra("server", error.name or "fastapi") from None
    retrieval = build_retrieval(settings)
    try:
        app = create_app(retrieval, top_k=settings.search.top_k)
        await run(app, host, port, lambda address: warn(f"serving on {address}"))
    finally:
        await retrieval.close()
    return 0
