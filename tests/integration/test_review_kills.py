"""An approval that is killed, wherever it is, is recorded whole or not at all, and never lost."""

from __future__ import annotations

import random

import pytest
from kill_support import KILLED
from review_kill_support import Edited, edited, survive_approval
from sync_support import Place

pytest_plugins = ["engine_fixtures"]

BEFORE_THE_DECISION = ["decision_lock:1:before", "decide:1:before"]
BEFORE_THE_SWAP = [
    "decide:1:after",
    "set_eligible:1:before",
    "set_eligible:1:after",
    "begin:1:before",
    "begin:1:after",
    "write:1:before",
    "write:1:after",
    "check:1:after",
    "activate:1:before",
    "activate:sql:commit",
]
AFTER_THE_SWAP = ["activate:1:after", "gc:1:before", "gc:1:after"]


@pytest.fixture
def review(empty_place: Place) -> Edited:
    """A page that answers, and an edit of it that waits."""
    return edited(empty_place)


@pytest.mark.parametrize("point", BEFORE_THE_DECISION)
def test_killed_before_it_is_recorded_nothing_was_decided(review: Edited, point: str) -> None:
    assert survive_approval(review, point) == (KILLED, False, "old")


@pytest.mark.parametrize("point", BEFORE_THE_SWAP)
def test_killed_before_the_swap_the_decision_stands_and_is_paid(review: Edited, point: str) -> None:
    assert survive_approval(review, point) == (KILLED, True, "old")


@pytest.mark.parametrize("point", AFTER_THE_SWAP)
def test_killed_after_the_swap_the_edit_answers(review: Edited, point: str) -> None:
    assert survive_approval(review, point) == (KILLED, True, "new")


def test_killed_at_random(review: Edited) -> None:
    seed = random.randrange(2**32)
    delay = random.Random(seed).uniform(0.0, 0.3)
    try:
        survive_approval(review, f"random:{delay}:-")
    except AssertionError as error:
        raise AssertionError(f"seed {seed}: after {delay:.4f} s") from error


def test_what_a_killed_approval_owes_is_paid_by_the_next_review(review: Edited) -> None:
    assert survive_approval(review, "begin:1:after", repair="review") == (KILLED, True, "old")
