"""A build in a process of its own that kills itself at a named point; started by the kill tests."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from orrery_knowledge.backends.pgvector import loads
from orrery_knowledge.backends.pgvector.index import PgVectorConfig, PgVectorIndex
from orrery_knowledge.models import IndexedDocument
from orrery_knowledge.testing.documents import make_document, publish

PAGES = 6
GONE = {1: [], 2: ["odd.md"], 3: ["even.md"]}


def version(number: int) -> list[IndexedDocument]:
    """Pages that all say which version they are; some come and some go."""
    names = [f"p{n}.md" for n in range(PAGES)] + [("even.md", "odd.md")[number % 2]]
    text = f"# Page\n\nThe zebra marker is version{number}x now.\n"
    return [make_document(name, text, revision=f"r{number}") for name in names]


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def set_trap(index: PgVectorIndex, point: str) -> None:
    """``write:after`` is after that method, ``sql:move_pointer`` after that statement."""
    name, _, when = point.partition(":")
    if name == "sql":
        honest_run = loads.run

        async def run(connection, statement, **values):
            done = await honest_run(connection, statement, **values)
            if statement == when:
                die()
            return done

        loads.run = run
        return
    honest = getattr(index, name)

    async def call(*args, **values):
        if when == "before":
            die()
        result = await honest(*args, **values)
        die()
        return result

    setattr(index, name, call)


async def main(url: str, point: str, number: int) -> None:
    index = PgVectorIndex(PgVectorConfig(url=url), state=Path())
    set_trap(index, point)
    async with index.lock():
        await publish(index, version(number), removed=GONE[number])


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
