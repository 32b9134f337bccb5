from __future__ import annotations

from collections import Counter

from bench.obvious import or_query
from bench.queries import KINDS, make_queries


def test_there_are_enough_of_each_kind():
    counts = Counter(asked.kind for asked in make_queries(7))
    assert sum(counts.values()) >= 60
    assert set(counts) == set(KINDS)
    assert min(counts.values()) >= 8
    assert counts["log"] >= 10


def test_they_are_the_same_every_time():
    first, again = ([asked.text for asked in make_queries(7)] for _ in range(2))
    assert first == again
    assert len(set(first)) == len(first) - 8  # those with a filter are asked without it too


def test_the_first_ones_mix_the_kinds():
    assert [asked.kind for asked in make_queries(7)[: len(KINDS)]] == list(KINDS)


def test_a_pasted_log_has_thirty_to_sixty_lines():
    for asked in make_queries(7):
        if asked.kind == "log":
            assert 30 <= len(asked.text.splitlines()) <= 60


def test_only_the_filtered_ones_name_a_service():
    for asked in make_queries(7, each=2):
        assert (asked.service is not None) == (asked.kind == "filtered")


def test_the_obvious_query_is_every_word_once_joined_by_or():
    assert or_query("The pod's log: THE pod | 'x' & !y") == (
        "'the' | 'pod' | 's' | 'log' | 'x' | 'y'"
    )
