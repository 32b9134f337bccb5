"""The measures agree with trec_eval's own code on random runs, ties included."""

from __future__ import annotations

import random

import pytest
import pytrec_eval

from orrery_knowledge.evaluation.metrics import Judged

MEASURES = {"recall.1,5", "P.1,5", "recip_rank", "ndcg_cut.10"}


def random_query(draw: random.Random) -> tuple[dict[str, float], dict[str, int]]:
    """Scores of which many are equal, and grades of which some are not in the run."""
    names = [f"d{number:03d}" for number in range(draw.randint(1, 40))]
    scores = {name: draw.randint(0, 6) / 2 for name in names}
    grades = {
        f"d{number:03d}": draw.choice([0, 1, 1, 2, 2, 3]) for number in draw.sample(range(60), 12)
    }
    grades["d999"] = 1  # relevant, and never found
    return scores, grades


def trec(scores: dict[str, float], grades: dict[str, int], measure: str) -> float:
    """What trec_eval says; it breaks ties by name, the highest first."""
    evaluator = pytrec_eval.RelevanceEvaluator({"q": grades}, MEASURES)
    return float(evaluator.evaluate({"q": scores})["q"][measure])


def in_order(scores: dict[str, float]) -> list[str]:
    return sorted(scores, key=lambda name: (scores[name], name), reverse=True)


@pytest.mark.parametrize("seed", range(60))
def test_the_measures_are_those_of_trec_eval(seed: int) -> None:
    scores, grades = random_query(random.Random(seed))
    ranked = in_order(scores)
    judged = Judged(ranked, grades)
    # trec_eval's gain is the grade itself.
    gains = {name: 2**grade - 1 for name, grade in grades.items()}
    assert judged.ndcg() == pytest.approx(trec(scores, gains, "ndcg_cut_10"), abs=1e-9)
    first_ten = {name: scores[name] for name in ranked[:10]}
    assert judged.reciprocal_rank() == pytest.approx(trec(first_ten, grades, "recip_rank"))
    best = max(grades.values())
    wanted = {name: int(grade == best) for name, grade in grades.items()}
    for k in (1, 5):
        assert judged.precision(k) == pytest.approx(trec(scores, grades, f"P_{k}"))
        # Ours is a share of what k places can hold, theirs of all there is.
        held = min(1.0, k / sum(wanted.values()))
        assert judged.recall(k) * held == pytest.approx(trec(scores, wanted, f"recall_{k}"))


def test_the_runs_hold_what_makes_measures_differ() -> None:
    """Ties across the cut, several wanted targets, and lists shorter than the cut."""
    drawn = [random_query(random.Random(seed)) for seed in range(60)]
    orders = [[scores[name] for name in in_order(scores)] for scores, _ in drawn]
    assert sum(len(order) > 10 and order[9] == order[10] for order in orders) > 20
    assert sum(len(order) < 5 for order in orders) > 2
    wanted = [sum(grade == max(g.values()) for grade in g.values()) for _, g in drawn]
    assert sum(count > 1 for count in wanted) > 20
