"""Fits the confidence: how likely a first passage answers, given the raw signals.

Logistic regression with a small ridge, by Newton's method (Hastie, Tibshirani and Friedman 2009,
section 4.4.1). Queries with odd numbers are fitted on, those with even numbers only judge.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from orrery_knowledge.confidence import ConfidenceModel, Signals
from orrery_knowledge.errors import ConfigurationError
from orrery_knowledge.evaluation.datasets import Dataset
from orrery_knowledge.evaluation.runs import Ranked, grade_of_first
from orrery_knowledge.models import Mode, Model

REJECTED = 0.95
"""Share of the unrelated queries that the threshold rejects."""

RIDGE = 1.0
"""Penalty on squared weights of standardised signals: a few hundred queries fit no more."""

BINS = 10
CUTS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_STEPS = 100
_CONVERGED = 1e-9
_LAST_NUMBER = re.compile(r"([0-9]+)[^0-9]*$")

Array = NDArray[np.float64]


class Judgement(NamedTuple):
    """One labelled answer.

    Attributes:
        odd: whether the query's number is odd.
        signals: of the answer; None when nothing was found.
        answers: whether the first passage is relevant.
        group: ``"answerable"``, or how near an unanswerable query is (``"far"``, ``"near"``).
    """

    odd: bool
    signals: Signals | None
    answers: bool
    group: str


class Bin(Model):
    """Answers of about the same confidence: how many, their mean, how many did answer."""

    queries: int
    confidence: float
    answered: float


class Cut(Model):
    """What a threshold would do: share of answerable queries kept, of all queries left empty."""

    threshold: float
    kept: float
    empty: float


class Quality(Model):
    """How good a model is on queries that it was not fitted on.

    Attributes:
        queries: how many.
        auroc: group of unanswerable queries -> chance that an answerable one gets the higher
            confidence.
        kept: group -> share of answerable queries above what rejects 95 % of the group.
        kept_at_threshold: share of answerable queries that the model's threshold keeps.
        rejected_at_threshold: group -> share that the threshold rejects; `fit` chose it by all
            of ``"far"``, so for that group this says little.
        brier: mean squared difference between confidence and truth (Brier 1950).
        calibration_error: mean difference in a bin, weighted by its size.
        curve: the bins, from unsure to sure; empty ones are left out.
        cuts: other thresholds, on the very confidence that search compares with its own.
    """

    queries: int
    auroc: dict[str, float]
    kept: dict[str, float]
    kept_at_threshold: float
    rejected_at_threshold: dict[str, float]
    brier: float
    calibration_error: float
    curve: tuple[Bin, ...]
    cuts: tuple[Cut, ...]


def judgements(dataset: Dataset, ranked: Mapping[str, Ranked]) -> list[Judgement]:
    """Label the answers to a dataset's queries.

    Raises:
        ConfigurationError: a query's id holds no number, so nothing says which half it is in.
    """
    found = []
    for query in dataset.queries:
        number = _LAST_NUMBER.search(query.id)
        if number is None:
            raise ConfigurationError(f"query {query.id!r}: its id needs a number, odd to be fitted")
        answer = ranked[query.id]
        grade = grade_of_first(dataset, query.id, answer) if query.answerable else 0
        group = "answerable" if query.answerable else (query.no_answer or "unanswerable")
        found.append(Judgement(int(number[1]) % 2 == 1, answer.signals, grade > 0, group))
    return found


def fit(judged: Sequence[Judgement], mode: Mode, fingerprint: str | None) -> ConfidenceModel:
    """Fit a model on the odd queries of some judgements.

    Unrelated queries are few, so all of them choose the threshold; the odd ones alone the weights.

    Raises:
        ConfigurationError: they hold no answer, no failure, or no unrelated query.
    """
    odd = [one for one in judged if one.odd and one.signals is not None]
    truth = np.array([float(one.answers) for one in odd])
    if not (0 < truth.sum() < len(truth)) or not any(one.group == "far" for one in odd):
        raise ConfigurationError(
            "the odd queries must hold some that are answered, some that are not, and some that "
            "are unrelated (no_answer: far)"
        )
    weights, intercept = _regression(np.array([one.signals for one in odd]), truth)
    model = ConfidenceModel(
        fingerprint=fingerprint,
        mode=mode,
        weights=Signals(*(round(float(weight), 4) for weight in weights)),
        intercept=round(float(intercept), 4),
        threshold=0.0,
    )
    unrelated = [_sure(model, one) for one in judged if one.group == "far"]
    threshold = min(1.0, math.ceil(1e4 * _rejecting(unrelated)) / 1e4)
    return model.model_copy(update={"threshold": threshold})


def quality(model: ConfidenceModel, judged: Iterable[Judgement]) -> Quality:
    """Judge a model on the even queries of some judgements."""
    even = [one for one in judged if not one.odd]
    sure = np.array([_sure(model, one) for one in even])
    truth = np.array([float(one.answers) for one in even])
    groups = np.array([one.group for one in even])
    answerable = sure[groups == "answerable"]
    others = {name: sure[groups == name] for name in sorted(set(groups) - {"answerable"})}
    curve = tuple(_bins(sure, truth))
    return Quality(
        queries=len(even),
        auroc={name: _auroc(answerable, values) for name, values in others.items()},
        kept={name: _share(answerable >= _rejecting(values)) for name, values in others.items()},
        kept_at_threshold=_share(answerable >= model.threshold),
        rejected_at_threshold={
            name: _share(values < model.threshold) for name, values in others.items()
        },
        brier=round(float(np.mean((sure - truth) ** 2)), 4) if len(even) else 0.0,
        calibration_error=round(
            sum(one.queries * abs(one.confidence - one.answered) for one in curve)
            / max(1, len(even)),
            4,
        ),
        curve=curve,
        cuts=tuple(
            Cut(threshold=cut, kept=_share(answerable >= cut), empty=_share(sure < cut))
            for cut in CUTS
        ),
    )


def _sure(model: ConfidenceModel, one: Judgement) -> float:
    return model.probability(one.signals) if one.signals is not None else 0.0


def _regression(signals: Array, truth: Array) -> tuple[Array, float]:
    """Weights and intercept; a signal that never changes gets no weight."""
    mean, spread = signals.mean(axis=0), signals.std(axis=0)
    spread[spread < _CONVERGED] = np.inf
    columns = np.column_stack([(signals - mean) / spread, np.ones(len(signals))])
    penalty = np.diag([RIDGE] * signals.shape[1] + [0.0])
    weights = np.zeros(columns.shape[1])
    for _ in range(_STEPS):
        sure = 1.0 / (1.0 + np.exp(-columns @ weights))
        gradient = columns.T @ (truth - sure) - penalty @ weights
        curvature = (columns.T * (sure * (1.0 - sure))) @ columns + penalty
        step = np.linalg.solve(curvature, gradient)
        weights += step
        if np.abs(step).max() < _CONVERGED:
            break
    own = weights[:-1] / spread
    return own, float(weights[-1] - own @ mean)


def _rejecting(values: Sequence[float] | Array) -> float:
    """The least confidence that `REJECTED` of some values stay below."""
    if not len(values):
        return 0.0
    ordered = np.sort(np.asarray(values))
    highest = ordered[int(np.ceil(REJECTED * len(ordered))) - 1]
    return float(np.nextafter(highest, 2.0))


def _auroc(higher: Array, lower: Array) -> float:
    """Chance that one of the first exceeds one of the second; equal ones count half."""
    if not len(higher) or not len(lower):
        return 0.0
    difference = higher[:, np.newaxis] - lower
    return round(float(np.mean((difference > 0) + 0.5 * (difference == 0))), 4)


def _share(which: NDArray[np.bool_]) -> float:
    return round(float(which.mean()), 4) if len(which) else 0.0


def _bins(sure: Array, truth: Array) -> Iterable[Bin]:
    place = np.minimum((sure * BINS).astype(int), BINS - 1)
    for number in range(BINS):
        here = place == number
        if here.any():
            yield Bin(
                queries=int(here.sum()),
                confidence=round(float(sure[here].mean()), 4),
                answered=round(float(truth[here].mean()), 4),
            )
