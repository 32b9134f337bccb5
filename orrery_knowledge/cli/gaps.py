"""`orrery-knowledge gaps`."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

import click

from orrery_knowledge.alerts import AlertRouter
from orrery_knowledge.cli import options
from orrery_knowledge.cli.terminal import plural, print_json, say, warn
from orrery_knowledge.gaps.checks import RuleFinding, RuleReport, check_rules, rule_stubs
from orrery_knowledge.gaps.rules import MAX_BYTES, AlertRule, read_file, read_rules
from orrery_knowledge.gaps.stubs import Stub, Written, write_stubs
from orrery_knowledge.governance.records import Gap, Gaps
from orrery_knowledge.runtime import build_ledger, build_retrieval
from orrery_knowledge.settings import Settings, load_settings

UNSCREENED = "(text that could not be screened, and was not kept)"
_STANDARD_INPUT = Path("-")
_PROBLEMS = {
    "no_runbook": "no runbook is found",
    "unresolved": "runbook_url leads to no indexed section",
    "not_checkable": "runbook_url holds a template, so it can't be checked",
}


@click.command(
    epilog="""\b
Examples:
  orrery-knowledge gaps
  orrery-knowledge gaps --since 2026-11-01 --stub docs/drafts
  orrery-knowledge gaps --rules rules/*.yaml
  helm template charts/alerts | orrery-knowledge gaps --rules -

Exit codes: 0 done; 1 with --rules, a rule has no runbook, and with --fail-on, something was asked
that often."""
)
@click.option(
    "--rules",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FILE...",
    help="Check the alert rules in these files (- for standard input) instead.",
)
@click.argument("more", type=click.Path(path_type=Path), nargs=-1, metavar="")
@click.option(
    "--since",
    type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]),
    metavar="DATE",
    help="Only what was asked on or after this day (UTC), too.",
)
@click.option(
    "--fail-on",
    type=click.IntRange(1, 10**9),
    metavar="TIMES",
    help="Exit with 1 if something was asked at least this often.",
)
@click.option(
    "--stub",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write a draft to begin with for each, into this folder.",
)
@options.as_json
@options.command
def gaps(
    config: Path | None,
    rules: tuple[Path, ...],
    more: tuple[Path, ...],
    since: datetime | None,
    fail_on: int | None,
    stub: Path | None,
    json_: bool,
) -> options.Work:
    """What was asked and nobody has written, most asked first.

    With --rules, alert rules for which no runbook can be found, or whose runbook_url leads to no
    indexed section.
    """
    if more and not rules:
        raise click.UsageError("files are named behind --rules")
    if rules and (since or fail_on):
        raise click.UsageError("--since and --fail-on are about what was asked, not about --rules")
    settings = load_settings(config)
    if not rules:
        return _asked(settings, since, fail_on, stub, json_)
    # Read here: what blocks on standard input must end at once when it is interrupted.
    found = [rule for file in (*rules, *more) for rule in read_rules(_name(file), _data(file))]
    return _checked(settings, found, stub, json_)


async def _asked(
    settings: Settings,
    since: datetime | None,
    fail_on: int | None,
    stub: Path | None,
    json_: bool,
) -> int:
    found = await _recorded(settings, None if since is None else since.replace(tzinfo=UTC))
    written = None if stub is None else write_stubs(stub, _stubs(found.gaps))
    if json_:
        print_json({**found.model_dump(mode="json"), **_files(written)})
    else:
        _show(found, written, settings.gaps.record)
    return int(fail_on is not None and any(gap.count >= fail_on for gap in found.gaps))


async def _recorded(settings: Settings, since: datetime | None) -> Gaps:
    ledger = build_ledger(settings)
    try:
        if not await ledger.exists():  # a look makes none
            return Gaps(gaps=(), evicted=0)
        await ledger.open()
        return await ledger.gaps(since)
    finally:
        await ledger.close()


async def _checked(
    settings: Settings, rules: list[AlertRule], stub: Path | None, json_: bool
) -> int:
    retrieval = build_retrieval(settings)
    try:
        report = await check_rules(rules, AlertRouter(retrieval))
    finally:
        await retrieval.close()
    written = None if stub is None else write_stubs(stub, rule_stubs(rules, report))
    if json_:
        print_json({**report.model_dump(mode="json"), **_files(written)})
    else:
        _show_report(report, written)
    return int(report.failures > 0)


def _name(file: Path) -> str:
    return "standard input" if file == _STANDARD_INPUT else str(file)


def _data(file: Path) -> bytes:
    if file == _STANDARD_INPUT:
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    return read_file(file)


def _stubs(found: tuple[Gap, ...]) -> list[Stub]:
    return [
        Stub(gap.text, (f"Asked {plural(gap.count, 'time')} as a {gap.kind}.",))
        for gap in found
        if gap.text
    ]


def _files(written: Written | None) -> dict[str, list[str]]:
    return {} if written is None else {"stubs": [str(file) for file in written.new]}


def _show(found: Gaps, written: Written | None, recording: bool) -> None:
    if not recording:
        warn("gaps.record is off: nothing new is counted")
    for gap in found.gaps:
        days = f"{gap.first_seen:%Y-%m-%d} to {gap.last_seen:%Y-%m-%d}"
        unsure = f", {gap.unsure} with a doubtful answer" if gap.unsure else ""
        say(f"{gap.count:>6}  {gap.kind:<8}  {gap.text or UNSCREENED}  ({days}{unsure})")
    if not found.gaps:
        say("no gaps: nothing was asked in vain")
    if found.evicted:
        say(f"and {found.evicted} more, of which only the number was kept")
    _show_written(written)


def _show_report(report: RuleReport, written: Written | None) -> None:
    for finding in report.findings:
        say(_line(finding))
    say(f"{report.failures} of {plural(report.rules, 'alert rule')} without a runbook")
    _show_written(written)


def _line(finding: RuleFinding) -> str:
    other = f"; by other evidence: {finding.found}" if finding.found else ""
    what = _PROBLEMS[finding.problem]
    return f"{finding.file}:{finding.line}: {finding.alert}: {what}{other}"


def _show_written(written: Written | None) -> None:
    """Say which stubs were written, and how many were there."""
    if written is None:
        return
    for file in written.new:
        say(f"wrote {file}")
    if written.there:
        say(f"left {plural(len(written.there), 'file')} as they were")
