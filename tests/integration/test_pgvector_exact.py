"""The exact scan in two halves finds what one scan finds, whatever happens between the halves."""

from __future__ import annotations

import asyncio

import numpy as np
import psycopg
import pytest
from pgvector_support import FINGERPRINT, page_of, publish_vectors, unit

from orrery_knowledge.backends.pgvector import exact
from orrery_knowledge.models import Query

pytest_plugins = ["postgres_fixtures"]
pytestmark = pytest.mark.services

RANDOM = np.random.default_rng(5)
VECTORS = unit(RANDOM.normal(size=(3000, 32)))
TARGET = unit(RANDOM.normal(size=32))
NEAREST = list(np.argsort(-(VECTORS @ TARGET), kind="stable")[:50])
QUERY = Query(text="-", mode="vector")


@pytest.fixture
def halves(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """Lets small tables be scanned in halves, and keeps what those scans gave."""
    monkeypatch.setattr(exact, "LARGE", 1)
    honest, given = exact.in_halves, []

    async def kept(*arguments):
        given.append(await honest(*arguments))
        return given[-1]

    monkeypatch.setattr(exact, "in_halves", kept)
    return given


@pytest.fixture
async def index(open_postgres):
    opened = open_postgres()
    await publish_vectors(opened, [(page_of("a.md", len(VECTORS)), VECTORS)])
    return opened


async def ordinals(index, query: Query = QUERY) -> list[int]:
    found = await index.search(query, TARGET, FINGERPRINT)
    bodies = await index.fetch(found.rankings["vector"], found.load)
    return [body.chunk.ordinal for body in bodies]


async def test_both_halves_together_are_the_whole(index, halves):
    assert await ordinals(index) == NEAREST
    assert [len(given) for given in halves] == [60]


async def test_rows_that_move_between_the_halves_are_found_once(
    index, halves, postgres_url, monkeypatch
):
    """As they do when a sync ends documents; those stay visible in the active load."""
    with psycopg.connect(postgres_url, autocommit=True) as admin:
        honest = exact._other_half

        async def after_a_move(*arguments):
            admin.execute("UPDATE orrery.nearest_1 SET removed_in = 7")
            return await honest(*arguments)

        monkeypatch.setattr(exact, "_other_half", after_a_move)
        assert await ordinals(index) == NEAREST
    [given] = halves
    assert len(set(given)) == 60


async def test_many_searches_at_once_wait_for_no_connection_of_each_other(open_postgres, halves):
    """Each index counts for itself, but they share a pool."""
    first = open_postgres()
    await publish_vectors(first, [(page_of("a.md", len(VECTORS)), VECTORS)])
    indexes = [first, *(open_postgres() for _ in range(15))]
    found = await asyncio.gather(*(ordinals(index) for index in indexes))
    assert found == [NEAREST] * 16
    assert 1 <= len(halves) <= 8


async def test_a_small_pool_scans_at_once(open_postgres, halves):
    index = open_postgres(pool_size=3)
    await publish_vectors(index, [(page_of("a.md", len(VECTORS)), VECTORS)])
    assert await ordinals(index) == NEAREST
    assert halves == []


async def test_a_filtered_search_is_not_split(index, halves):
    assert await ordinals(index, QUERY.model_copy(update={"corpus": "runbooks"})) == NEAREST
    assert halves == []
