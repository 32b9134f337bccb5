from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery_knowledge.fusion import (
    SCORE_WEIGHTS,
    Fused,
    aged,
    best_per_document,
    fuse,
    within_reach,
)
from orrery_knowledge.models import Candidate, Fusion, Rankings

METHODS: list[Fusion] = ["scores", "rrf", "weighted"]


def order(fused: list[Fused]) -> list[int]:
    return [item.chunk for item in fused]


def rankings(*candidates: Candidate, **lists: tuple[int, ...]) -> Rankings:
    return Rankings(load=1, rankings=lists, candidates={c.chunk: c for c in candidates})


def test_reciprocal_ranks_by_hand() -> None:
    found = fuse(
        rankings(
            Candidate(1, 10), Candidate(2, 20), Candidate(3, 30),
            lexical=(1, 2), vector=(2, 3),
        ),
        "rrf",
    )  # fmt: skip
    assert order(found) == [2, 1, 3]
    assert [item.score for item in found] == pytest.approx([1 / 62 + 1 / 61, 1 / 61, 1 / 62])
    assert found[0] == Fused(2, 20, found[0].score, {"lexical": 2, "vector": 1})
    assert found[2].ranks == {"vector": 2}


def test_identifiers_have_no_vote_of_their_own_beside_words() -> None:
    """They count in the lexical score already: a name would vote twice against the meaning."""
    found = fuse(
        rankings(
            Candidate(1, 10, 2.0, 3.0), Candidate(2, 20, 1.0, 0.0, 0.9),
            lexical=(1, 2), identifiers=(1,), vector=(2,),
        ),
        "rrf",
    )  # fmt: skip
    assert [item.score for item in found] == pytest.approx([1 / 61 + 1 / 62, 1 / 61])
    assert order(found) == [2, 1]
    assert found[1].ranks == {"lexical": 1, "identifiers": 1}


def test_weighted_ranks_by_hand() -> None:
    # By words: 1, 2/3, 1/3 of 0.3 from the front; by meaning: 1, 1/2 of 0.7.
    found = fuse(
        rankings(
            Candidate(1, 10, 3.0, 1.0), Candidate(2, 20, 2.0, 0.0, 0.8), Candidate(3, 30, 1.0),
            Candidate(4, 40, 0.0, 0.0, 0.9),
            lexical=(1, 2, 3), identifiers=(1,), vector=(4, 2),
        ),
        "weighted",
    )  # fmt: skip
    assert order(found) == [4, 2, 1, 3]
    assert [item.score for item in found] == pytest.approx([0.7, 0.35 + 0.2, 0.3, 0.1])


def test_scores_by_hand() -> None:
    # lexical 0.5 * 4/4 = 0.5, 0.25, 0.125; vector 0.5 * 0.2/0.8 = 0.125, 0.5, 0.25;
    # identifiers 0.05 * 3/3 for the third.
    found = fuse(
        rankings(
            Candidate(1, 1, 4.0, 0.0, 0.2),
            Candidate(2, 2, 2.0, 0.0, 0.8),
            Candidate(3, 3, 1.0, 3.0, 0.4),
            lexical=(1, 2, 3), vector=(2, 3, 1), identifiers=(3,),
        )
    )  # fmt: skip
    assert order(found) == [2, 1, 3]
    assert [item.score for item in found] == pytest.approx(
        [0.75, 0.625, 0.375 + SCORE_WEIGHTS["identifiers"]]
    )


def test_a_scale_without_its_ranking_does_not_count() -> None:
    found = fuse(rankings(Candidate(1, 1, 1.0, 0.0, 0.9), Candidate(2, 2, 2.0), lexical=(2, 1)))
    assert [(item.chunk, item.score) for item in found] == [(2, 0.5), (1, 0.25)]


