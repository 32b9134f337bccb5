from __future__ import annotations

from orrery_knowledge.fusion import Fused
from orrery_knowledge.models import Candidate, Named, OutlinedChunk, Rankings
from orrery_knowledge.naming import LIFT, named_first, with_named


def named(*chunks: tuple[int, int]) -> Named:
    """What names chunks, each with its document."""
    rows = (OutlinedChunk(c, d, "k", None, "a.md", "u", "A", ("A",), "a") for c, d in chunks)
    return Named("alert_name", tuple(rows), True)


def fused(*items: tuple[int, int, float]) -> list[Fused]:
    return [Fused(chunk, document, score, {}) for chunk, document, score in items]


FOUND = fused((1, 1, 0.9), (2, 2, 0.8), (3, 2, 0.7), (4, 2, 0.6), (5, 2, 0.5), (6, 3, 0.4))


def test_without_a_name_the_best_of_each_document() -> None:
    assert [item.chunk for item in named_first(FOUND, 1, None)] == [1, 2, 6]


def test_what_was_named_comes_first_with_up_to_three_passages() -> None:
    first = named_first(FOUND, 1, named((2, 2), (3, 2), (4, 2), (5, 2)))
    assert [item.chunk for item in first] == [2, 3, 4, 1, 6]
    assert [round(item.score, 3) for item in first] == [2.8, 2.7, 2.6, 0.9, 0.4]


def test_a_named_document_shows_nothing_else_of_itself() -> None:
    assert [item.chunk for item in named_first(FOUND, 1, named((4, 2)))] == [4, 1, 6]


def test_without_a_limit_everything_stays() -> None:
    assert [item.chunk for item in named_first(FOUND, 0, named((6, 3)))] == [6, 1, 2, 3, 4, 5]


def test_what_was_named_and_not_found_is_a_candidate_too() -> None:
    found = Rankings(load=1, candidates={1: Candidate(1, 1, lexical=3.0)})
    both = with_named(found, named((1, 1), (9, 4)))
    assert both.candidates == {1: Candidate(1, 1, lexical=3.0), 9: Candidate(9, 4)}
    assert with_named(found, None) is found


def test_no_score_reaches_a_lifted_one_that_age_has_cost_a_tenth() -> None:
    highest_of_others = 1.05  # the weights of the normalised scores
    assert highest_of_others < LIFT * 0.9
