"""`orrery-knowledge report ...`."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import click

from orrery_knowledge.cli import options
from orrery_knowledge.cli.identity import who
from orrery_knowledge.cli.terminal import print_json, print_text, say
from orrery_knowledge.errors import ConfigurationError, DocumentError, Forbidden, KnowledgeError
from orrery_knowledge.governance.citations import format_review_id
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.governance.outcomes import REPORTS
from orrery_knowledge.governance.records import OutcomeResult
from orrery_knowledge.governance.report_source import ReportSource
from orrery_knowledge.governance.reports import (
    check_report,
    draft_report,
    finished_report,
    report_document,
)
from orrery_knowledge.preparation import prepare
from orrery_knowledge.runtime import build_ledger
from orrery_knowledge.settings import Settings, load_settings

MAX_BYTES = 1024 * 1024
"""Of a report."""

_reviewer = click.option(
    "--reviewer",
    metavar="NAME",
    help="Who says so; recorded as unverified. Not once identities are configured.",
)


@click.group(
    epilog="""\b
Examples:
  orrery-knowledge report outcome INC-2041 --failed "restart the primary" --service payments
  orrery-knowledge report outcome INC-2041 --recovered "error rate back to normal"
  orrery-knowledge report draft INC-2041 --output INC-2041.md
  orrery-knowledge report file INC-2041 INC-2041.md --reviewer ada
  orrery-knowledge review approve incident-reports:INC-2041.md@... --reviewer ada --reason "read it"
"""
)
def report() -> None:
    """Write down what an incident has taught: draft, finish, file, then approve it by `review`."""


@report.command()
@click.argument("investigation")
@click.option("--failed", metavar="REMEDY", help="Tried, and it did not help.")
@click.option("--partial", metavar="REMEDY", help="Tried, and it helped a little.")
@click.option("--worked", metavar="REMEDY", help="Tried, and it ended the incident.")
@click.option("--recovered", metavar="TEXT", help="What showed that it was over.")
@click.option("--service", help="On which it was tried.")
@_reviewer
@options.as_json
@options.command
async def outcome(
    config: Path | None,
    investigation: str,
    failed: str | None,
    partial: str | None,
    worked: str | None,
    recovered: str | None,
    service: str | None,
    reviewer: str | None,
    json_: bool,
) -> int:
    """Record what was tried under INVESTIGATION and what came of it, or how it ended."""
    given = {"failed": failed, "partial": partial, "worked": worked, "observed": recovered}
    said = {result: text for result, text in given.items() if text is not None}
    if len(said) != 1:
        raise ConfigurationError("give one of --failed, --partial, --worked and --recovered")
    [(result, text)] = said.items()
    async with _opened(config) as (settings, ledger):
        by = who(settings, reviewer)
        done = await ledger.record_outcome(
            investigation,
            "recovery" if result == "observed" else "remedy",
            text,
            cast(OutcomeResult, result),
            recorded_by=by.name,
            verified=by.verified,
            service=service,
        )
    if json_:
        print_json(done.model_dump(mode="json"))
    else:
        say(f"recorded: {done.text} ({done.result})")
    return 0


@report.command()
@click.argument("investigation")
@click.option("--title", help="Of the report.")
@click.option("--service", help="That it is about.")
@click.option("--output", type=click.Path(path_type=Path), help="File to write; must not exist.")
@options.command
async def draft(
    config: Path | None,
    investigation: str,
    title: str | None,
    service: str | None,
    output: Path | None,
) -> int:
    """Draft a report in Markdown from what INVESTIGATION was shown and what was recorded."""
    async with _opened(config) as (_, ledger):
        evidence = await ledger.evidence(investigation)
        outcomes = await ledger.outcomes(investigation)
    if not (evidence or outcomes):
        raise KnowledgeError("nothing was issued or recorded under this investigation")
    text = draft_report(investigation, evidence, outcomes, title=title, service=service)
    if output is None:
        print_text(text)
        return 0
    try:
        with output.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise ConfigurationError(f"{output} is there already; name another file") from None
    say(f"wrote {output}; write its summary, then: orrery-knowledge report file")
    return 0


@report.command()
@click.argument("investigation")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@_reviewer
@options.as_json
@options.command
async def file(
    config: Path | None, investigation: str, file: Path, reviewer: str | None, json_: bool
) -> int:
    """File a finished report for a review; code writes its outcomes once more."""
    async with _opened(config) as (settings, ledger):
        text = _read(file)
        by = who(settings, reviewer)
        if not by.may("approver"):
            raise Forbidden("filing a report takes an approver")
        outcomes = await ledger.outcomes(investigation)
        finished = finished_report(check_report(text), investigation, outcomes)
        document = report_document(investigation, finished)
        prepared = prepare(
            document,
            trust=ReportSource.trust,
            decisions={},
            key="",
            size=settings.chunking.size,
            embedded=False,
        )
        if prepared.outcome != "pending" or not (prepared.digest and prepared.metadata):
            found = "; ".join(
                f"line {reason.line}: {reason.rule}" if reason.line else reason.rule
                for reason in prepared.reasons
            )
            raise DocumentError(f"this can't be filed: {found or 'its status is not stable'}")
        await ledger.file_pending(
            document,
            digest=prepared.digest,
            title=prepared.metadata.title,
            metadata=prepared.metadata.model_dump(mode="json"),
        )
        review_id = format_review_id(REPORTS, document.path, prepared.digest)
        await ledger.record(
            "report.filed",
            actor=by.name,
            investigation=investigation,
            details={"review": review_id, "verified": by.verified},
        )
    if json_:
        print_json({"id": review_id, "outcomes": len(outcomes)})
    else:
        say(f"filed: {review_id}; it answers once it is approved:")
        say(f"  orrery-knowledge review approve {review_id} --reason ...")
    return 0


@asynccontextmanager
async def _opened(config: Path | None) -> AsyncIterator[tuple[Settings, Ledger]]:
    settings = load_settings(config)
    ledger = build_ledger(settings)
    try:
        await ledger.open()
        yield settings, ledger
    finally:
        await ledger.close()


def _read(file: Path) -> str:
    try:
        if str(file) == "-":
            data = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            with file.open("rb") as opened:
                data = opened.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise ConfigurationError(f"{file}: larger than {MAX_BYTES // 1024} KiB")
        return data.decode("utf-8")
    except OSError as error:
        raise ConfigurationError(f"{file}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise ConfigurationError(f"{file}: not UTF-8") from None
