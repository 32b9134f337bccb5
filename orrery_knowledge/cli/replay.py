"""`orrery-knowledge eval replay`."""

from __future__ import annotations

import json
from pathlib import Path

import click
from pydantic import ValidationError

from orrery_knowledge.cli import options
from orrery_knowledge.cli.terminal import plural, print_json, say, warn
from orrery_knowledge.errors import ConfigurationError
from orrery_knowledge.evaluation.replay import AskedQuery, Replay, replay
from orrery_knowledge.runtime import build_embedder, build_index, build_ledger, retrieval_over
from orrery_knowledge.settings import load_settings


@click.command(
    "replay",
    epilog="""\b
Examples:
  orrery-knowledge eval replay INC-2041
  orrery-knowledge eval replay INC-2041 --queries asked.jsonl --json""",
)
@click.argument("investigation")
@click.option(
    "--queries",
    type=click.Path(path_type=Path),
    help='Its queries, a line each: {"query", "service", "corpus"}.',
)
@options.as_json
@options.command
async def replay_command(
    config: Path | None, investigation: str, queries: Path | None, json_: bool
) -> int:
    """Compare what INVESTIGATION was shown with what the index holds now.

    No model takes part. The ledger keeps queries screened and cut: with --queries they are run
    again as they were asked. Exits with 1 when something that was issued does not come back.
    """
    settings = load_settings(config)
    asked = read_queries(queries) if queries is not None else []
    index, ledger = build_index(settings), build_ledger(settings)
    embedder = build_embedder(settings) if asked else None  # else no query needs it
    retrieval = retrieval_over(settings, index, ledger, embedder)
    try:
        if not await ledger.exists():
            raise ConfigurationError("there is no ledger yet: nothing was issued")
        await ledger.open()
        result = await replay(
            investigation,
            index,
            ledger,
            retrieval,
            asked,
            top_k=settings.search.top_k,
            personal=settings.guard.personal,
        )
    finally:
        await retrieval.close()
    if json_:
        print_json(result.model_dump(mode="json"))
    else:
        _show(result)
    return 1 if result.lost else 0


def read_queries(file: Path) -> list[AskedQuery]:
    """Queries of a file, as the tool was given them.

    Raises:
        ConfigurationError: it can't be read, or a line is no query.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise ConfigurationError(f"{file}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise ConfigurationError(f"{file}: not UTF-8") from None
    found = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            found.append(AskedQuery.model_validate(json.loads(line)))
        except (ValidationError, ValueError, RecursionError):
            raise ConfigurationError(
                f'{file}:{number}: not a query; it looks like {{"query": "..."}}'
            ) from None
    return found


def _show(result: Replay) -> None:
    for one in result.passages:
        notes = [] if one.digest or one.state == "gone" else ["another version of its document"]
        if one.state == "moved":
            notes.append(f"now {one.now}")
        if one.returned is False:
            notes.append("its query does not bring it back")
        said = f"  ({'; '.join(notes)})" if notes else ""
        say(f"{one.state:<9}{one.citation}{said}")
    for note in result.notes:
        warn(f"note: {note}")
    say(
        f"{plural(len(result.passages), 'passage')}, {len(result.lost)} lost; "
        f"{result.replayed} of {result.queries} queries run again; load {result.load}"
    )
