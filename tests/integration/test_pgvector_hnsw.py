"""The approximate index: used where it is good, never where it loses something."""

from __future__ import annotations

import numpy as np
import psycopg
import pytest
from pgvector_support import FINGERPRINT, page_of, publish_vectors, unit
from psycopg.sql import SQL

from orrery_knowledge.models import Query
from orrery_knowledge.testing.documents import make_document, publish

pytest_plugins = ["postgres_fixtures"]
pytestmark = pytest.mark.services

DIMENSIONS = 16
SMALL = {"m": 8, "ef_construction": 32}
RANDOM = np.random.default_rng(11)
TARGET = unit(RANDOM.normal(size=DIMENSIONS))


def near(count: int):
    """Vectors around the target."""
    return unit(TARGET + RANDOM.normal(scale=0.15, size=(count, DIMENSIONS)))


def far(count: int):
    """Vectors around its opposite."""
    return unit(-TARGET + RANDOM.normal(scale=0.15, size=(count, DIMENSIONS)))


def nearest(vectors, count: int) -> list[int]:
    """Rows of the exact neighbours of the target."""
    return list(np.argsort(-(vectors @ TARGET), kind="stable")[:count])


async def ordinals(index, **query) -> list[tuple[str, int]]:
    found = await index.search(Query(text="-", mode="vector", **query), TARGET, FINGERPRINT)
    assert found.load is not None
    bodies = await index.fetch(found.rankings["vector"], found.load)
    return [(body.path, body.chunk.ordinal) for body in bodies]


def scans(url: str) -> int:
    with psycopg.connect(url) as admin:
        [(count,)] = admin.execute(
            "SELECT sum(idx_scan) FROM pg_stat_user_indexes WHERE indexrelname LIKE '%hnsw'"
        )
        return int(count or 0)


def settled(url: str) -> int:
    """Scans so far; connections report them when they end or once a second."""
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
            "WHERE application_name = 'orrery-knowledge' AND datname = current_database()"
        )
    return scans(url)


async def test_it_answers_searches_without_a_filter(open_postgres, postgres_url):
    vectors = np.concatenate([near(3000), unit(RANDOM.normal(size=(9000, DIMENSIONS)))])
    index = open_postgres(hnsw=SMALL)
    load = await publish_vectors(index, [(page_of("a.md", len(vectors)), vectors)])
    assert load.details["hnsw"]["recall"] >= 0.95
    assert "reason" not in load.details["hnsw"]
    assert await index.verify() == []
    before = settled(postgres_url)
    found = await ordinals(index, pool=50)
    assert settled(postgres_url) > before
    exact = {("a.md", number) for number in nearest(vectors, 50)}
    assert len(exact & set(found)) >= 48
    assert found[0] == ("a.md", nearest(vectors, 1)[0])


def graph_alone(url: str, most: int) -> int:
    """How many of 50 the graph gives when nobody looks after it."""
    with psycopg.connect(url) as admin:
        admin.execute("SET enable_seqscan = off")
        admin.execute("SET hnsw.ef_search = 200")
        admin.execute("SET hnsw.iterative_scan = strict_order")
        admin.execute(SQL("SET hnsw.max_scan_tuples = {}").format(most))
        found = admin.execute(
            "SELECT id FROM orrery.nearest_1 WHERE eligible "
            "ORDER BY value <#> %s::halfvec LIMIT 50",
            (str(TARGET.tolist()),),
        )
        return len(found.fetchall())


# K069: rows under a filter that lie far from the query are found all the same.
# K070: so are the few eligible rows that a bounded scan of the graph never reaches.
async def test_what_it_would_miss_is_searched_exactly(open_postgres, postgres_url):
    crowd, few, rare = near(19_000), far(600), far(50)
    pages = [
        (page_of("crowd.md", len(crowd), eligible=False, service="a"), crowd),
        (page_of("few.md", len(few), service="a"), few),
        (page_of("rare.md", len(rare), service="b"), rare),
    ]
    index = open_postgres(hnsw=SMALL | {"max_scan_tuples": 100})
    load = await publish_vectors(index, pages)
    # Among the eligible rows it does well, so it is used; from afar it reaches none of them.
    assert load.details["hnsw"]["recall"] >= 0.95
    assert graph_alone(postgres_url, 100) == 0
    before = settled(postgres_url)
    eligible = np.concatenate([few, rare])
    wanted = {
        ("few.md", number) if number < len(few) else ("rare.md", number - len(few))
        for number in nearest(eligible, 50)
    }
    assert set(await ordinals(index, pool=50)) == wanted
    assert settled(postgres_url) > before
    expected = [("rare.md", number) for number in nearest(rare, 20)]
    assert await ordinals(index, service="b", pool=20) == expected


async def test_one_that_finds_too_little_is_refused_with_a_reason(open_postgres, postgres_url):
    vectors = unit(RANDOM.normal(size=(12_000, 64)))
    query = vectors[:2].sum(axis=0)
    index = open_postgres(hnsw={"m": 4, "ef_construction": 8, "min_recall": 1.0})
    load = await publish_vectors(index, [(page_of("a.md", len(vectors)), vectors)])
    probe = load.details["hnsw"]
    assert probe["recall"] < 1.0
    assert probe["queries"] == 24
    [problem] = await index.verify()
    assert problem == probe["reason"]
    assert "the approximate index is not used" in problem
    before = settled(postgres_url)
    found = await index.search(Query(text="-", mode="vector"), unit(query), FINGERPRINT)
    assert settled(postgres_url) == before
    bodies = await index.fetch(found.rankings["vector"], load.number)
    order = np.argsort(-(vectors @ unit(query)), kind="stable")[:50]
    assert [body.chunk.ordinal for body in bodies] == list(order)


async def test_turned_off_again_it_is_dropped(open_postgres, postgres_url):
    vectors = near(200)
    await publish_vectors(open_postgres(hnsw=True), [(page_of("a.md", 200), vectors)])
    index = open_postgres()
    load = await index.begin(FINGERPRINT, {})
    await index.check(load.number)
    await index.activate(load.number)
    with psycopg.connect(postgres_url) as admin:
        found = admin.execute("SELECT 1 FROM pg_indexes WHERE indexname LIKE '%hnsw'").fetchall()
    assert found == []
    assert (await ordinals(index, pool=1)) == [("a.md", nearest(vectors, 1)[0])]


async def test_a_small_index_has_nothing_to_fear(open_postgres):
    index = open_postgres(hnsw=True)
    load = await publish(index, [make_document("a.md", "# A\n\nzebra\n")])
    assert load.details["hnsw"] == {"recall": 1.0, "queries": 0}
    assert await index.verify() == []
