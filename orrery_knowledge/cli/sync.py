"""`orrery-knowledge sync`."""

from __future__ import annotations

import tempfile
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType

import click
from tqdm import tqdm

from orrery_knowledge.cli import options
from orrery_knowledge.cli.terminal import is_terminal, plural, print_json, say, warn
from orrery_knowledge.errors import ConfigurationError
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.models import SyncError, SyncReport
from orrery_knowledge.protocols import is_index
from orrery_knowledge.runtime import (
    build_embedder,
    build_ledger,
    build_retriever,
    build_sources,
    sync_options,
    with_reports,
)
from orrery_knowledge.settings import NO_SOURCES, Settings, load_settings
from orrery_knowledge.sync import sync as run_sync

SHOWN = 20
"""How many problems are printed; `--json` has all of them."""

PLAIN_SECONDS = 10.0
"""How often a line of progress is printed where there is no terminal."""


@click.command(
    epilog="""\b
Examples:
  orrery-knowledge sync
  orrery-knowledge sync --dry-run          what would change, how many embeddings
  orrery-knowledge sync --source handbook --json"""
)
@click.option("--source", "source", metavar="ID", help="Only this source.")
@click.option("--dry-run", is_flag=True, help="Say what would change and what it would cost.")
@click.option("--full", is_flag=True, help="Read every document again.")
@click.option("--allow-mass-delete", is_flag=True, help="Go on though many documents are gone.")
@click.option("--allow-empty", is_flag=True, help="Go on though nothing would be left.")
@click.option("--strict", is_flag=True, help="Exit with 1 when anything is quarantined.")
@options.as_json
@options.command
async def sync(
    config: Path | None,
    source: str | None,
    dry_run: bool,
    full: bool,
    allow_mass_delete: bool,
    allow_empty: bool,
    strict: bool,
    json_: bool,
) -> int:
    """Bring the index up to date: read what changed, check it, then activate it at once."""
    settings = load_settings(config)
    index = build_retriever(settings)
    if not is_index(index):
        reason = "ingestion is somebody else's job; nothing to do"
        if json_:
            done = SyncReport(
                load=None,
                activated=False,
                warnings=(SyncError(source=settings.backend.type, reason=reason),),
            )
            print_json(done.model_dump(mode="json"))
        else:
            say(f"backend {settings.backend.type}: {reason}")
        return 0
    stack = ExitStack()
    ledger = _ledger(settings, stack, dry_run=dry_run)
    sources = build_sources(settings)
    if not (sources or allow_empty):
        raise ConfigurationError(settings.origin.sentence(("corpora",), NO_SOURCES))
    wanted = replace(
        sync_options(settings),
        source=source,
        dry_run=dry_run,
        full=full,
        allow_mass_delete=allow_mass_delete,
        allow_empty=allow_empty,
    )
    try:
        await ledger.open()
        with _Progress(quiet=json_) as progress:
            everything = await with_reports(sources, ledger)
            report = await run_sync(
                index, ledger, everything, build_embedder(settings), wanted, progress
            )
    finally:
        for opened in sources:
            await opened.close()
        await index.close()
        await ledger.close()
        stack.close()
    _print(report, json_)
    failed = report.failed or report.refused or (strict and report.quarantined)
    return 1 if failed else 0


def _ledger(settings: Settings, stack: ExitStack, *, dry_run: bool) -> Ledger:
    """The ledger; before the first sync, a dry run makes do with an empty one that goes again."""
    location, state = settings.ledger_location, settings.state_folder
    fresh = (
        isinstance(location, Path) and not location.exists() and state.is_dir() == state.exists()
    )
    if dry_run and fresh:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="orrery-dry-run-"))
        return Ledger(Path(folder) / "ledger.db")
    return build_ledger(settings)


def _print(report: SyncReport, json_: bool) -> None:
    if json_:
        print_json(report.model_dump(mode="json"))
        return
    for problem in report.errors[:SHOWN]:
        warn(f"{problem.source}: {problem.reason}")
    if len(report.errors) > SHOWN:
        warn(f"... and {len(report.errors) - SHOWN} more (see --json)")
    for problem in report.warnings[:SHOWN]:
        warn(f"warning: {problem.source}: {problem.reason}")
    for reason, count in sorted(report.passed_over.items()):
        say(f"passed over {count}: {reason}")
    if report.pending:
        waiting = "waits" if report.pending == 1 else "wait"
        say(f"{plural(report.pending, 'document')} {waiting} for a review")
    if report.planned is not None:
        would = "a sync would be refused" if report.dry_run else "nothing was activated"
        say(f"{would}; without that it would {report.planned.words}")
    if report.dry_run:
        say(f"would compute {plural(report.embedded, 'embedding')}")
    elif report.activated:
        say(f"load {report.load} is active; {plural(report.embedded, 'embedding')} computed")
    elif not (report.refused or report.refreshed or report.began or report.stopped):
        say("nothing has changed")
    _print_what_shows(report)
    say(report.summary)


def _print_what_shows(report: SyncReport) -> None:
    """What people notice although the summary doesn't count it."""
    if report.refreshed:
        said = "would get" if report.dry_run else "got"
        say(f"{plural(report.refreshed, 'unchanged document')} {said} another commit or date")
    if report.began:
        say(f"{plural(report.began, 'document')} began to answer")
    if report.stopped:
        said = "would stop answering" if report.dry_run else "stopped answering"
        say(f"{plural(report.stopped, 'document')} {said}")


class _Progress:
    """A bar on a terminal, now and then a plain line elsewhere."""

    def __init__(self, *, quiet: bool) -> None:
        self._bar = tqdm(unit=" documents", disable=quiet or not is_terminal(), leave=False)
        self._quiet = quiet
        self._next = time.monotonic() + PLAIN_SECONDS

    def __call__(self, what: str, documents: int, chunks: int) -> None:
        self._bar.set_description(what, refresh=False)
        self._bar.set_postfix_str(plural(chunks, "chunk"), refresh=False)
        self._bar.update(documents - self._bar.n)
        if self._bar.disable and not self._quiet and time.monotonic() >= self._next:
            self._next = time.monotonic() + PLAIN_SECONDS
            warn(f"{what}: {plural(documents, 'document')} seen, {plural(chunks, 'chunk')} written")

    def __enter__(self) -> _Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.close()
