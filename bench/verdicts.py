"""The ratios that were aimed at, and whether this run met them. Nothing fails when it didn't."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from bench.results import Figures

OURS = ("sqlite", "pgvector")
SLOWEST_SPREAD = 2.5
ROWS_PER_SECOND = 5000.0
LAG_MS = 15.0


class Verdict(NamedTuple):
    """One aim at one size."""

    size: int
    what: str
    aim: str
    got: float
    met: bool

    @property
    def words(self) -> str:
        """``met`` or ``not met``."""
        return "met" if self.met else "not met"


def judge(size: int, by_engine: Mapping[str, Figures]) -> Iterator[Verdict]:
    """Compare the engines of one size with the aims for it."""
    ours, baseline = by_engine.get("sqlite"), by_engine.get("baseline")
    if ours and baseline and size >= 10_000:
        most = 1.5 if size >= 100_000 else 3.0
        got = ours.wall(0.5) / baseline.wall(0.5)
        yield _at_most(size, "embedded against bm25s + numpy, wall p50", most, got)
        got = ours.cpu(0.5) / baseline.cpu(0.5)
        yield _at_most(size, "embedded against bm25s + numpy, CPU p50", most, got)
    server, obvious = by_engine.get("pgvector"), by_engine.get("obvious")
    if server and obvious and size >= 100_000:
        for share, least in ((0.5, 20.0), (0.95, 100.0)):
            got = obvious.wall(share) / server.wall(share)
            what = f"the obvious SQL against pgvector, wall p{share * 100:.0f}"
            yield Verdict(size, what, f"≥ {least:g}", got, got >= least)
    for name in OURS:
        if (found := by_engine.get(name)) is not None:
            yield from _alone(size, name, found)


def _alone(size: int, name: str, found: Figures) -> Iterator[Verdict]:
    spread = found.wall(0.95) / found.wall(0.5)
    yield _at_most(size, f"{name}: p95 / p50", SLOWEST_SPREAD, spread)
    steady = found.steady(0.95) / found.steady(0.5)
    yield _at_most(size, f"{name}: p95 / p50 of each query's median", SLOWEST_SPREAD, steady)
    rows = found.rows_per_second
    what = f"{name}: rows/s without embedding"
    yield Verdict(size, what, f"≥ {ROWS_PER_SECOND:,.0f}", rows, rows >= ROWS_PER_SECOND)
    if found.load is not None:
        lag = found.load.lag_p95
        yield _at_most(size, f"{name}: event-loop lag p95 in ms, 8 searches in flight", LAG_MS, lag)


def _at_most(size: int, what: str, most: float, got: float) -> Verdict:
    return Verdict(size, what, f"≤ {most:g}", got, got <= most)
