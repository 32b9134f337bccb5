"""A build that is killed leaves one whole version, and the next one runs."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

import pgvector_killed
import pytest
from pgvector_killed import GONE, version

from orrery_knowledge.errors import SyncRunning
from orrery_knowledge.models import Query
from orrery_knowledge.testing.documents import publish, shown

pytest_plugins = ["postgres_fixtures"]
pytestmark = pytest.mark.services

BEFORE_THE_SWAP = [
    "begin:before",
    "begin:after",
    "store_vectors:after",
    "write:before",
    "write:after",
    "remove:after",
    "check:before",
    "check:after",
    "activate:before",
    "sql:count_words",
    "sql:count_chunks",
    "sql:move_pointer",
    "sql:mark_activated",
]


def kill_at(url: str, point: str, number: int = 2) -> int:
    command = [sys.executable, pgvector_killed.__file__, url, point, str(number)]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, cwd=root, env={"PYTHONPATH": ":".join(sys.path)}, check=False)
    return done.returncode


async def marker(index) -> int:
    """The version that a search shows, and fails if it isn't one whole version."""
    found = await index.search(Query(text="zebra marker", mode="lexical"), None, None)
    bodies = await index.fetch(found.rankings["lexical"], found.load)
    [number] = {int(body.chunk.text.partition("version")[2][0]) for body in bodies}
    expected = {(page.path, page.digest) for page in version(number)}
    assert await shown(index) == expected
    assert {body.path for body in bodies} == {path for path, _ in expected}
    return number


async def lock_is_free(index) -> bool:
    """The server notices within moments that the process is gone."""
    for _ in range(200):
        try:
            async with index.lock():
                return True
        except SyncRunning:
            await asyncio.sleep(0.05)
    return False


@pytest.mark.parametrize("point", BEFORE_THE_SWAP)
async def test_killed_before_the_swap_the_old_version_answers(open_postgres, postgres_url, point):
    index = open_postgres()
    await publish(index, version(1))
    assert kill_at(postgres_url, point) == -signal.SIGKILL
    assert await marker(index) == 1
    assert await lock_is_free(index)
    assert await index.verify() == []
    await publish(index, version(3), removed=GONE[3])
    assert await marker(index) == 3
    assert await index.verify() == []


async def test_killed_after_the_swap_the_new_version_answers(open_postgres, postgres_url):
    index = open_postgres()
    await publish(index, version(1))
    assert kill_at(postgres_url, "activate:after") == -signal.SIGKILL
    assert await marker(index) == 2
    assert await lock_is_free(index)
    assert await index.verify() == []
    await index.rollback()
    assert await marker(index) == 1
    assert await index.verify() == []


async def test_killed_again_and_again(open_postgres, postgres_url):
    index = open_postgres()
    await publish(index, version(1))
    for point in ("write:after", "sql:move_pointer", "remove:after", "check:after"):
        assert kill_at(postgres_url, point) == -signal.SIGKILL
        assert await marker(index) == 1
        assert await lock_is_free(index)
    await publish(index, version(2), removed=GONE[2])
    assert await marker(index) == 2
    assert await index.verify() == []


async def test_a_first_build_that_is_killed_can_be_run_again(open_postgres, postgres_url):
    for point in ("begin:after", "write:after", "sql:move_pointer"):
        assert kill_at(postgres_url, point, 1) == -signal.SIGKILL
        index = open_postgres()
        assert (await index.search(Query(text="zebra"), None, None)).load is None
        assert await lock_is_free(index)
    await publish(index, version(1))
    assert await marker(index) == 1
