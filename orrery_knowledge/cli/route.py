"""`orrery-knowledge route`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from orrery_knowledge.alerts import MAX_BYTES, AlertRouter, Payload, Route, Routing, read_payload
from orrery_knowledge.cli import options
from orrery_knowledge.cli.terminal import plural, print_json, say, warn
from orrery_knowledge.errors import ConfigurationError
from orrery_knowledge.models import Passage
from orrery_knowledge.runtime import build_retrieval
from orrery_knowledge.settings import Settings, load_settings

SHOWN = 3
"""Passages of a route that a person is shown; `--json` has all of them."""


@click.command(
    epilog="""\b
Examples:
  orrery-knowledge route alert.json
  orrery-knowledge route - --json <alert.json

Exit codes: 0 routed, also where no runbook matches; 2 the payload is no webhook; 3 the index does
not answer.""",
)
@click.argument("payload", type=click.Path(path_type=Path, allow_dash=True))
@options.as_json
@options.command
def route(config: Path | None, payload: Path, json_: bool) -> options.Work:
    """Find the runbook sections for an Alertmanager webhook (version 4): a file, or - for stdin."""
    settings = load_settings(config)
    return _route(settings, read_payload(_read(payload)), json_)


async def _route(settings: Settings, payload: Payload, json_: bool) -> int:
    retrieval = build_retrieval(settings)
    try:
        routing = await AlertRouter(retrieval, top_k=settings.search.top_k).route(payload)
    finally:
        await retrieval.close()
    if json_:
        print_json(routing.model_dump(mode="json"))
    else:
        show(routing)
    return 3 if routing.unavailable else 0


def _read(file: Path) -> bytes:
    """As much as shows that it is too much."""
    if str(file) == "-":
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    try:
        with file.open("rb") as body:
            return body.read(MAX_BYTES + 1)
    except OSError as error:
        raise ConfigurationError(f"{file}: {error.strerror}") from None


def show(routing: Routing) -> None:
    """Print what was found for a person."""
    for number, one in enumerate(routing.routes):
        if number:
            say()
        _show_route(one)
    if not routing.routes:
        say("the payload holds no alert")
    if routing.truncated:
        warn(f"{plural(routing.truncated, 'alert')} left out: the payload is truncated")


def _show_route(route: Route) -> None:
    alert = route.alert
    say(f"{alert.name}  [{alert.status}]  {plural(alert.count, 'alert')}")
    if route.status in ("unavailable", "invalid"):
        warn(f"{route.status}: {route.reason}")
    elif route.reason:
        warn(route.reason)
    if route.advice:
        say(f"  -> {route.advice}")
    if route.passages:
        sure = "confident" if route.confident else "not confident"
        say(f"  matched by {route.matched_by.replace('_', ' ')}; {sure} ({route.confidence:.2f})")
    for number, passage in enumerate(route.passages[:SHOWN], start=1):
        _show_passage(number, passage)


def _show_passage(number: int, passage: Passage) -> None:
    stale = "  STALE" if passage.stale else ""
    say(f"  {number}. {passage.label}  score {passage.score:.3f}{stale}")
    say(f"     {passage.source}  lines {passage.line_start}-{passage.line_end}")
    if number == 1:
        for line in passage.text.strip().splitlines():
            say(f"     | {line}")
