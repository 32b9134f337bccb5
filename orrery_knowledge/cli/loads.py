"""`orrery-knowledge loads ...`."""

from __future__ import annotations

from pathlib import Path

import click

from orrery_knowledge.cli import options
from orrery_knowledge.cli.terminal import plural, print_json, say
from orrery_knowledge.errors import BackendUnavailable, UnknownLoad
from orrery_knowledge.models import LoadRecord
from orrery_knowledge.retrieval import NOTHING_INDEXED
from orrery_knowledge.runtime import build_index
from orrery_knowledge.settings import load_settings

LONGEST_AGE = 10**9
"""Seconds, some 30 years: a date before which no load can be."""


@click.group()
def loads() -> None:
    """List loads, go back to an earlier one, let syncs run again, clean up."""


@loads.command("list")
@options.as_json
@options.command
async def list_(config: Path | None, json_: bool) -> int:
    """Every load, newest first."""
    index = build_index(load_settings(config))
    try:
        records = await index.loads()
        held = await index.held()
        answering = len(await index.visible()) if records else 0
    finally:
        await index.close()
    if json_:
        print_json([record.model_dump(mode="json") for record in records])
        return 0
    for record in records:
        fewer = record.status == "active" and answering != record.documents
        say(_line(record) + (f"; {answering} may answer" if fewer else ""))
    if not records:
        say(NOTHING_INDEXED)
    if held:
        say("a rollback holds the index: syncs refuse until `orrery-knowledge loads resume`")
    return 0


@loads.command()
@click.argument("number", type=int)
@options.as_json
@options.command
async def show(config: Path | None, number: int, json_: bool) -> int:
    """One load in full."""
    index = build_index(load_settings(config))
    try:
        records = await index.loads()
    finally:
        await index.close()
    if not records:
        raise BackendUnavailable(NOTHING_INDEXED)
    found = [record for record in records if record.number == number]
    if not found:
        raise _unknown(number)
    if json_:
        print_json(found[0].model_dump(mode="json"))
        return 0
    for name, value in found[0].model_dump(mode="json").items():
        say(f"{name}: {value}")
    return 0


@loads.command()
@click.argument("number", type=int, required=False)
@options.as_json
@options.command
async def rollback(config: Path | None, number: int | None, json_: bool) -> int:
    """Go back to load NUMBER (default: the one before), and hold there."""
    index = build_index(load_settings(config))
    try:
        records = {load.number: load for load in await index.loads()}
        active = await index.active_load()
        # Before the first load there is no way back, and no index to make for saying so.
        if active is None:
            raise BackendUnavailable(NOTHING_INDEXED)
        if number is not None and number not in records:
            raise _unknown(number)
        if number == active:
            held = " and held" if await index.held() else ""
            raise UnknownLoad(f"load {number} is already active{held}; nothing was changed")
        record = await index.rollback(number)
    finally:
        await index.close()
    if json_:
        print_json(record.model_dump(mode="json"))
    else:
        say(f"load {record.number} is active again and held; `loads resume` lets syncs run again")
    return 0


@loads.command()
@options.command
async def resume(config: Path | None) -> int:
    """Let syncs run again after a rollback."""
    index = build_index(load_settings(config))
    try:
        begun = await index.active_load() is not None
        if begun:
            await index.resume()
    finally:
        await index.close()
    say("syncs may run again; the next one builds on the active load" if begun else NOTHING_INDEXED)
    return 0


@loads.command()
@click.option(
    "--keep",
    type=click.IntRange(1, 1_000_000),
    default=5,
    show_default=True,
    metavar="LOADS",
    help="How many of the newest loads stay.",
)
@click.option(
    "--min-age",
    type=click.IntRange(0, LONGEST_AGE),
    default=600,
    show_default=True,
    metavar="SECONDS",
    help="Keep loads that were replaced less than this long ago.",
)
@options.as_json
@options.command
async def gc(config: Path | None, keep: int, min_age: int, json_: bool) -> int:
    """Delete rows that no kept load shows."""
    index = build_index(load_settings(config))
    try:
        deleted = 0
        begun = await index.active_load() is not None
        if begun:
            async with index.lock():
                deleted = await index.gc(keep, min_age)
    finally:
        await index.close()
    if json_:
        print_json({"deleted_chunks": deleted})
    else:
        say(f"deleted {plural(deleted, 'chunk')}" if begun else NOTHING_INDEXED)
    return 0


def _unknown(number: int) -> UnknownLoad:
    digits = f"{number}" if abs(number) < 10**12 else "of that number"
    return UnknownLoad(f"there is no load {digits}; see `orrery-knowledge loads list`")


def _line(record: LoadRecord) -> str:
    when = record.activated_at or record.created_at
    return (
        f"{record.number:>5}  {record.status:<11}  {when:%Y-%m-%d %H:%M:%S}  "
        f"{plural(record.documents, 'document')}, {plural(record.chunks, 'chunk')}"
    )
