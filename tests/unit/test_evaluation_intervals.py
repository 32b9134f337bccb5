from __future__ import annotations

import math

import pytest

from orrery_knowledge.evaluation.intervals import interval, paired_difference


def test_equal_scores_leave_nothing_open() -> None:
    assert interval([0.5] * 7) == (0.5, 0.5, 0.5)


def test_a_share_has_about_the_width_that_its_variance_gives() -> None:
    # 80 of 100: the standard error is sqrt(.8 * .2 / 100) = .04, so 95 % is .8 +- .0784.
    found = interval([1.0] * 80 + [0.0] * 20, samples=8000)
    assert found.mean == pytest.approx(0.8)
    assert found.low == pytest.approx(0.7216, abs=0.012)
    assert found.high == pytest.approx(0.8784, abs=0.012)


def test_four_times_the_queries_halve_the_width() -> None:
    few, many = ([score for score in (0.0, 1.0) for _ in range(half)] for half in (25, 100))
    width = [found.high - found.low for found in (interval(few), interval(many))]
    assert width[0] / width[1] == pytest.approx(2, abs=0.3)


def test_the_same_scores_give_the_same_interval_and_another_seed_another() -> None:
    scores = [math.sin(number) ** 2 for number in range(40)]
    assert interval(scores) == interval(scores)
    assert interval(scores, seed=1) != interval(scores, seed=2)


def test_pairing_takes_out_what_is_hard_for_both() -> None:
    """Queries differ by up to 1, the two runs by .1 to .2 on each: that is no noise."""
    before = [0.8 * (number % 2) for number in range(50)]
    after = [score + 0.1 + 0.002 * number for number, score in enumerate(before)]
    gap = paired_difference(before, after)
    assert gap.mean == pytest.approx(0.149)
    assert 0.13 < gap.low < gap.mean < gap.high < 0.17
    # The two intervals by themselves lie over each other.
    assert interval(before).high > interval(after).low
    back = paired_difference(after, before)
    assert back.mean == pytest.approx(-0.149)


def test_no_difference_holds_zero() -> None:
    first = [1.0, 0.0] * 20
    gap = paired_difference(first, first[::-1])
    assert gap.low < 0 < gap.high


def test_without_scores_or_pairs_it_is_refused() -> None:
    with pytest.raises(ValueError, match="no scores"):
        interval([])
    with pytest.raises(ValueError, match="same queries"):
        paired_difference([1.0], [1.0, 0.0])
