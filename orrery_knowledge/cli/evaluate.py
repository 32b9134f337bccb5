"""`orrery-knowledge eval ...`."""

from __future__ import annotations

from pathlib import Path

import click

from orrery_knowledge.cli import options
from orrery_knowledge.cli.calibrate import calibrate
from orrery_knowledge.cli.files import check_folder
from orrery_knowledge.cli.labelled import (
    evaluation_embedder,
    evaluation_settings,
    run_labelled,
    vectors_option,
)
from orrery_knowledge.cli.replay import replay_command
from orrery_knowledge.cli.terminal import plural, print_json, say, warn
from orrery_knowledge.cli.trajectory import trajectory
from orrery_knowledge.errors import ConfigurationError
from orrery_knowledge.evaluation.datasets import read_dataset
from orrery_knowledge.evaluation.runs import Evaluation, write_confidence, write_run
from orrery_knowledge.evaluation.thresholds import (
    Minimums,
    fallen,
    raised,
    read_minimums,
    unchecked,
    write_minimums,
)
from orrery_knowledge.evaluation.vectors import StoredVectors
from orrery_knowledge.models import Mode
from orrery_knowledge.runtime import build_calibration

SHOWN = 20
"""How many warnings are printed; `--json` has all of them."""


@click.group("eval")
def evaluate() -> None:
    """Measure how well the right passage comes back."""


evaluate.add_command(calibrate)
evaluate.add_command(trajectory)
evaluate.add_command(replay_command)


@evaluate.command(
    epilog="""\b
Examples:
  orrery-knowledge eval retrieval evals/retrieval/meridian
  orrery-knowledge eval retrieval DATASET --mode lexical --run-file run.tsv
  orrery-knowledge eval retrieval DATASET --compare"""
)
@click.argument("datasets", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--mode",
    type=click.Choice(["hybrid", "lexical", "vector"]),
    default="hybrid",
    show_default=True,
)
@click.option("--compare", is_flag=True, help="Also rank by words, by meaning, with each fusion.")
@click.option("--run-file", type=click.Path(path_type=Path), help="Write the ranked sections.")
@click.option("--confidence-file", type=click.Path(path_type=Path), help="Write confidences.")
@click.option(
    "--thresholds",
    type=click.Path(path_type=Path),
    help="The least that must be reached; exit code 1 below it.",
)
@click.option("--raise", "raise_", is_flag=True, help="Raise --thresholds to what was reached.")
@vectors_option
@click.option(
    "--update-vectors", is_flag=True, help="Compute what --vectors lacks, and write what was used."
)
@options.as_json
@options.command
async def retrieval(
    config: Path | None,
    datasets: tuple[Path, ...],
    mode: Mode,
    compare: bool,
    run_file: Path | None,
    confidence_file: Path | None,
    thresholds: Path | None,
    raise_: bool,
    vectors: Path | None,
    update_vectors: bool,
    json_: bool,
) -> int:
    """Index each of DATASETS by itself, rank its queries and score them."""
    if len(datasets) > 1 and (run_file or confidence_file):
        raise ConfigurationError("a run file holds one dataset: give one DATASET at a time")
    for file in (run_file, confidence_file):
        if file is not None:
            check_folder(file)
    minimums = _minimums(thresholds, raise_)
    settings = evaluation_settings(config)
    calibration = build_calibration(settings)
    embedder = None
    if mode != "lexical" or compare:
        embedder = evaluation_embedder(settings, vectors, update=update_vectors)
    elif update_vectors:
        raise ConfigurationError("--update-vectors needs a mode that looks at meaning")
    results = []
    for folder in datasets:
        dataset = read_dataset(folder)
        result, ranked = await run_labelled(
            dataset,
            settings,
            embedder,
            mode,
            quiet=json_,
            calibration=calibration,
            compare=compare,
        )
        if run_file is not None:
            write_run(run_file, ranked)
        if confidence_file is not None:
            write_confidence(confidence_file, ranked)
        results.append(result)
        if not json_:
            _show(result)
    if update_vectors and isinstance(embedder, StoredVectors):
        embedder.save()
        warn(f"{vectors}: {plural(embedder.computed, 'vector')} computed")
    if json_:
        print_json([result.model_dump(mode="json") for result in results])
    return _check(minimums, results, thresholds if raise_ else None)


def _minimums(thresholds: Path | None, raise_: bool) -> Minimums | None:
    """Read before the long work, so that a wrong file costs nothing."""
    if thresholds is None:
        if raise_:
            raise ConfigurationError("--raise needs the file to raise: add --thresholds FILE")
        return None
    if raise_:
        check_folder(thresholds)
    return read_minimums(thresholds, missing_ok=raise_)


def _check(minimums: Minimums | None, results: list[Evaluation], file: Path | None) -> int:
    """Print what fell; raise the minimums in `file` if nothing did."""
    if minimums is None:
        return 0
    lines = fallen(minimums, results)
    for line in lines:
        warn(f"fell: {line}")
    if lines:
        return 1
    if file is not None:
        write_minimums(file, raised(minimums, results))
    else:
        for line in unchecked(minimums, results):
            warn(f"warning: {line}")
    return 0


def _show(result: Evaluation) -> None:
    say(f"{result.dataset} ({result.mode}): {result.sync.summary}")
    for problem in result.sync.errors:
        warn(f"  {problem.source}: {problem.reason}")
    for warning in result.warnings[:SHOWN]:
        warn(f"  warning: {warning}")
    if len(result.warnings) > SHOWN:
        warn(f"  ... and {len(result.warnings) - SHOWN} more (see --json)")
    say(f"  {'kind':<16}{'n':>5}{'R@5':>8}{'P@5':>8}{'MRR':>8}{'nDCG':>8}{'doc@1':>8}{'doc@5':>8}")
    for kind, s in sorted(result.scores.items(), key=lambda item: (item[0] != "all", item[0])):
        say(
            f"  {kind:<16}{s.queries:>5}{s.recall_5:>8.3f}{s.precision_5:>8.3f}{s.mrr_10:>8.3f}"
            f"{s.ndcg_10:>8.3f}{s.document_recall_1:>8.3f}{s.document_recall_5:>8.3f}"
        )
    if result.intervals:
        bounds = " ".join(f"{low:.2f}-{high:.2f}" for low, high in result.intervals.values())
        say(f"  {'95 % of all':<21} {bounds}")
    shown = ", ".join(f"{group} {value:.2f}" for group, value in sorted(result.confidence.items()))
    say(f"  mean confidence: {shown}")
    if result.comparison:
        say(f"  {'ranked by':<16}{'n':>5}{'nDCG':>8}  {'95 %':<16}{'difference':>10}  95 %")
    for v in result.comparison:
        line = f"  {v.name:<16}{v.queries:>5}{v.ndcg_10:>8.3f}  {_span(v.interval):<16}"
        if v.difference is not None and v.difference_interval is not None:
            line += f"{v.difference:>+10.3f}  {_span(v.difference_interval, '+')}"
        say(line.rstrip())


def _span(interval: tuple[float, float], sign: str = "") -> str:
    return " to ".join(f"{bound:{sign}.3f}" for bound in interval)
