"""The least that each dataset must reach: a reviewed file that only rises."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from pathlib import Path

import yaml
from pydantic import TypeAdapter

from orrery_knowledge.errors import ConfigurationError
from orrery_knowledge.evaluation.runs import MEASURES, Evaluation

Minimums = dict[str, dict[str, dict[str, float]]]
"""Dataset -> mode -> measure -> the least mean over all of its answerable queries."""

SLACK = 0.01
"""How far a minimum stays below what was measured: less than one query of a hundred. Another
processor adds up in another order, and two sections of nearly the same score then change places."""

_HEADER = """\
# What `make eval` must reach: dataset, mode, measure, least mean over all answerable queries.
# These only rise. After a better run: orrery-knowledge eval retrieval ... --thresholds FILE --raise
"""
_FILE = TypeAdapter(Minimums)


def read_minimums(file: Path, *, missing_ok: bool = False) -> Minimums:
    """Read a file of minimums.

    Args:
        file: YAML.
        missing_ok: whether a file that isn't there holds none.

    Raises:
        ConfigurationError: it can't be read, or names a measure that there isn't.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        if missing_ok:
            return {}
        raise ConfigurationError(f"{file}: there is no such file") from None
    except OSError as error:
        raise ConfigurationError(f"{file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigurationError(f"{file}: it must be UTF-8") from None
    try:
        minimums = _FILE.validate_python(yaml.safe_load(text) or {}, strict=True)
    except (yaml.YAMLError, ValueError, RecursionError):  # a date that is none is a ValueError
        raise ConfigurationError(
            f"{file}: expected dataset, mode, measure and a number, each in the one before"
        ) from None
    for dataset, mode, measure, least in _entries(minimums):
        if measure not in MEASURES:
            raise ConfigurationError(
                f"{file}: {dataset}: {mode}: there is no measure {measure!r}; known: "
                f"{', '.join(sorted(MEASURES))}"
            )
        if not 0 <= least <= 1:
            raise ConfigurationError(f"{file}: {dataset}: {mode}: {measure} must lie in 0 to 1")
    return minimums


def fallen(minimums: Minimums, found: Iterable[Evaluation]) -> list[str]:
    """A line for every measure that is below its minimum."""
    lines = []
    for evaluation in found:
        reached = _reached(evaluation)
        for measure, least in minimums.get(evaluation.dataset, {}).get(evaluation.mode, {}).items():
            value = reached.get(measure, 0.0)
            if value < least:
                lines.append(
                    f"{evaluation.dataset} ({evaluation.mode}): {measure} fell to {value:.4f}; "
                    f"the least is {least:.4f}"
                )
    return lines


def unchecked(minimums: Minimums, found: Iterable[Evaluation]) -> list[str]:
    """A line for every run that has no minimum, so that nothing it finds can fail."""
    return [
        f"{evaluation.dataset} ({evaluation.mode}): no minimum, so nothing was checked"
        for evaluation in found
        if not minimums.get(evaluation.dataset, {}).get(evaluation.mode)
    ]


def raised(minimums: Minimums, found: Iterable[Evaluation]) -> Minimums:
    """The minimums after some runs: each stays or rises, and what has none gets one."""
    after = {
        dataset: {mode: dict(measures) for mode, measures in modes.items()}
        for dataset, modes in minimums.items()
    }
    for evaluation in found:
        measures = after.setdefault(evaluation.dataset, {}).setdefault(evaluation.mode, {})
        for measure, value in _reached(evaluation).items():
            measures[measure] = max(measures.get(measure, 0.0), _below(value))
    return after


def write_minimums(file: Path, minimums: Minimums) -> None:
    """Write the file, whole or not at all."""
    unfinished = file.with_name(f"{file.name}.unfinished")
    text = _HEADER + yaml.safe_dump(minimums, sort_keys=True)
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(file)


def _reached(evaluation: Evaluation) -> dict[str, float]:
    scores = evaluation.scores.get("all")
    return {measure: getattr(scores, measure) for measure in MEASURES} if scores else {}


def _below(value: float) -> float:
    """Three digits, a little below."""
    # In thousandths, and rounded first: 0.9 - 0.01 is a little more than 0.89, others are less.
    return max(0, math.floor(round((value - SLACK) * 1000, 6))) / 1000


def _entries(minimums: Minimums) -> Iterator[tuple[str, str, str, float]]:
    for dataset, modes in minimums.items():
        for mode, measures in modes.items():
            for measure, least in measures.items():
                yield dataset, mode, measure, least
