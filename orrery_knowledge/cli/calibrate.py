"""`orrery-knowledge eval calibrate`."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import click

from orrery_knowledge.cli import options
from orrery_knowledge.cli.files import check_folder
from orrery_knowledge.cli.labelled import (
    evaluation_embedder,
    evaluation_settings,
    run_labelled,
    vectors_option,
)
from orrery_knowledge.cli.terminal import print_json, say
from orrery_knowledge.confidence import Calibration, ConfidenceModel
from orrery_knowledge.evaluation.calibration import (
    Judgement,
    Quality,
    fit,
    judgements,
    quality,
)
from orrery_knowledge.evaluation.datasets import read_dataset
from orrery_knowledge.models import Mode


@click.command(
    epilog="""\b
Examples:
  orrery-knowledge eval calibrate my-set --output evals/calibration.json
  orrery-knowledge eval calibrate evals/retrieval/*/ --json"""
)
@click.argument("datasets", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--output", type=click.Path(path_type=Path), help="Write the calibration.")
@vectors_option
@options.as_json
@options.command
async def calibrate(
    config: Path | None,
    datasets: tuple[Path, ...],
    output: Path | None,
    vectors: Path | None,
    json_: bool,
) -> int:
    """Fit how sure answers are on the odd queries of DATASETS, judge on the even ones.

    Put the file that is written under review, and name it as search.calibration.
    """
    if output is not None:
        check_folder(output)
    settings = evaluation_settings(config)
    sets = [read_dataset(folder) for folder in datasets]
    embedder = evaluation_embedder(settings, vectors)
    modes: list[Mode] = ["lexical"] if embedder is None else ["lexical", "vector", "hybrid"]
    fitted: list[ConfidenceModel] = []
    found: list[Quality] = []
    for mode in modes:
        used = None if mode == "lexical" else embedder
        judged: list[Judgement] = []
        for dataset in sets:
            _, ranked = await run_labelled(dataset, settings, used, mode, quiet=json_)
            judged.extend(judgements(dataset, ranked))
        model = fit(judged, mode, used.fingerprint if used else None)
        fitted.append(model)
        found.append(quality(model, judged))
        if not json_:
            _show(model, found[-1])
    calibration = Calibration(
        fitted_on=tuple(dataset.name for dataset in sets), models=tuple(fitted)
    )
    if output is not None:
        await asyncio.to_thread(_write, output, calibration)
    if json_:
        print_json(
            {
                "calibration": _as_json(calibration),
                "quality": [one.model_dump(mode="json") for one in found],
            }
        )
    elif output is not None:
        say(f"written: {output}; review it, and name it as search.calibration")
    return 0


def _write(file: Path, calibration: Calibration) -> None:
    """Whole or not at all: the file may be the one in use."""
    unfinished = file.with_name(f"{file.name}.unfinished")
    unfinished.write_text(json.dumps(_as_json(calibration), indent=2) + "\n", encoding="utf-8")
    unfinished.replace(file)


def _as_json(calibration: Calibration) -> dict[str, Any]:
    """With a name for each weight, so that a reviewer knows what it is of."""
    values = calibration.model_dump(mode="json")
    for model, fitted in zip(values["models"], calibration.models, strict=True):
        model["weights"] = fitted.weights._asdict()
    return values


def _show(model: ConfidenceModel, found: Quality) -> None:
    say(f"{model.mode}, on {found.queries} queries that were not fitted on:")
    for group, share in found.kept.items():
        say(
            f"  {group:<14} AUROC {found.auroc[group]:.3f}; {share:.0%} of the answerable queries "
            f"are kept when 95 % of these are rejected"
        )
    rejected = ", ".join(
        f"{share:.0%} of {group}" for group, share in found.rejected_at_threshold.items()
    )
    say(
        f"  threshold {model.threshold:.2f}: keeps {found.kept_at_threshold:.0%} of the answerable "
        f"queries, rejects {rejected}"
    )
    say(f"  Brier {found.brier:.3f}, calibration error {found.calibration_error:.3f}")
    say("  confidence    answered    queries")
    for one in found.curve:
        say(f"  {one.confidence:>10.2f}{one.answered:>12.2f}{one.queries:>11}")
    say("  threshold     kept of the answerable    empty of all")
    for cut in found.cuts:
        say(f"  {cut.threshold:>9.2f}{cut.kept:>25.2f}{cut.empty:>16.2f}")
