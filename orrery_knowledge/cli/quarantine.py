"""`orrery-knowledge quarantine ...`."""

from __future__ import annotations

from pathlib import Path

import click

from orrery_knowledge.cli import options
from orrery_knowledge.cli.terminal import print_json, say
from orrery_knowledge.governance.shown import shown_path
from orrery_knowledge.retrieval import NOTHING_INDEXED
from orrery_knowledge.runtime import build_ledger
from orrery_knowledge.settings import load_settings


@click.group()
def quarantine() -> None:
    """What is kept out of search."""


@quarantine.command("list")
@options.as_json
@options.command
async def list_(config: Path | None, json_: bool) -> int:
    """Documents that are invalid or unsafe, and why."""
    ledger = build_ledger(load_settings(config))
    try:
        begun = await ledger.exists()
        if begun:
            await ledger.open()
        entries = await ledger.list_quarantine() if begun else []
    finally:
        await ledger.close()
    # A name may be what it is kept out for.
    entries = [entry.model_copy(update={"path": shown_path(entry.path)}) for entry in entries]
    if json_:
        print_json([entry.model_dump(mode="json") for entry in entries])
        return 0
    for entry in entries:
        say(f"{entry.source}: {entry.path} ({entry.kind}, since {entry.filed_at:%Y-%m-%d})")
        for reason in entry.reasons:
            where = f"line {reason.line}: " if reason.line else ""
            say(f"  {where}{reason.rule}")
    if not entries:
        say("nothing is quarantined" if begun else NOTHING_INDEXED)
    return 0