def test_a_candidate_has_every_score_also_outside_a_ranking() -> None:
    """Chunk 2 fell out of the vector ranking's pool, but its cosine still counts."""
    found = fuse(
        rankings(
            Candidate(1, 1, 2.0, 0.0, 0.5), Candidate(2, 2, 2.0, 0.0, 0.4),
            lexical=(1, 2), vector=(1,),
        )
    )  # fmt: skip
    assert [item.score for item in found] == pytest.approx([1.0, 0.9])


@pytest.mark.parametrize("method", METHODS)
def test_ties_go_by_chunk(method: Fusion) -> None:
    found = fuse(
        rankings(
            Candidate(5, 1, 1.0, 0.0, 1.0), Candidate(3, 2, 1.0, 0.0, 1.0),
            lexical=(5, 3), vector=(3, 5),
        ),
        method,
    )  # fmt: skip
    assert order(found) == [3, 5]


@pytest.mark.parametrize("method", METHODS)
def test_a_managed_retriever_keeps_its_order(method: Fusion) -> None:
    """It has ranks and no scores of ours; sorted by chunk this would be 4, 7, 9."""
    only = rankings(Candidate(4, 1), Candidate(7, 2), Candidate(9, 3), managed=(9, 4, 7))
    found = fuse(only, method)
    assert order(found) == [9, 4, 7]
    assert [item.score for item in found] == pytest.approx([1 / 61, 1 / 62, 1 / 63])


@pytest.mark.parametrize("name", ["lexical", "vector", "identifiers"])
def test_so_does_one_that_calls_its_ranking_like_ours(name: str) -> None:
    only = rankings(Candidate(4, 1), Candidate(7, 2), Candidate(9, 3), **{name: (9, 4, 7)})
    assert order(fuse(only)) == [9, 4, 7]


def test_cosines_below_zero_keep_their_order() -> None:
    only = rankings(Candidate(1, 1, vector=-0.4), Candidate(2, 2, vector=-0.1), vector=(2, 1))
    assert order(fuse(only)) == [2, 1]


def test_an_unknown_ranking_beside_ours_is_fused_by_rank() -> None:
    both = rankings(
        Candidate(1, 1, 9.0), Candidate(2, 2, 1.0), Candidate(3, 3),
        lexical=(1, 2), managed=(3, 2),
    )  # fmt: skip
    assert order(fuse(both)) == [2, 1, 3]  # 1/62 + 1/62, 1/61, 1/61


@pytest.mark.parametrize("method", METHODS)
def test_no_candidates(method: Fusion) -> None:
    assert fuse(Rankings(load=None), method) == []
    assert fuse(Rankings(load=1, rankings={"lexical": (), "vector": ()}), method) == []


@pytest.mark.parametrize("method", METHODS)
def test_a_chunk_that_is_no_candidate_is_left_out(method: Fusion) -> None:
    """A retriever of somebody else's may forget one; without its document it can't be shown."""
    found = fuse(rankings(Candidate(2, 1, 1.0), lexical=(1, 2)), method)
    assert [(item.chunk, item.ranks) for item in found] == [(2, {"lexical": 2})]


@pytest.mark.parametrize("method", METHODS)
def test_a_chunk_that_stands_twice_counts_where_it_stands_first(method: Fusion) -> None:
    found = fuse(rankings(Candidate(1, 1, 1.0), Candidate(2, 2, 0.5), lexical=(1, 2, 1)), method)
    assert order(found) == [1, 2]
    assert found[0].ranks == {"lexical": 1}


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_no_number_comes_last(bad: float) -> None:
    """K078: the order stays total, and the others keep their scores."""
    found = fuse(
        rankings(
            Candidate(1, 1, bad, 0.0, bad), Candidate(2, 2, 1.0, 0.0, 0.5),
            Candidate(3, 3, 2.0, 0.0, 0.5), lexical=(1, 3, 2), vector=(1, 2, 3),
        )
    )  # fmt: skip
    assert [(item.chunk, item.score) for item in found] == [(3, 1.0), (2, 0.75), (1, 0.0)]


