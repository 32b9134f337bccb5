from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery_knowledge.confidence import confidence, found_something
from orrery_knowledge.models import Candidate, FetchedChunk, Rankings
from orrery_knowledge.testing.documents import make_document


def rankings(*candidates: Candidate, coverage: float = 0.0) -> Rankings:
    return Rankings(load=1, candidates={c.chunk: c for c in candidates}, coverage=coverage)


def test_the_best_cosine_counts() -> None:
    found = rankings(Candidate(1, 1, vector=0.31), Candidate(2, 2, vector=0.62), coverage=0.9)
    assert confidence(found) == 0.62


def test_without_vectors_the_coverage_counts() -> None:
    assert confidence(rankings(Candidate(1, 1, lexical=7.0), coverage=0.4)) == 0.4


@pytest.mark.parametrize(("cosine", "expected"), [(-0.3, 0.0), (1.0000001, 1.0)])
def test_it_lies_between_0_and_1(cosine: float, expected: float) -> None:
    assert confidence(rankings(Candidate(1, 1, vector=cosine))) == expected


def test_no_number_is_no_confidence() -> None:
    """K078's sibling: NaN is no JSON, and `max` keeps it or drops it by position."""
    nan = Candidate(1, 1, vector=math.nan)
    assert confidence(rankings(nan)) == 0.0
    assert confidence(rankings(nan, Candidate(2, 2, vector=0.5))) == 0.5
    assert confidence(rankings(Candidate(2, 2, vector=0.5), nan)) == 0.5
    assert confidence(rankings(Candidate(1, 1, vector=math.inf))) == 0.0


def test_nothing_is_no_confidence() -> None:
    assert confidence(Rankings(load=None)) == 0.0


@given(
    st.lists(st.none() | st.floats(allow_nan=True, allow_infinity=True), max_size=6),
    st.floats(allow_nan=True, allow_infinity=True),
)
def test_it_is_always_a_share(cosines: list[float | None], coverage: float) -> None:
    found = rankings(*(Candidate(n, n, vector=v) for n, v in enumerate(cosines)), coverage=coverage)
    assert 0.0 <= confidence(found) <= 1.0


def best(*identifiers: str) -> FetchedChunk:
    chunk = make_document("a.md", "# A\n\nb\n").chunks[0].chunk
    return FetchedChunk(
        id=1, chunk=chunk, corpus="c", source="s", path="a.md", uri="a", title="A", service=None,
        digest="0" * 64, commit=None, revision="1", modified_at=None, trust="t",
        identifiers=identifiers,
    )  # fmt: skip


NAMED = Candidate(1, 1, identifiers=5.0, vector=0.4)


@pytest.mark.parametrize(
    ("coverage", "expected"),
    [
        (1.0, 0.58),  # 1 - 0.6 * 0.7: the name is all that was asked for
        (0.5, 0.49),  # 1 - 0.6 * 0.85
        (0.0, 0.4),  # it stands there in passing
    ],
)
def test_an_exact_name_and_the_cosine_add_up(coverage: float, expected: float) -> None:
    found = rankings(NAMED, coverage=coverage)
    assert confidence(found, "CrashLoopBackOff", best("crashloopbackoff")) == pytest.approx(
        expected
    )


@pytest.mark.parametrize(
    ("query", "candidate", "passage"),
    [
        ("CrashLoopBackOff", NAMED, None),
        ("CrashLoopBackOff", NAMED, best()),
        ("CrashLoopBackOff", NAMED, best("crashloopbackoff-x")),  # a longer name
        ("crashloopbackoff", NAMED, best("crashloopbackoff")),  # a plain word of the question
        ("k8s.CrashLoopBackOff", NAMED, best("crashloopbackoff")),  # a piece of its name
        ("CrashLoopBackOff", NAMED._replace(identifiers=1.99), best("crashloopbackoff")),  # common
        ("CrashLoopBackOff", NAMED._replace(chunk=2), best("crashloopbackoff")),  # no candidate
    ],
)
def test_anything_less_than_a_rare_exact_name_adds_nothing(
    query: str, candidate: Candidate, passage: FetchedChunk | None
) -> None:
    assert confidence(rankings(candidate, coverage=1.0), query, passage) == 0.4


@pytest.mark.parametrize(
    ("candidate", "coverage", "expected"),
    [
        (Candidate(1, 1, identifiers=0.1), 0.0, True),
        (Candidate(1, 1, vector=0.2), 0.0, True),
        (Candidate(1, 1, vector=0.19), 0.14, False),
        (Candidate(1, 1, lexical=0.3), 0.15, True),
        (Candidate(1, 1, lexical=9.0), 0.14, False),
        (Candidate(1, 1, vector=math.nan), 0.0, False),
    ],
)
def test_the_floors(candidate: Candidate, coverage: float, expected: bool) -> None:
    assert found_something(rankings(candidate, coverage=coverage)) is expected


def test_nothing_was_found_among_nothing() -> None:
    assert not found_something(Rankings(load=1))
