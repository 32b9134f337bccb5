"""`python -m tools.score_screening`: score a screener on `evals/screening`."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import IO

import click

from orrery_knowledge.errors import ConfigurationError, KnowledgeError
from tools.score_screening.cases import FOLDER, HALVES, SEED, load
from tools.score_screening.report import as_json, tables
from tools.score_screening.scoring import Scores, score, screen

OURS = f"{shlex.quote(str(Path(sys.executable).with_name('orrery-knowledge')))} screen --jsonl"


def words_of(command: str) -> list[str]:
    """The words of a command line.

    Raises:
        ConfigurationError: a quote isn't closed, or there is no word.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ConfigurationError(f"--command: {error}") from error
    if not words:
        raise ConfigurationError("--command is empty")
    return words


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--command", default=OURS, help="What reads and writes JSON lines [default: ours].")
@click.option("--half", type=click.Choice([*HALVES, "both"]), default="both", show_default=True)
@click.option("--folder", type=click.Path(path_type=Path), default=FOLDER, help="The labelled set.")
@click.option("--seed", default=SEED, show_default=True, help="Of the generated values.")
@click.option("--json", "file", type=click.File("w", lazy=False), help="Also write the shares.")
@click.option("--missed", is_flag=True, help="Also print the ids that went wrong (even half).")
def main(
    command: str, half: str, folder: Path, seed: str, file: IO[str] | None, missed: bool
) -> None:
    """Score a screener on the labelled set."""
    try:
        if missed and half != "even":
            raise ConfigurationError("--missed needs --half even: the odd half is held out")
        words = words_of(command)
        scores: dict[str, Scores] = {}
        for name in HALVES:
            if half in (name, "both"):
                cases = load(name, folder, seed)
                scores[name] = score(cases, screen(words, cases.texts()))
        click.echo("\n".join(tables(scores)))
        for measure, names in scores["even"].missed.items() if missed else ():
            click.echo(f"missed, {measure}: {' '.join(names)}")
        if file is not None:
            file.write(json.dumps(as_json(scores), indent=1) + "\n")
    except KnowledgeError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
