"""`orrery-knowledge verify`."""

from __future__ import annotations

from pathlib import Path

import click

from orrery_knowledge.cli import options
from orrery_knowledge.cli.terminal import plural, print_json, say
from orrery_knowledge.errors import BackendUnavailable
from orrery_knowledge.retrieval import NOTHING_INDEXED
from orrery_knowledge.runtime import (
    build_embedder,
    build_index,
    build_ledger,
    build_sources,
    with_reports,
)
from orrery_knowledge.settings import load_settings
from orrery_knowledge.verification import verify as run_verify


@click.command()
@click.option("--repair", is_flag=True, help="Mend what can be mended; a damaged index is rebuilt.")
@options.as_json
@options.command
async def verify(config: Path | None, repair: bool, json_: bool) -> int:
    """Compare sources, ledger and index; exits with 1 while they differ."""
    settings = load_settings(config)
    index, ledger, sources = build_index(settings), build_ledger(settings), build_sources(settings)
    try:
        if not await ledger.exists() and await index.active_load() is None:
            raise BackendUnavailable(NOTHING_INDEXED)
        await ledger.open()
        found = await run_verify(
            index,
            ledger,
            await with_reports(sources, ledger),
            build_embedder(settings),
            chunk_size=settings.chunking.size,
            repair=repair,
            answer_while_pending=settings.policy.answer_from_approved_while_edit_pending,
        )
    finally:
        for source in sources:
            await source.close()
        await index.close()
        await ledger.close()
    if json_:
        print_json([drift.model_dump(mode="json") for drift in found])
    else:
        for drift in found:
            mended = " (repaired)" if drift.repaired else ""
            say(f"{drift.kind}: {drift.where}: {drift.problem}{mended}")
        say("all is well" if not found else plural(len(found), "difference"))
    return 1 if any(not drift.repaired for drift in found) else 0
