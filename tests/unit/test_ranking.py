"""What every engine looks for, and what a match is worth."""

from __future__ import annotations

import math

import pytest

from orrery_knowledge.backends.ranking import (
    ScoredChunk,
    Step,
    assemble,
    budget,
    chosen_identifiers,
    identifier_value,
    score_lexically,
    steps,
    top,
)
from orrery_knowledge.identifiers import QueryTerms, query_terms
from orrery_knowledge.lexical import LexicalScorer, idf
from orrery_knowledge.models import Candidate


@pytest.mark.parametrize(
    ("chunks", "allowed"),
    [(0, 500), (25_000, 500), (100_000, 2000), (250_000, 5000), (10**7, 5000)],
)
def test_the_budget_is_two_percent_within_bounds(chunks, allowed):
    assert budget(chunks) == allowed


def test_the_gate_takes_the_rarest_words_within_the_budget():
    # Of 1,000 chunks the budget is 500: 3 + 40 + 400 fit, 900 more don't.
    frequencies = {"the": 990, "kafka": 400, "isr": 3, "shrink": 40, "nowhere": 0, "pod": 900}
    assert list(steps(frequencies, 1000)) == [
        Step(("isr", "shrink", "kafka")),
        Step(("pod", "the")),  # 1,890 within four times the budget
    ]


def test_words_of_equal_frequency_are_taken_in_a_fixed_order():
    assert list(steps({"b": 2, "a": 2, "c": 1}, 1000)) == [Step(("c", "a", "b"))]


def test_one_word_is_always_looked_for():
    assert list(steps({"pod": 800}, 1000)) == [Step(("pod",))]
    assert list(steps({"nowhere": 0}, 1000)) == []
    assert list(steps({}, 0)) == []


def test_each_further_step_may_match_four_times_more():
    frequencies = {f"w{n}": 300 for n in range(12)}
    sizes = [len(step.words) for step in steps(frequencies, 1000)]
    assert sizes == [1, 6, 5]  # 500, 2,000 and 8,000 hold 1, 6 and 26 of them


def test_where_the_rarest_word_is_common_it_is_first_joined_to_the_next():
    # Of 100,000 chunks the budget is 2,000, and 20,001 is more than ten times that.
    assert list(steps({"pod": 20_001, "node": 30_000}, 100_000)) == [
        Step(("pod", "node"), together=True),
        Step(("pod",)),
        Step(("node",)),
    ]
    assert not next(steps({"pod": 20_000, "node": 30_000}, 100_000)).together
    assert list(steps({"pod": 20_001}, 100_000)) == [Step(("pod",))]


def test_a_common_identifier_is_left_out_beside_another():
    terms = QueryTerms({}, (), {"kube-apiserver": 1.0, "api": 0.5, "gone": 1.0})
    frequencies = {"kube-apiserver": 4, "api": 600}
    assert chosen_identifiers(terms, frequencies, 1000) == {"kube-apiserver": idf(4, 1000)}
    alone = QueryTerms({}, (), {"api": 0.5})
    assert chosen_identifiers(alone, frequencies, 1000) == {"api": 0.5 * idf(600, 1000)}


def test_a_piece_of_an_identifier_is_worth_less():
    assert identifier_value(2.0, True) == 2.0
    assert identifier_value(2.0, False) == pytest.approx(1.2)


def test_scores_and_the_coverage_of_the_best():
    terms = query_terms("zebra lion")
    scorer = LexicalScorer(terms, {"zebra": 2, "lion": 1}, 10, 4.0)
    rows = [
        ScoredChunk(1, "", " zebra ", 4),
        ScoredChunk(2, "", " zebra  lion ", 4),
        ScoredChunk(3, "", " ox ", 4),
    ]
    scores, coverage = score_lexically(scorer, rows)
    assert set(scores) == {1, 2}
    assert scores[2] > scores[1] > 0
    assert coverage == pytest.approx(1.0)


def test_the_best_come_first_and_equals_by_id():
    assert top({9: 1.0, 4: 2.0, 7: 1.0, 8: 1.0}, 3) == (4, 7, 8)


def test_every_candidate_has_each_of_its_scores():
    found = assemble(
        3,
        {"lexical": (2, 1), "vector": (5,)},
        lexical={1: 0.5, 2: 0.75, 8: 9.0},
        identifiers={5: 1.5},
        details=lambda chunks: [(10 * c, math.nan if c == 1 else 0.25) for c in chunks],
        coverage=0.5,
    )
    assert (found.load, found.coverage) == (3, 0.5)
    assert found.candidates == {
        1: Candidate(1, 10, 0.5, 0.0, None),
        2: Candidate(2, 20, 0.75, 0.0, 0.25),
        5: Candidate(5, 50, 0.0, 1.5, 0.25),
    }
