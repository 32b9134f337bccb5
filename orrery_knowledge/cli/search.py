"""`orrery-knowledge search`."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from orrery_knowledge.cli import options
from orrery_knowledge.cli.terminal import plural, print_json, say, warn
from orrery_knowledge.models import Passage, Query, SearchResult
from orrery_knowledge.runtime import build_retrieval
from orrery_knowledge.settings import load_settings

EXIT = {"ok": 0, "no_match": 0, "invalid": 2, "unavailable": 3}


@click.command(
    epilog="""\b
Examples:
  orrery-knowledge search "too many clients already"
  orrery-knowledge search KafkaConsumerLagHigh --service orders --top-k 3
  orrery-knowledge search "--max-cost" --mode lexical --json""",
    # A flag of another program is a question like any other.
    context_settings={"ignore_unknown_options": True},
)
@click.argument("query")
@click.option("--top-k", type=click.IntRange(1, 50), help="Passages to show (default: 6).")
@click.option("--service", help="Only documents of this service.")
@click.option("--corpus", help="Only this collection.")
@click.option(
    "--mode",
    type=click.Choice(["hybrid", "lexical", "vector"]),
    default="hybrid",
    show_default=True,
    help="By words and meaning, by words, or by meaning.",
)
@click.option(
    "--per-document",
    type=click.IntRange(0, 10_000),
    default=1,
    show_default=True,
    help="Passages a document may contribute; 0 for any number.",
)
@click.option("--investigation", metavar="ID", help="Save what is shown as evidence under this id.")
@options.as_json
@options.command
async def search(
    config: Path | None,
    query: str,
    top_k: int | None,
    service: str | None,
    corpus: str | None,
    mode: Literal["hybrid", "lexical", "vector"],
    per_document: int,
    investigation: str | None,
    json_: bool,
) -> int:
    """Find passages that answer QUERY, each with where it comes from."""
    settings = load_settings(config)
    retrieval = build_retrieval(settings)
    try:
        result = await retrieval.search(
            Query(
                text=query,
                top_k=top_k or settings.search.top_k,
                service=service,
                corpus=corpus,
                mode=mode,
                per_document=per_document,
            ),
            investigation=investigation,
        )
    finally:
        await retrieval.close()
    if json_:
        print_json(result.model_dump(mode="json"))
    else:
        show(result)
    return EXIT[result.status]


def show(result: SearchResult) -> None:
    """Print a result for a person."""
    if result.status in ("unavailable", "invalid"):
        warn(f"{result.status}: {result.reason}")
        return
    if result.reason:
        warn(result.reason)
    if result.status == "no_match":
        say("no match: nothing that was written answers this")
        return
    if not result.confident:
        say(f"not confident ({result.confidence:.2f}): read these with care, or ask a person")
        say()
    for number, passage in enumerate(result.passages, start=1):
        _show_passage(number, passage)
    for one in result.failed_remedies:
        where = f"; it stands in {', '.join(one.passages)}" if one.passages else ""
        say(f"failed before on {one.service}: {one.remedy} ({one.investigation}{where})")
    counts = ", ".join(f"{name} {count}" for name, count in result.counts.model_dump().items())
    say(f"load {result.load}; candidates: {counts}; {result.took_ms:.0f} ms")


def _show_passage(number: int, passage: Passage) -> None:
    age = "age unknown" if passage.age_days is None else f"{plural(passage.age_days, 'day')} old"
    flags = [age, passage.trust, *(["STALE"] if passage.stale else [])]
    say(f"{number}. {passage.label}")
    say(f"   {passage.citation}  lines {passage.line_start}-{passage.line_end}")
    say(f"   {passage.source}  ({', '.join(flags)})")
    say(f"   matched by {', '.join(passage.matched) or 'rank'}; score {passage.score:.3f}")
    for line in passage.text.strip().splitlines():
        say(f"   | {line}")
    say()
