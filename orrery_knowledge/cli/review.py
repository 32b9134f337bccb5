"""`orrery-knowledge review ...`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import get_args

import click

from orrery_knowledge.cli import options
from orrery_knowledge.cli.identity import who
from orrery_knowledge.cli.terminal import print_json, print_text, printable_lines, say, warn
from orrery_knowledge.governance.records import ReviewStatus
from orrery_knowledge.governance.review_lines import ReviewLine, line_of
from orrery_knowledge.retrieval import NOTHING_INDEXED
from orrery_knowledge.reviewing import Reviewed, Reviewer, Reviewing
from orrery_knowledge.runtime import (
    build_index,
    build_ledger,
    build_reviewing,
    build_sources,
    with_reports,
)
from orrery_knowledge.settings import Settings, load_settings

Decide = Callable[[Reviewing, Reviewer], Awaitable[Reviewed]]

_reason = click.option("--reason", required=True, help="Why; people read it in the audit.")
_reviewer = click.option(
    "--reviewer",
    metavar="NAME",
    help="Who decides; recorded as unverified. Not once identities are configured.",
)


@click.group(
    epilog="""\b
Examples:
  orrery-knowledge review list --status pending
  orrery-knowledge review show wiki:pool.md@1a2b3c4d5e6f
  orrery-knowledge review approve wiki:pool.md@1a2b3c4d5e6f --reviewer ada --reason "tried it"

Exit codes: 1 not allowed, or screening refuses it; 5 it isn't what lies there now."""
)
def review() -> None:
    """Read what waits, and decide which texts may answer. An id names one version of a text."""


@review.command("list")
@click.option("--status", type=click.Choice(get_args(ReviewStatus)), help="Only these.")
@click.option("--source", metavar="ID", help="Only of this source.")
@options.as_json
@options.command
async def list_(config: Path | None, status: str | None, source: str | None, json_: bool) -> int:
    """Every version that was filed for a review, and what became of it; oldest first."""
    ledger = build_ledger(load_settings(config))
    try:
        begun = await ledger.exists()
        if begun:
            await ledger.open()
        found = await ledger.reviews(source) if begun else []
    finally:
        await ledger.close()
    chosen = [line_of(one) for one in found if status in (None, one.status)]
    if json_:
        print_json([one.model_dump(mode="json") for one in chosen])
        return 0
    for one in chosen:
        say(f"{one.status:<10}  {one.filed_at:%Y-%m-%d}  {one.id}  {one.title}{_by(one)}")
    if not chosen:
        say("nothing to review" if begun else NOTHING_INDEXED)
    return 0


@review.command()
@click.argument("review_id", metavar="ID")
@options.as_json
@options.command
async def show(config: Path | None, review_id: str, json_: bool) -> int:
    """One version as a reviewer must see it: hidden characters shown, and what is new in it."""
    async with _opened(config) as (_, reviewing):
        found = await reviewing.show(review_id)
    if json_:
        print_json(found.model_dump(mode="json"))
        return 0
    say(f"{found.id}  {found.status}{_by(found)}")
    say(f"title: {found.title}")
    say(f"from: {found.uri} at {found.revision[:12]}")
    say(f"filed: {found.filed_at:%Y-%m-%d %H:%M} UTC")
    for note in found.findings:
        say(f"look at {note}")
    if found.answers_now == found.digest:
        say("this version answers now")
    elif found.answers_now is not None:
        what = "below is what is new" if found.diff else "its text was not filed here"
        say(f"another version answers now ({found.answers_now[:12]}); {what}")
    say()
    # Through a pager too: whoever decides must see what the text hides.
    print_text(printable_lines(found.text if found.diff is None else found.diff))
    return 0


@review.command()
@click.argument("review_id", metavar="ID")
@_reviewer
@_reason
@click.option("--again", is_flag=True, help="Also if it was rejected, revoked or expired before.")
@options.as_json
@options.command
async def approve(
    config: Path | None,
    review_id: str,
    reviewer: str | None,
    reason: str,
    again: bool,
    json_: bool,
) -> int:
    """Let a version answer. It does when this command is done."""
    return await _decide(
        config, reviewer, json_, lambda r, by: r.approve(review_id, by, reason, again=again)
    )


@review.command()
@click.argument("review_id", metavar="ID")
@_reviewer
@_reason
@options.as_json
@options.command
async def reject(
    config: Path | None, review_id: str, reviewer: str | None, reason: str, json_: bool
) -> int:
    """Keep a version that waits from answering; the one before it goes on."""
    return await _decide(config, reviewer, json_, lambda r, by: r.reject(review_id, by, reason))


@review.command()
@click.argument("review_id", metavar="ID")
@_reviewer
@_reason
@options.as_json
@options.command
async def revoke(
    config: Path | None, review_id: str, reviewer: str | None, reason: str, json_: bool
) -> int:
    """Take back a version that answers, at once and in every load; no rollback brings it back."""
    return await _decide(config, reviewer, json_, lambda r, by: r.revoke(review_id, by, reason))


async def _decide(config: Path | None, name: str | None, json_: bool, decide: Decide) -> int:
    async with _opened(config) as (settings, reviewing):
        done = await decide(reviewing, who(settings, name))
    if json_:
        print_json(done.model_dump(mode="json"))
        return 0
    answers = "it answers now" if done.answers else "it does not answer"
    say(f"{done.decision}: {done.id}; {answers}")
    if done.note:
        warn(f"note: {done.note}")
    return 0


@asynccontextmanager
async def _opened(config: Path | None) -> AsyncIterator[tuple[Settings, Reviewing]]:
    settings = load_settings(config)
    index, ledger, sources = build_index(settings), build_ledger(settings), build_sources(settings)
    try:
        await ledger.open()
        everything = await with_reports(sources, ledger)
        yield settings, build_reviewing(settings, index, ledger, everything)
    finally:
        for source in sources:
            await source.close()
        await index.close()
        await ledger.close()


def _by(one: ReviewLine) -> str:
    if one.reviewer is None:
        return ""
    claimed = "" if one.verified else " (unverified)"
    reason = f": {one.reason}" if one.reason else ""
    return f"  by {one.reviewer}{claimed}{reason}"
