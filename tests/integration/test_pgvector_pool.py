"""Connections: few, shared, bounded in time, and sound again by themselves."""

from __future__ import annotations

import asyncio
import signal

import psycopg
import pytest

from orrery_knowledge.backends.pgvector.index import PgVectorConfig, PgVectorIndex
from orrery_knowledge.backends.pgvector.pools import Pool
from orrery_knowledge.errors import BackendUnavailable, SyncRunning
from orrery_knowledge.models import Query
from orrery_knowledge.testing.documents import ask, build, make_document, paths, publish
from orrery_knowledge.testing.embedders import HashingEmbedder

pytest_plugins = ["postgres_fixtures"]
pytestmark = pytest.mark.services

PAGE = make_document("pool.md", "# Pool\n\nRestart the zebra proxy.\n")
EMBEDDER = HashingEmbedder(16)
OURS = """
CREATE TEMPORARY VIEW ours AS SELECT pid, state FROM pg_stat_activity
WHERE application_name = 'orrery-knowledge' AND datname = current_database()
"""


def of_ours(url: str, query: str) -> list[tuple]:
    with psycopg.connect(url) as admin:
        admin.execute(OURS)
        return admin.execute(query).fetchall()


def connections(url: str) -> int:
    return of_ours(url, "SELECT count(*) FROM ours")[0][0]


def terminate_all(url: str) -> int:
    return of_ours(url, "SELECT count(pg_terminate_backend(pid, 5000)) FROM ours")[0][0]


async def finds(index) -> list[str]:
    return await paths(index, await ask(index, "zebra"), "lexical")


# K080: two hundred retrievers in a process take no more connections than one.
async def test_many_indexes_share_a_bounded_pool(open_postgres, postgres_url):
    await publish(open_postgres(pool_size=3), [PAGE])
    indexes = [open_postgres(pool_size=3) for _ in range(200)]
    found = await asyncio.gather(*(finds(index) for index in indexes))
    assert found == [["pool.md"]] * 200
    assert 1 <= connections(postgres_url) <= 3


@pytest.mark.parametrize(("busy", "taken"), [(0, 5), (5, 1)])
async def test_a_search_among_many_keeps_to_one_connection(open_postgres, monkeypatch, busy, taken):
    """Alone it sends three rankings together, after the statistics and before it reads texts."""
    index = open_postgres(pool_size=8)
    page = make_document("pool.md", "# Pool\n\nRestart the `zebra-proxy`.\n")
    await publish(index, [page], embedder=EMBEDDER)
    query = Query(text="zebra-proxy restart")
    vector = await EMBEDDER.embed_query(query.text)
    alone = await index.search(query, vector, EMBEDDER.fingerprint)
    assert all(alone.rankings[name] for name in ("lexical", "identifiers", "vector"))
    uses = []
    honest = Pool.connection
    monkeypatch.setattr(
        Pool, "connection", lambda pool, **how: (uses.append(how), honest(pool, **how))[1]
    )
    index._pool().searches = busy
    assert await index.search(query, vector, EMBEDDER.fingerprint) == alone
    assert index._pool().searches == busy
    assert len(uses) == taken


async def test_the_last_user_closes_the_connections(open_postgres, postgres_url):
    first, second = open_postgres(), open_postgres()
    await publish(first, [PAGE])
    assert await finds(second) == ["pool.md"]
    await first.close()
    assert await finds(second) == ["pool.md"]
    await second.close()
    with psycopg.connect(postgres_url) as admin:
        admin.execute("SELECT pg_sleep(0.2)")  # a backend takes a moment to leave
    assert connections(postgres_url) == 0
    with pytest.raises(BackendUnavailable, match="closed"):
        await second.active_load()


def test_one_index_serves_several_event_loops(postgres_url, tmp_path):
    index = PgVectorIndex(PgVectorConfig(url=postgres_url), state=tmp_path)
    asyncio.run(_publish(index))
    for _ in range(12):  # some of them end while the pool is still growing
        assert asyncio.run(finds(index)) == ["pool.md"]
    # The loops that ended took their connections along.
    assert connections(postgres_url) <= 8
    asyncio.run(index.close())


async def _publish(index):
    await publish(index, [PAGE])


async def test_lost_connections_are_replaced(open_postgres, postgres_url):
    index = open_postgres()
    await publish(index, [PAGE])
    await asyncio.gather(*(finds(index) for _ in range(8)))
    assert terminate_all(postgres_url) >= 1
    assert await finds(index) == ["pool.md"]
    assert terminate_all(postgres_url) >= 1
    await publish(index, [make_document("disk.md", "# Disk\n\nwalrus\n")])
    assert terminate_all(postgres_url) >= 1
    assert await index.active_load() == 2