def test_one_hundred_scores_with_gaps_sort_the_same_however_they_come() -> None:
    """K078 at its size."""
    candidates = [Candidate(n, n, math.nan if n % 7 == 0 else float(n % 10)) for n in range(1, 101)]
    expected = sorted(
        (c.chunk for c in candidates), key=lambda n: (0.0 if n % 7 == 0 else -(n % 10), n)
    )
    names = tuple(c.chunk for c in candidates)
    shuffled = random.Random(3)
    for _ in range(5):
        shuffled.shuffle(candidates)
        assert order(fuse(rankings(*candidates, lexical=names))) == expected


SCORES = st.floats(allow_nan=True, allow_infinity=True)


@given(
    st.lists(st.tuples(SCORES, SCORES, st.none() | SCORES), max_size=12),
    st.sampled_from(METHODS),
    st.randoms(use_true_random=False),
)
def test_the_order_is_total_and_complete(
    values: list[tuple[float, float, float | None]], method: Fusion, random_: random.Random
) -> None:
    candidates = [Candidate(n, n % 3, *value) for n, value in enumerate(values)]
    lists: dict[str, tuple[int, ...]] = {}
    for name in ("lexical", "identifiers", "vector"):
        chunks = [c.chunk for c in candidates if random_.random() < 0.7]
        random_.shuffle(chunks)
        lists[name] = tuple(chunks)
    found = fuse(rankings(*candidates, **lists), method)
    assert sorted(order(found)) == list(range(len(values)))
    keys = [(-item.score, item.chunk) for item in found]
    assert keys == sorted(keys)
    assert all(math.isfinite(item.score) for item in found)
    random_.shuffle(candidates)
    assert fuse(rankings(*candidates, **lists), method) == found


def fused(*documents: int) -> list[Fused]:
    return [Fused(n, document, 1.0, {}) for n, document in enumerate(documents)]


@pytest.mark.parametrize(
    ("limit", "kept"),
    [(1, [0, 2, 5]), (2, [0, 1, 2, 4, 5]), (3, [0, 1, 2, 3, 4, 5]), (0, [0, 1, 2, 3, 4, 5])],
)
def test_best_per_document(limit: int, kept: list[int]) -> None:
    assert order(best_per_document(fused(7, 7, 8, 7, 8, 9), limit)) == kept


def test_nothing_stays_nothing() -> None:
    assert best_per_document([], 1) == []


@pytest.mark.parametrize(
    ("age", "share"),
    [
        (None, 1.0),  # unknown is never guessed
        (-3, 1.0),  # a clock that is ahead
        (0, 1.0),
        (180, 1.0),
        (360, 0.95),  # twice as old as fresh advice is: half of the penalty
        (1800, 0.91),
        (1_800_000, 0.90001),
    ],
)
def test_old_advice_loses_a_tenth_at_most(age: int | None, share: float) -> None:
    """B6: bounded, so what is much better stays first however old it is."""
    assert aged(Fused(1, 1, 2.0, {}), age, 180, 0.1).score == pytest.approx(2.0 * share)


def test_no_penalty_changes_nothing() -> None:
    item = Fused(1, 1, 2.0, {"lexical": 1})
    assert aged(item, 5000, 180, 0.0) == item


def test_only_what_a_penalty_can_lift_is_within_reach() -> None:
    """Of the second, 1.0, nine tenths may be left: 0.91 can pass it, 0.9 can't."""
    scores = [Fused(n, n, score, {}) for n, score in enumerate([2.0, 1.0, 0.91, 0.9, 0.5])]
    assert order(within_reach(scores, 2, 0.1)) == [0, 1, 2]
    assert order(within_reach(scores, 2, 0.0)) == [0, 1]
    assert order(within_reach(scores, 9, 0.1)) == [0, 1, 2, 3, 4]
    assert within_reach([], 3, 0.1) == []
