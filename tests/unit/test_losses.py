from __future__ import annotations

import pytest

from orrery_knowledge.losses import Losses


def losses(gone: int, known: int, **given: bool) -> Losses:
    said = {"allow_mass_delete": False, "allow_empty": False, **given}
    return Losses(max_share=0.3, gone=gone, known=known, **said)


@pytest.mark.parametrize(
    ("gone", "known", "many"),
    [
        (0, 0, False),
        (1, 1, False),  # one alone is no mass deletion, whatever its share
        (2, 2, True),
        (3, 10, False),  # 30 % is the limit itself
        (4, 10, True),
        (29, 97, False),
        (30, 97, True),
    ],
)
def test_a_mass_deletion_is_a_share_of_at_least_two(gone: int, known: int, many: bool) -> None:
    assert losses(gone, known).many_go is many
    assert losses(gone, known).are_allowed is not many


@pytest.mark.parametrize(
    ("mass_delete", "empty", "allowed"),
    [(False, False, False), (True, False, False), (False, True, False), (True, True, True)],
)
def test_a_source_that_was_emptied_needs_both_options_and_says_so(
    mass_delete: bool, empty: bool, allowed: bool
) -> None:
    found = losses(5, 5, nothing_left=True, allow_mass_delete=mass_delete, allow_empty=empty)
    assert found.are_allowed is allowed
    assert found.refusal("x").endswith(
        "If that is meant, run sync --allow-mass-delete --allow-empty"
    )


def test_only_what_is_needed_is_named() -> None:
    assert losses(4, 10).refusal("nothing") == (
        "4 of 10 documents are gone from their sources (over 30%); nothing was activated. "
        "If that is meant, run sync --allow-mass-delete"
    )
    assert losses(1, 1, nothing_left=True).refusal("nothing", check_paths=True) == (
        "nothing; nothing was activated. Check their paths; if that is meant, run "
        "sync --allow-empty"
    )
