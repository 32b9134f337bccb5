from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from orrery_knowledge.confidence import ConfidenceModel, Signals
from orrery_knowledge.errors import ConfigurationError
from orrery_knowledge.evaluation.calibration import Judgement, fit, judgements, quality
from orrery_knowledge.evaluation.datasets import Dataset, LabelledQuery
from orrery_knowledge.evaluation.runs import Ranked

ZERO = Signals(*[0.0] * len(Signals._fields))


def judged(cosine: float, answers: bool, group: str = "answerable", *, odd: bool = True):
    return Judgement(odd, ZERO._replace(cosine=cosine), answers, group)


def by_cosine(threshold: float = 0.5) -> ConfidenceModel:
    return ConfidenceModel(
        fingerprint=None,
        mode="lexical",
        weights=ZERO._replace(cosine=1.0),
        intercept=0.0,
        threshold=threshold,
    )


def logit(share: float) -> float:
    return math.log(share / (1.0 - share))


def test_the_regression_finds_the_weights_that_made_the_data() -> None:
    """2,000 answers drawn with the probability 1 / (1 + exp(-(1.5 * cosine - 0.5)))."""
    random = np.random.default_rng(7)
    cosines = random.normal(size=2000)
    truth = random.random(2000) < 1 / (1 + np.exp(-(1.5 * cosines - 0.5)))
    made = [judged(float(c), bool(t)) for c, t in zip(cosines, truth, strict=True)]
    found = fit([*made, judged(-9.0, False, "far")], "lexical", None)
    assert found.weights.cosine == pytest.approx(1.5, abs=0.2)
    assert found.intercept == pytest.approx(-0.5, abs=0.15)
    assert found.weights[1:] == (0.0, 0.0, 0.0, 0.0)  # they never change


def test_even_queries_say_nothing_about_the_weights() -> None:
    odd = [judged(c, c > 0) for c in (-2.0, -1.0, 1.0, 2.0, -0.5, 0.5)]
    odd.append(judged(-3.0, False, "far"))
    even = [judged(-c, c > 0, odd=False) for c in (-2.0, -1.0, 1.0, 2.0)]
    assert fit([*odd, *even], "lexical", None) == fit(odd, "lexical", None)


def test_the_threshold_rejects_19_of_20_unrelated_queries() -> None:
    answers = [judged(c, c > 0) for c in (-2.0, -1.0, 1.0, 2.0)]
    far = [judged(n / 100, False, "far") for n in range(20)]
    found = fit([*answers, *far], "lexical", None)
    rejected = [one for one in far if found.probability(one.signals) < found.threshold]
    assert rejected == far[:19]


@pytest.mark.parametrize(
    "queries",
    [
        [judged(1.0, True), judged(2.0, True), judged(0.0, True, "far")],
        [judged(1.0, False), judged(0.0, False, "far")],
        [judged(1.0, True), judged(2.0, False)],
        [judged(1.0, True, odd=False), judged(0.0, False, "far", odd=False)],
    ],
)
def test_what_nothing_can_be_fitted_on_is_refused(queries) -> None:
    with pytest.raises(ConfigurationError, match="odd queries must hold"):
        fit(queries, "lexical", None)


def test_the_quality_by_hand() -> None:
    even = [
        judged(logit(0.9), True, odd=False),
        judged(logit(0.7), True, odd=False),
        judged(logit(0.6), False, odd=False),
        judged(logit(0.2), True, odd=False),
        judged(logit(0.3), False, "far", odd=False),
        judged(logit(0.65), False, "near", odd=False),
    ]
    found = quality(by_cosine(), [*even, judged(9.0, False, "far")])  # the odd one is left out
    assert found.queries == 6
    assert found.auroc == {"far": 0.75, "near": 0.5}  # 3 of 4 above .3; 2 of 4 above .65
    assert found.kept == {"far": 0.75, "near": 0.5}
    assert found.kept_at_threshold == 0.75
    assert found.rejected_at_threshold == {"far": 1.0, "near": 0.0}
    # .01 + .09 + .36 + .64 + .09 + .4225 = 1.6125
    assert found.brier == pytest.approx(1.6125 / 6, abs=1e-4)
    # bins: .9 one, right; .7 one, right; .6 and .65 wrong; .2 right; .3 wrong
    assert [(b.queries, b.answered) for b in found.curve] == [
        (1, 1.0), (1, 0.0), (2, 0.0), (1, 1.0), (1, 1.0),
    ]  # fmt: skip
    # K102: of .9, .7, .6 and .2 three reach .5; of all six .2 and .3 don't.
    assert [(c.kept, c.empty) for c in found.cuts if c.threshold == 0.5] == [(0.75, 0.3333)]
    # .8 + .3 + 1.25 + .3 + .1 = 2.75
    assert found.calibration_error == pytest.approx(2.75 / 6, abs=1e-4)


def test_what_found_nothing_has_no_confidence() -> None:
    found = quality(
        by_cosine(), [Judgement(False, None, False, "far"), judged(1.0, True, odd=False)]
    )
    assert found.auroc == {"far": 1.0}
    assert found.rejected_at_threshold == {"far": 1.0}


def test_answers_are_labelled_by_their_first_section() -> None:
    queries = (
        LabelledQuery(id="q-1", text="a"),
        LabelledQuery(id="q-2", text="b"),
        LabelledQuery(id="q-3", text="c", answerable=False, no_answer="near"),
    )
    dataset = Dataset(
        folder=Path("set"),
        queries=queries,
        qrels={"q-1": {("a.md", ""): 1}, "q-2": {("b.md", "remedy"): 2}},
    )
    ranked = {
        "q-1": Ranked(((("a.md", "x"), 1.0),), 0.9, ZERO),
        "q-2": Ranked(((("b.md", "cause"), 1.0), (("b.md", "remedy"), 0.5)), 0.9, ZERO),
        "q-3": Ranked((), 0.0, None),
    }
    assert judgements(dataset, ranked) == [
        Judgement(True, ZERO, True, "answerable"),
        Judgement(False, ZERO, False, "answerable"),
        Judgement(True, None, False, "near"),
    ]


def test_an_id_without_a_number_is_refused() -> None:
    dataset = Dataset(folder=Path("set"), queries=(LabelledQuery(id="q", text="a"),), qrels={})
    with pytest.raises(ConfigurationError, match="its id needs a number"):
        judgements(dataset, {"q": Ranked((), 0.0)})
