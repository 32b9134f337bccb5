"""`orrery-knowledge evidence ...`."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import click

from orrery_knowledge.cli import options
from orrery_knowledge.cli.terminal import plural, print_json, print_text, say, warn
from orrery_knowledge.errors import ConfigurationError, KnowledgeError
from orrery_knowledge.governance.citation_check import MAX_CHARACTERS, cite_check
from orrery_knowledge.governance.evidence import resolve
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.governance.records import Evidence
from orrery_knowledge.runtime import build_ledger
from orrery_knowledge.settings import load_settings


@click.group(
    epilog="""\b
Examples:
  orrery-knowledge evidence show INC-2041
  orrery-knowledge evidence show INC-2041 kb:pool.md#remedy
  orrery-knowledge evidence check INC-2041 proposal.md

Exit codes: 1 nothing was issued under that name, or a check found something."""
)
def evidence() -> None:
    """What an investigation was shown, and whether a text keeps to it."""


@evidence.command()
@click.argument("investigation")
@click.argument("citation", required=False)
@options.as_json
@options.command
async def show(config: Path | None, investigation: str, citation: str | None, json_: bool) -> int:
    """The passages that INVESTIGATION was shown, word for word; or the one that CITATION names.

    They stay as they were shown, whatever became of the documents since.
    """
    async with _opened(config) as ledger:
        if citation is None:
            found = await ledger.evidence(investigation)
        else:
            one = await resolve(ledger, investigation, citation)
            found = [] if one is None else [one]
    if not found:
        what = "nothing" if citation is None else "no such passage"
        raise KnowledgeError(f"{what} was issued under this investigation")
    if json_:
        print_json([one.model_dump(mode="json") for one in found])
        return 0
    for one in found:
        _print(one)
    return 0


@evidence.command()
@click.argument("investigation")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True), default="-")
@options.as_json
@options.command
async def check(config: Path | None, investigation: str, file: Path, json_: bool) -> int:
    """Check that FILE (default: standard input) cites only what INVESTIGATION was shown."""
    text = _read(file)
    async with _opened(config) as ledger:
        found = await cite_check(ledger, text, investigation)
    if json_:
        print_json(found.model_dump(mode="json"))
        return 0 if found.ok else 1
    for problem in found.problems:
        about = "".join(f"{part}: " for part in (problem.citation, problem.quote) if part)
        warn(f"{about}{problem.reason}")
    said = "good" if found.ok else f"{plural(len(found.problems), 'problem')}"
    say(f"{said}; {plural(len(found.cited), 'citation')}, {plural(found.quotes, 'quote')}")
    return 0 if found.ok else 1


@asynccontextmanager
async def _opened(config: Path | None) -> AsyncIterator[Ledger]:
    ledger = build_ledger(load_settings(config))
    try:
        if not await ledger.exists():
            raise KnowledgeError("there is no ledger yet: nothing was issued")
        await ledger.open()
        yield ledger
    finally:
        await ledger.close()


def _read(file: Path) -> str:
    limit = 4 * MAX_CHARACTERS + 1
    try:
        if str(file) == "-":
            data = sys.stdin.buffer.read(limit)
        else:
            with file.open("rb") as opened:
                data = opened.read(limit)
        return data.decode("utf-8")
    except OSError as error:
        raise ConfigurationError(f"{file}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise ConfigurationError(f"{file}: not UTF-8") from None


def _print(one: Evidence) -> None:
    taken = "" if one.issued else "  (never issued: a guard dropped it)"
    say(f"{one.sequence}. {one.citation}{taken}")
    said: dict[str, Any] = one.metadata
    ranks = ", ".join(f"{name} {rank}" for name, rank in (said.get("ranks") or {}).items() if rank)
    say(
        f"   {said.get('label', one.path)}; {said.get('trust', 'trust unknown')}; "
        f"score {said.get('score', '?')}{f' ({ranks})' if ranks else ''}; load {one.load}; "
        f"{one.issued_at:%Y-%m-%d %H:%M:%S} UTC"
    )
    if query := said.get("query"):
        say(f"   asked: {query}")
    print_text("".join(f"   | {line}\n" for line in one.excerpt.splitlines()))
