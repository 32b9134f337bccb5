"""A process of its own that searches for the first time; prints what that cost as JSON.

Reads one JSON object from standard input: ``engine``, ``place`` (a folder, or a URL, which holds a
password and therefore is no argument) and ``seed``.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import TypedDict

from bench.engines import Engine, pgvector_engine, sqlite_engine
from bench.machine import resident_bytes
from bench.queries import make_queries
from orrery_knowledge.errors import KnowledgeError

WARM_QUERIES = 20


class Cold(TypedDict):
    """What a new process paid; imports are not counted.

    Attributes:
        first_ms: milliseconds until the first answer, opening included.
        bytes: resident memory that opening and some searches added.
    """

    first_ms: float
    bytes: int


async def first_search(engine: Engine, seed: int) -> Cold:
    """Search once, then some more so that caches fill."""
    first, *others = make_queries(seed, each=5)[: WARM_QUERIES + 1]
    before = resident_bytes()
    started = time.perf_counter()
    answer = await engine.search(first)
    took = (time.perf_counter() - started) * 1e3
    if not answer.bodies:
        raise KnowledgeError(f"{engine.name}: what was stored is not there")
    for asked in others:
        if asked.kind != "log":  # the obvious SQL would need minutes
            await engine.search(asked)
    added = resident_bytes() - before
    await engine.close()
    return Cold(first_ms=took, bytes=added)


def open_engine(name: str, place: str) -> Engine:
    """An engine on what was stored before."""
    if name == "sqlite":
        return sqlite_engine(Path(place))
    if name == "pgvector":
        return pgvector_engine(place)
    from bench.obvious import ObviousEngine

    return ObviousEngine(place)


async def ask_another_process(name: str, place: str, seed: int) -> Cold:
    """Run this module on a stored index."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bench.cold",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=Path(__file__).parents[1],
    )
    try:
        given = json.dumps({"engine": name, "place": place, "seed": seed}).encode()
        out, _ = await process.communicate(given)
    except asyncio.CancelledError:
        process.kill()
        await process.wait()
        raise
    if process.returncode:
        raise KnowledgeError(f"{name}: the process that should search first failed")
    found: Cold = json.loads(out)
    return found


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    engine = open_engine(asked["engine"], asked["place"])
    print(json.dumps(asyncio.run(first_search(engine, asked["seed"]))))
