"""Values worked out by hand; discounts are log2(rank + 1), gains 2^grade - 1."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery_knowledge.evaluation.metrics import Judged


def test_recall_counts_the_highest_grade() -> None:
    judged = Judged(["a", "b", "c", "d"], {"b": 2, "d": 2, "a": 1, "x": 0})
    assert [judged.recall(k) for k in (1, 2, 3, 4)] == [0.0, 0.5, 0.5, 1.0]


def test_recall_is_capped_by_what_can_be_found() -> None:
    judged = Judged(["a", "b"], {"a": 2, "b": 2, "c": 2})
    assert judged.recall(1) == 1.0
    assert judged.recall(2) == 1.0
    assert judged.recall(3) == pytest.approx(2 / 3)


def test_without_a_two_the_ones_are_wanted() -> None:
    assert Judged(["a"], {"a": 1, "b": 1}).recall(5) == 0.5


def test_precision_counts_every_grade_and_fills_up_with_misses() -> None:
    judged = Judged(["a", "x", "b"], {"a": 2, "b": 1})
    assert judged.precision(5) == pytest.approx(2 / 5)
    assert judged.precision(1) == 1.0
    assert judged.precision(2) == 0.5


@pytest.mark.parametrize(("position", "expected"), [(1, 1.0), (2, 0.5), (10, 0.1), (11, 0.0)])
def test_reciprocal_rank(position: int, expected: float) -> None:
    ranked = [f"x{n}" for n in range(1, 20)]
    ranked[position - 1] = "a"
    assert Judged(ranked, {"a": 1}).reciprocal_rank() == pytest.approx(expected)


def test_ndcg_by_hand() -> None:
    # Gains 1, 0, 3; ideal 3, 1.
    judged = Judged(["b", "x", "a"], {"a": 2, "b": 1})
    got = 1 / math.log2(2) + 3 / math.log2(4)
    ideal = 3 / math.log2(2) + 1 / math.log2(3)
    assert judged.ndcg() == pytest.approx(got / ideal)
    assert judged.ndcg() == pytest.approx(0.688529, abs=1e-6)


def test_ndcg_of_the_ideal_order_is_one() -> None:
    assert Judged(["a", "b", "x"], {"a": 2, "b": 1}).ndcg() == pytest.approx(1.0)


def test_a_target_that_comes_twice_counts_once_where_it_comes_first() -> None:
    """K145, on the side of the ranked list."""
    judged = Judged(["a", "a", "a", "b"], {"a": 2, "b": 2})
    assert judged.recall(2) == 1.0
    assert judged.precision(4) == 0.5
    assert judged.ndcg() == pytest.approx(1.0)


@pytest.mark.parametrize("grades", [{}, {"a": 0}])
def test_nothing_to_find_is_refused(grades: dict[str, int]) -> None:
    """K145: it is neither 0 nor 1."""
    with pytest.raises(ValueError, match="can't be scored"):
        Judged(["a"], grades)


def test_an_empty_list_finds_nothing() -> None:
    judged = Judged([], {"a": 2})
    assert (judged.recall(5), judged.precision(5), judged.reciprocal_rank(), judged.ndcg()) == (
        0.0, 0.0, 0.0, 0.0,
    )  # fmt: skip


TARGETS = st.sampled_from("abcdefg")


@given(
    st.lists(TARGETS, max_size=12),
    st.dictionaries(TARGETS, st.integers(0, 3), min_size=1).filter(lambda g: max(g.values()) > 0),
    st.integers(1, 12),
)
def test_every_measure_is_a_share(ranked: list[str], grades: dict[str, int], k: int) -> None:
    judged = Judged(ranked, grades)
    for value in (
        judged.recall(k), judged.precision(k), judged.reciprocal_rank(), judged.ndcg()
    ):  # fmt: skip
        assert 0.0 <= value <= 1.0 + 1e-12
    # What stands twice in the list changes nothing.
    again = Judged([*ranked, *ranked], grades)
    assert again.ndcg() == judged.ndcg()
    assert again.recall(k) == judged.recall(k)
