"""Clocks and loops: latency one query at a time, then many searches in flight."""

from __future__ import annotations

import asyncio
import contextlib
import math
import random
import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from bench.engines import Engine
from bench.queries import Asked

CLIENTS = 8
TICK_SECONDS = 0.001


@dataclass(frozen=True)
class Sample:
    """One search.

    Attributes:
        engine: who answered.
        number: which query it was.
        kind: of the query.
        wall: milliseconds until the answer was there.
        cpu: milliseconds of processor time, of this process and of the server.
    """

    engine: str
    number: int
    kind: str
    wall: float
    cpu: float


@dataclass(frozen=True)
class Load:
    """What happened while several searches were in flight; times in milliseconds."""

    searches: int
    per_second: float
    p50: float
    p95: float
    lag_p50: float
    lag_p95: float


def percentile(values: Iterable[float], share: float) -> float:
    """The smallest value that at least `share` of all values don't exceed (nearest rank).

    Args:
        values: at least one.
        share: in (0, 1].
    """
    ordered = sorted(values)
    if not ordered:
        raise ValueError("no values")
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def steadied(samples: Sequence[Sample], of: Callable[[Sample], float]) -> list[float]:
    """The median of each query's repetitions: what the query costs, less what the machine did."""
    by_query: dict[int, list[float]] = {}
    for sample in samples:
        by_query.setdefault(sample.number, []).append(of(sample))
    return [median(values) for values in by_query.values()]


async def latencies(
    engines: Sequence[Engine],
    queries: Sequence[Asked],
    *,
    repeats: int,
    budget: float,
    seed: int,
) -> list[Sample]:
    """Ask every engine every query, in turn, so that the machine's load hits all alike.

    Args:
        engines: warm ones.
        queries: in their order.
        repeats: passes over the queries.
        budget: seconds after which an engine takes no part in further passes.
        seed: of the order in which engines take their turns.
    """
    order = random.Random(seed)
    spent = dict.fromkeys((engine.name for engine in engines), 0.0)
    samples: list[Sample] = []
    for _ in range(repeats):
        taking_part = [engine for engine in engines if spent[engine.name] < budget]
        for number, asked in enumerate(queries):
            order.shuffle(taking_part)
            for engine in taking_part:
                cpu, started = engine.cpu_seconds(), time.perf_counter()
                await engine.search(asked)
                wall = time.perf_counter() - started
                used = engine.cpu_seconds() - cpu
                spent[engine.name] += wall
                samples.append(Sample(engine.name, number, asked.kind, wall * 1e3, used * 1e3))
    return samples


async def in_flight(engine: Engine, queries: Sequence[Asked], *, seconds: float) -> Load:
    """Keep `CLIENTS` searches in flight for a while, and watch the event loop meanwhile.

    Each client starts somewhere else in the queries. The time ends with the last answer.
    """
    walls: list[float] = []
    deadline = time.perf_counter() + seconds

    async def client(offset: int) -> None:
        number = offset * max(1, len(queries) // CLIENTS)
        while time.perf_counter() < deadline:
            started = time.perf_counter()
            await engine.search(queries[number % len(queries)], shared=True)
            walls.append((time.perf_counter() - started) * 1e3)
            number += 1

    started = time.perf_counter()
    async with _ticker() as lags:
        await asyncio.gather(*map(client, range(CLIENTS)))
    took = time.perf_counter() - started
    return Load(
        searches=len(walls),
        per_second=len(walls) / took,
        p50=percentile(walls, 0.5),
        p95=percentile(walls, 0.95),
        lag_p50=percentile(lags, 0.5),
        lag_p95=percentile(lags, 0.95),
    )


@contextlib.asynccontextmanager
async def _ticker() -> AsyncIterator[list[float]]:
    """Collects how many milliseconds later than asked for the loop wakes a sleeping task."""
    lags: list[float] = []

    async def tick() -> None:
        while True:
            started = time.perf_counter()
            await asyncio.sleep(TICK_SECONDS)
            lags.append((time.perf_counter() - started - TICK_SECONDS) * 1e3)

    task = asyncio.create_task(tick())
    try:
        yield lags
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
