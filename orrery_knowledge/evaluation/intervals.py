"""How far a mean over few queries can be trusted: bootstrap intervals.

Percentile bootstrap (Efron and Tibshirani 1993, chapter 13): queries are drawn again with
replacement. The draws are seeded, so the same scores always give the same interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SAMPLES = 2000
LEVEL = 0.95
SEED = 2026
_BATCH = 250
"""Samples drawn at once: ten thousand queries then take 20 MB."""


class Interval(NamedTuple):
    """A mean, and the bounds that it lies within in 95 of 100 draws of the queries."""

    mean: float
    low: float
    high: float


def interval(scores: Sequence[float], *, samples: int = SAMPLES, seed: int = SEED) -> Interval:
    """The interval of a mean.

    Args:
        scores: one a query.
        samples: how often the queries are drawn.
        seed: of the draws.

    Raises:
        ValueError: there is no score.
    """
    if not scores:
        raise ValueError("no scores, no interval")
    values = np.asarray(scores, np.float64)
    low, high = np.quantile(_means(values, samples, seed), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(values.mean()), float(low), float(high))


def paired_difference(
    first: Sequence[float], second: Sequence[float], *, samples: int = SAMPLES, seed: int = SEED
) -> Interval:
    """The interval of ``mean(second) - mean(first)`` over the same queries.

    Paired: a query that is hard for both does not widen it. If 0 lies outside, the difference is
    more than the choice of these queries.

    Args:
        first: one score a query.
        second: those of the same queries, in the same order.
        samples: how often the queries are drawn.
        seed: of the draws.

    Raises:
        ValueError: the two are not of the same length, or empty.
    """
    if len(first) != len(second):
        raise ValueError("the scores of two runs must be those of the same queries")
    differences = [after - before for before, after in zip(first, second, strict=True)]
    return interval(differences, samples=samples, seed=seed)


def _means(values: NDArray[np.float64], samples: int, seed: int) -> NDArray[np.float64]:
    draw = np.random.default_rng(seed)
    batches = [min(_BATCH, samples - done) for done in range(0, samples, _BATCH)]
    return np.concatenate(
        [
            values[draw.integers(0, len(values), (size, len(values)))].mean(axis=1)
            for size in batches
        ]
    )
