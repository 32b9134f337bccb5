"""One run: fill every engine with the same rows, open them anew, ask, and note what it cost."""

from __future__ import annotations

import contextlib
import gc
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.cold import Cold, ask_another_process
from bench.corpus import batches
from bench.engines import Engine, OurEngine, pgvector_engine, sqlite_engine
from bench.measure import Load, in_flight, latencies
from bench.queries import Asked, make_queries
from bench.results import Figures
from bench.routing import measure_routes
from bench.server import Server

ON_SERVER = ("pgvector", "obvious")
Say = Callable[[str], None]


@dataclass(frozen=True)
class Plan:
    """What to measure.

    Attributes:
        engines: their names.
        queries: how many; None for all.
        repeats: passes over the queries.
        budget: seconds after which an engine takes no part in further passes.
        load_seconds: how long searches are kept in flight.
        seed: of the corpus and the queries.
    """

    engines: tuple[str, ...]
    queries: int | None
    repeats: int
    budget: float
    load_seconds: float
    seed: int


async def measure_size(
    size: int, plan: Plan, server: Server | None, say: Say
) -> dict[str, Figures]:
    """Figures of every engine at one size of the corpus, by name."""
    queries = make_queries(plan.seed)[: plan.queries]
    with tempfile.TemporaryDirectory(prefix="orrery-bench-") as folder:
        async with _engines(plan.engines, Path(folder), server) as (engines, places):
            figures = await _fill(size, plan, engines, say)
            gc.collect()
            gc.freeze()  # the rows of the baseline would be walked in the middle of a search
            try:
                for engine in engines:
                    found = figures[engine.name]
                    found.size_bytes = await engine.size()
                    found.cold = await _cold(engine, places, plan.seed)
                    say(f"{size:,}: {engine.name}: opened and searched by a new process")
                await _warm(engines, queries)
                samples = await latencies(
                    engines, queries, repeats=plan.repeats, budget=plan.budget, seed=plan.seed
                )
                for engine in engines:
                    found = figures[engine.name]
                    found.samples = [one for one in samples if one.engine == engine.name]
                    p50, p95 = found.wall(0.5), found.wall(0.95)
                    say(f"{size:,}: {engine.name}: p50 {p50:.1f} ms, p95 {p95:.1f} ms")
                for engine in engines:
                    if isinstance(engine, OurEngine):
                        routes = await measure_routes(engine.index, queries)
                        figures[engine.name].routes = routes
                        say(f"{size:,}: {engine.name}: an alert costs {routes.p50:.1f} ms")
                for engine in engines:
                    found = figures[engine.name]
                    found.load = await _load(engine, queries, plan.load_seconds)
                    say(f"{size:,}: {engine.name}: {found.load.searches} searches, 8 in flight")
            finally:
                gc.unfreeze()
    return figures


@contextlib.asynccontextmanager
async def _engines(
    names: Sequence[str], folder: Path, server: Server | None
) -> AsyncIterator[tuple[list[Engine], dict[str, str]]]:
    """Empty engines, and where a second process finds what they store."""
    engines: list[Engine] = []
    places: dict[str, str] = {}
    try:
        for name in names:
            if name == "sqlite":
                places[name] = str(folder)
                engines.append(sqlite_engine(folder))
            elif server is None or name not in ON_SERVER:
                from bench.baseline import BaselineEngine

                engines.append(BaselineEngine())
            else:
                server.drop_database(name)
                places[name] = server.make_database(name)
                engines.append(_on_server(name, places[name], server))
        yield engines, places
    finally:
        for engine in engines:
            await engine.close()
        for name in names:
            if server is not None and name in places and name in ON_SERVER:
                server.drop_database(name)


def _on_server(name: str, url: str, server: Server) -> Engine:
    if name == "pgvector":
        return pgvector_engine(url, server)
    from bench.obvious import ObviousEngine

    return ObviousEngine(url, server)


async def _fill(size: int, plan: Plan, engines: Sequence[Engine], say: Say) -> dict[str, Figures]:
    """Give every engine the same rows, batch by batch; only its own work counts as its time."""
    spent = dict.fromkeys((engine.name for engine in engines), 0.0)
    chunks = 0
    said = started = time.monotonic()
    for batch in batches(plan.seed, size):
        for engine in engines:
            begun = time.perf_counter()
            await engine.add(batch)
            spent[engine.name] += time.perf_counter() - begun
        chunks += batch.chunks
        if time.monotonic() - said > 15:
            said = time.monotonic()
            say(f"{size:,}: {chunks:,} rows made and stored in {said - started:.0f} s")
    for engine in engines:
        begun = time.perf_counter()
        await engine.finish()
        spent[engine.name] += time.perf_counter() - begun
        say(f"{size:,}: {engine.name}: filled in {spent[engine.name]:.1f} s")
    return {
        name: Figures(name, chunks, chunks / seconds, 0, None, None)
        for name, seconds in spent.items()
    }


async def _cold(engine: Engine, places: dict[str, str], seed: int) -> Cold | None:
    place = places.get(engine.name)
    return await ask_another_process(engine.name, place, seed) if place is not None else None


async def _warm(engines: Sequence[Engine], queries: Sequence[Asked]) -> None:
    """Fill caches: every query once, but a slow engine only gets a few seconds of it."""
    for engine in engines:
        deadline = time.monotonic() + 20
        for asked in queries:
            if time.monotonic() > deadline:
                break
            await engine.search(asked)


async def _load(engine: Engine, queries: Sequence[Asked], seconds: float) -> Load:
    await in_flight(engine, queries, seconds=min(1.0, seconds))  # opens the connections
    return await in_flight(engine, queries, seconds=seconds)
