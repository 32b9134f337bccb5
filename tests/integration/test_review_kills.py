"""Approvals and reports that are killed are recorded whole or not at all, and never lost."""

from __future__ import annotations

import random

import pytest
from kill_support import KILLED, kill_at
from review_kill_support import FILING, WHO, Edited, edited, killed_filing, survive_approval
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


@pytest.mark.parametrize(
    ("point", "filed"),
    [
        ("file_pending:1:before", 0),
        ("file_pending:1:after", 1),
        ("record:1:before", 1),
        ("record:1:after", 1),
    ],
)
def test_a_report_that_is_killed_while_it_is_filed_is_filed_once_at_most(
    empty_place: Place, monkeypatch: pytest.MonkeyPatch, point: str, filed: int
) -> None:
    empty_place.fill(1)
    empty_place.sync()
    empty_place.write("../report.md", "# Outage\n\nThe walrus pool ran dry.\n")
    assert kill_at(empty_place, point, killed_filing) == KILLED
    assert len(empty_place.reviews()) == filed
    assert empty_place.holding("walrus") == set()
    assert empty_place.cli("sync").code == 0
    monkeypatch.chdir(empty_place.root)
    again = empty_place.cli(*FILING)
    assert again.code == 0
    assert empty_place.reviews() == {"INC-1.md": ["pending"]}
    assert empty_place.cli("review", "approve", again.json["id"], *WHO).json["answers"]
    assert empty_place.search("walrus", corpus="reports").passages
