"""`orrery-knowledge serve`."""

from __future__ import annotations

from pathlib import Path

import click

from orrery_knowledge.cli import options
from orrery_knowledge.cli.terminal import warn
from orrery_knowledge.errors import ConfigurationError, MissingExtra
from orrery_knowledge.governance.report_source import ReportSource
from orrery_knowledge.protocols import is_index
from orrery_knowledge.reviewing import Reviewing
from orrery_knowledge.runtime import (
    build_embedder,
    build_identities,
    build_ledger,
    build_retriever,
    build_sources,
    retrieval_over,
    sync_options,
)
from orrery_knowledge.settings import load_settings

LOOPBACK = ("127.0.0.1", "::1", "localhost")


@click.command(
    epilog="""\b
Examples:
  orrery-knowledge serve
  orrery-knowledge serve --port 9099

Exit codes: 1 the port is taken; 2 another host without identities; 130 stopped."""
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Another one than this machine takes identities.",
)
@click.option("--port", type=click.IntRange(0, 65_535), default=8085, show_default=True)
@options.command
async def serve(config: Path | None, host: str, port: int) -> int:
    """Serve alerts, searches, reviews and evidence over HTTP."""
    settings = load_settings(config)
    identities = build_identities(settings)
    if host not in LOOPBACK and not identities.configured:
        raise ConfigurationError(
            f"host {host!r} is not loopback: without identities only this machine may ask; "
            "configure some (orrery-knowledge token --help), or use --host 127.0.0.1"
        )
    try:
        from orrery_knowledge.web.app import create_app
        from orrery_knowledge.web.server import run
    except ModuleNotFoundError as error:
        raise MissingExtra("server", error.name or "fastapi") from None
    backend, ledger, embedder = (
        build_retriever(settings),
        build_ledger(settings),
        build_embedder(settings),
    )
    sources = build_sources(settings)
    retrieval = retrieval_over(settings, backend, ledger, embedder)
    reviews = None
    if is_index(backend):
        options_ = sync_options(settings)
        everything = [*sources, ReportSource(ledger)]
        reviews = Reviewing(backend, ledger, everything, embedder, options_), ledger
    try:
        app = create_app(
            retrieval, top_k=settings.search.top_k, identities=identities, reviews=reviews
        )
        await run(app, host, port, lambda address: warn(f"serving on {address}"))
    finally:
        for source in sources:
            await source.close()
        await retrieval.close()
    return 0
