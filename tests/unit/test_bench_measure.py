from __future__ import annotations

import pytest

from bench.__main__ import parse_engines, parse_sizes
from bench.measure import Sample, latencies, percentile, steadied
from bench.queries import make_queries
from bench.report import BEGIN, END, insert, to_markdown
from bench.results import Figures, Run
from bench.verdicts import judge
from orrery_knowledge.errors import ConfigurationError


def figures(engine: str, walls: list[float], rows: float = 6000.0) -> Figures:
    samples = [Sample(engine, n, "log", wall, wall / 2) for n, wall in enumerate(walls)]
    return Figures(engine, 10_003, rows, 5_000_000, None, None, samples)


@pytest.mark.parametrize(
    ("values", "share", "expected"),
    [
        ([3.0], 0.95, 3.0),
        ([4.0, 1.0, 3.0, 2.0], 0.5, 2.0),
        ([4.0, 1.0, 3.0, 2.0], 0.95, 4.0),
        (list(range(1, 101)), 0.95, 95),
        (list(range(1, 101)), 1.0, 100),
    ],
)
def test_a_percentile_is_the_nearest_rank(values, share, expected):
    assert percentile(values, share) == expected


def test_nothing_has_no_percentile():
    with pytest.raises(ValueError, match="no values"):
        percentile([], 0.5)


def test_one_slow_repetition_does_not_count_for_a_query():
    samples = [Sample("sqlite", n, "log", wall, 0.0) for n in (0, 1) for wall in (n + 1.0, 90.0)]
    samples += [Sample("sqlite", n, "log", n + 1.0, 0.0) for n in (0, 1)]
    assert steadied(samples, lambda sample: sample.wall) == [1.0, 2.0]


class Counting:
    """An engine that only counts."""

    def __init__(self, name: str, seconds: float) -> None:
        self.name, self.asked, self._seconds = name, 0, seconds

    async def search(self, asked, *, shared=False):
        self.asked += 1

    def cpu_seconds(self) -> float:
        return self.asked * self._seconds


async def test_every_engine_gets_every_query_in_every_pass_and_its_own_time():
    engines = [Counting("one", 0.002), Counting("two", 0.004)]
    queries = make_queries(7, each=1)
    samples = await latencies(engines, queries, repeats=3, budget=60, seed=1)
    assert [engine.asked for engine in engines] == [3 * len(queries)] * 2
    assert {(s.engine, round(s.cpu, 6)) for s in samples} == {("one", 2.0), ("two", 4.0)}


async def test_an_engine_that_has_used_up_its_time_takes_no_further_pass():
    engine = Counting("one", 0.0)
    await latencies([engine], make_queries(7, each=1), repeats=3, budget=0.0, seed=1)
    assert engine.asked == 0


def test_sizes_are_read_sorted_and_once():
    assert parse_sizes("10k, 1K,500,1000") == (500, 1000, 10_000)


@pytest.mark.parametrize("text", ["", "x", "-1", "99", "1001k", "1k,,", "1.5k"])
def test_a_size_that_is_none_is_refused(text):
    with pytest.raises(ConfigurationError, match="--sizes"):
        parse_sizes(text)


def test_an_engine_that_is_none_is_refused():
    assert parse_engines("pgvector, sqlite") == ("pgvector", "sqlite")
    with pytest.raises(ConfigurationError, match="'redis' is none of"):
        parse_engines("sqlite,redis")


def test_the_aims_of_a_size_are_judged():
    verdicts = list(
        judge(
            10_000,
            {
                "sqlite": figures("sqlite", [10.0, 20.0, 40.0], rows=4000.0),
                "baseline": figures("baseline", [5.0, 5.0, 50.0]),
            },
        )
    )
    # 20 / 5 = 4 (CPU the same); 40 / 20 = 2; 4,000 rows.
    assert [(verdict.got, verdict.words) for verdict in verdicts] == [
        (4.0, "not met"),
        (4.0, "not met"),
        (2.0, "met"),
        (2.0, "met"),
        (4000.0, "not met"),
    ]


def test_the_obvious_sql_is_compared_at_the_largest_size_only():
    by_engine = {
        "pgvector": figures("pgvector", [10.0, 20.0]),
        "obvious": figures("obvious", [300.0, 1000.0]),
    }
    found = {verdict.what: verdict for verdict in judge(100_000, by_engine)}
    assert found["the obvious SQL against pgvector, wall p50"].got == 30.0
    assert found["the obvious SQL against pgvector, wall p50"].met
    assert not found["the obvious SQL against pgvector, wall p95"].met
    assert not any("obvious" in verdict.what for verdict in judge(10_000, by_engine))


def test_tables_hold_the_figures():
    run = Run({"cores": "2"}, {"seed": 7}, {10_000: {"sqlite": figures("sqlite", [1.0, 250.0])}})
    page = to_markdown(run)
    assert "| 10,000 | embedded (SQLite) | 1.0 / 250 | 0.5 / 125 | 1.0 / 250 | 2 |" in page
    assert run.as_json()["figures"][0]["log"]["wall_p95"] == 250.0


def test_figures_are_replaced_between_their_markers():
    text = f"# A\n\n{BEGIN}\nold\n{END}\n\nafter\n"
    once = insert(text, "new", "a.md")
    assert once == f"# A\n\n{BEGIN}\n\nnew\n\n{END}\n\nafter\n"
    assert insert(once, "new", "a.md") == once


def test_a_page_without_markers_is_left_alone():
    with pytest.raises(ConfigurationError, match=r"a\.md has no place"):
        insert(f"{END} {BEGIN}", "new", "a.md")