async def test_a_server_that_stops_is_unavailable_until_it_is_back(open_postgres, own_server):
    index = open_postgres(own_server.url())
    await publish(index, [PAGE])
    own_server.halt()
    for _ in range(3):
        with pytest.raises(BackendUnavailable, match="does not answer"):
            await finds(index)
    with pytest.raises(BackendUnavailable):
        await build(index, [PAGE])
    own_server.start()
    assert await finds(index) == ["pool.md"]
    await publish(index, [make_document("disk.md", "# Disk\n\nwalrus\n")])


async def test_a_server_that_hangs_is_unavailable(open_postgres, own_server):
    times = {"statement_timeout_seconds": 0.4, "connect_timeout_seconds": 0.4}
    index = open_postgres(own_server.url(), **times)
    await publish(index, [PAGE])
    own_server.signal(signal.SIGSTOP)
    try:
        async with asyncio.timeout(60):
            with pytest.raises(BackendUnavailable, match="no answer within"):
                await finds(index)
            with pytest.raises(BackendUnavailable):
                await finds(open_postgres(own_server.url(), pool_size=2, **times))
    finally:
        own_server.signal(signal.SIGCONT)
    patient = open_postgres(own_server.url())
    assert await finds(patient) == ["pool.md"]
    async with asyncio.timeout(60):
        while True:  # what was cancelled gives its connections back first
            try:
                assert await finds(index) == ["pool.md"]
                break
            except BackendUnavailable:
                await asyncio.sleep(0.1)


async def test_a_slow_statement_is_stopped_on_the_server_too(open_postgres, postgres_url):
    index = open_postgres(statement_timeout_seconds=0.3)
    await publish(index, [PAGE])
    with psycopg.connect(postgres_url) as blocker:
        blocker.execute("LOCK TABLE orrery.passage IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(BackendUnavailable, match="took too long"):
            await finds(index)
    assert await finds(index) == ["pool.md"]
    assert of_ours(postgres_url, "SELECT pid FROM ours WHERE state <> 'idle'") == []


async def test_more_searches_than_connections_wait_their_turn(open_postgres, postgres_url):
    index = open_postgres(pool_size=1)
    await publish(index, [PAGE])
    found = await asyncio.gather(*(finds(index) for _ in range(30)))
    assert found == [["pool.md"]] * 30
    assert connections(postgres_url) == 1


async def test_cancelled_searches_cost_no_connection(open_postgres):
    index = open_postgres(pool_size=2)
    await publish(index, [PAGE])
    for turns in range(1, 40, 3):
        tasks = [asyncio.create_task(finds(index)) for _ in range(4)]
        for _ in range(turns):
            await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    found = await asyncio.gather(*(finds(index) for _ in range(6)))
    assert found == [["pool.md"]] * 6


async def test_the_lock_goes_with_its_connection(open_postgres, postgres_url):
    first, second = open_postgres(), open_postgres()
    async with first.lock():
        with pytest.raises(SyncRunning):
            async with second.lock():
                pass
        terminate_all(postgres_url)
        async with second.lock():
            with pytest.raises(SyncRunning):
                async with first.lock():
                    pass
    async with first.lock():
        pass


@pytest.mark.parametrize("wrong", ["password", "user", "database", "host", "option"])
async def test_what_is_wrong_is_said_without_the_url(open_postgres, own_server, wrong, caplog):
    url = own_server.url()
    secret = url.split(":")[2].split("@")[0]
    other = {
        "password": url.replace(secret, "hunter2"),
        "user": url.replace("orrery:", "nobody-known:"),
        "database": url.replace("/postgres?", "/missing-database?"),
        "host": url.replace("/socket", "/no-such-folder"),
        "option": f"{url}&sslmode=hunter2",
    }[wrong]
    index = open_postgres(other)
    with pytest.raises(BackendUnavailable) as caught:
        await index.search(Query(text="zebra"), None, None)
    message = str(caught.value)
    assert {
        "password": "refuses the user or password",
        "user": "refuses the user or password",
        "database": "database of backend.url does not exist",
        "host": "does not answer",
        "option": "does not answer",
    }[wrong] in message
    for hidden in (secret, "hunter2", "postgresql://", "nobody-known", "missing-database", "\n"):
        assert hidden not in message
        # The pool logs for itself; a text of several lines is a traceback.
        assert hidden not in "".join(record.getMessage() for record in caplog.records)
