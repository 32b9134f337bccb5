from __future__ import annotations

import pytest

from orrery_knowledge.embedders.windows import cut, runs


@pytest.mark.parametrize(
    ("tokens", "lengths"),
    [
        (0, [0]),
        (1, [1]),
        (10, [10]),
        (11, [6, 5]),
        (20, [10, 10]),
        (21, [7, 7, 7]),
        (29, [10, 10, 9]),
        (40, [10, 10, 10, 10]),
        (4000, [10, 10, 10, 10]),
    ],
)
def test_windows_are_even_and_bounded(tokens: int, lengths: list[int]) -> None:
    windows = cut(range(tokens), 10, 4)
    assert [len(window) for window in windows] == lengths
    # In order, without gap or overlap.
    assert [token for window in windows for token in window] == list(range(sum(lengths)))


def test_runs_hold_similar_lengths() -> None:
    # Sorted: 2 (1), 3 (3), 5 (0), 5 (4), 9 (2). 3 rows of 5 are 15 padded tokens, 4 would be 20.
    assert runs([5, 2, 9, 3, 5], rows=8, tokens=15) == [[1, 3, 0], [4], [2]]


def test_runs_hold_at_most_so_many_rows() -> None:
    assert runs([1, 1, 1, 1, 1], rows=2, tokens=100) == [[0, 1], [2, 3], [4]]


def test_an_item_over_the_limit_is_alone() -> None:
    assert runs([50, 1, 60], rows=8, tokens=10) == [[1], [0], [2]]


def test_nothing_gives_no_run() -> None:
    assert runs([], rows=8, tokens=10) == []
