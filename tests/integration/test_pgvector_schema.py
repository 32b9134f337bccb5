"""Our tables: who makes them, who may not, and what is refused."""

from __future__ import annotations

import asyncio

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Identifier

from orrery_knowledge.backends.pgvector import schema
from orrery_knowledge.errors import BackendUnavailable, ConfigurationError
from orrery_knowledge.models import Query
from orrery_knowledge.testing.documents import ask, make_document, paths, publish

pytest_plugins = ["postgres_fixtures"]
pytestmark = pytest.mark.services

PAGE = make_document("pool.md", "# Pool\n\nRestart the zebra proxy.\n")


def run(url: str, statement: str) -> list[tuple]:
    with psycopg.connect(url, autocommit=True) as admin:
        cursor = admin.execute(statement)
        return cursor.fetchall() if cursor.description else []


async def test_reading_makes_nothing(open_postgres, postgres_url):
    index = open_postgres()
    assert (await index.search(Query(text="zebra"), None, None)).load is None
    assert await index.loads() == []
    assert await index.visible() == []
    assert await index.verify() == []
    found = run(postgres_url, "SELECT 1 FROM pg_namespace WHERE nspname = 'orrery'")
    assert found == []


async def test_tables_of_a_newer_version_are_refused(open_postgres, postgres_url):
    await publish(open_postgres(), [PAGE])
    run(postgres_url, "INSERT INTO orrery.schema_step (number) VALUES (99)")
    newer = open_postgres(pool_size=2)
    for attempt in (newer.search(Query(text="zebra"), None, None), newer.begin(None, {})):
        with pytest.raises(ConfigurationError, match="newer orrery-knowledge"):
            await attempt


async def test_many_make_the_tables_at_once(open_postgres):
    indexes = [open_postgres(pool_size=size) for size in range(1, 7)]
    loads = await asyncio.gather(*(index.begin(None, {}) for index in indexes))
    assert sorted(load.number for load in loads) == [1, 2, 3, 4, 5, 6]


async def test_two_schemas_are_two_indexes(open_postgres):
    one, two = open_postgres(schema="one"), open_postgres(schema="two")
    await publish(one, [PAGE])
    assert await two.active_load() is None
    await publish(two, [make_document("other.md", "# Other\n\nA zebra elsewhere.\n")])
    assert await paths(one, await ask(one, "zebra"), "lexical") == ["pool.md"]
    assert await paths(two, await ask(two, "zebra"), "lexical") == ["other.md"]
    async with one.lock(), two.lock():
        pass


async def test_the_extension_may_lie_anywhere(open_postgres, postgres_url):
    run(postgres_url, "CREATE SCHEMA ext; ALTER EXTENSION vector SET SCHEMA ext")
    index = open_postgres()
    await publish(index, [PAGE])
    assert await paths(index, await ask(index, "zebra"), "vector") == ["pool.md"]


async def test_without_the_extension_it_is_said_what_to_do(open_postgres, postgres_url):
    run(postgres_url, "DROP EXTENSION vector")
    name = psycopg.conninfo.conninfo_to_dict(postgres_url)["dbname"]
    role = Identifier(f"plain_{name}")
    with psycopg.connect(postgres_url, autocommit=True) as admin:
        admin.execute(SQL("CREATE ROLE {} LOGIN PASSWORD 'plain'").format(role))
        admin.execute(SQL("GRANT CREATE ON DATABASE {} TO {}").format(Identifier(name), role))
    try:
        as_plain = make_conninfo(postgres_url, user=f"plain_{name}", password="plain")
        url = _as_url(as_plain)
        with pytest.raises(ConfigurationError, match="CREATE EXTENSION vector"):
            await open_postgres(url).begin(None, {})
        run(postgres_url, "CREATE EXTENSION vector SCHEMA public")
        index = open_postgres(url)
        await publish(index, [PAGE])
        assert await paths(index, await ask(index, "zebra"), "vector") == ["pool.md"]
    finally:
        with psycopg.connect(postgres_url, autocommit=True) as admin:
            admin.execute(SQL("DROP OWNED BY {} CASCADE").format(role))
            admin.execute(SQL("DROP ROLE {}").format(role))


def _as_url(conninfo: str) -> str:
    parts = psycopg.conninfo.conninfo_to_dict(conninfo)
    user = f"{parts['user']}:{parts['password']}"
    port = f"&port={parts['port']}" if "port" in parts else ""
    return f"postgresql://{user}@/{parts['dbname']}?host={parts['host']}{port}"


async def test_a_reader_needs_no_more_than_select(open_postgres, postgres_url):
    await publish(open_postgres(), [PAGE])
    name = psycopg.conninfo.conninfo_to_dict(postgres_url)["dbname"]
    role = Identifier(f"reader_{name}")
    with psycopg.connect(postgres_url, autocommit=True) as admin:
        admin.execute(SQL("CREATE ROLE {} LOGIN PASSWORD 'reader'").format(role))
        admin.execute(SQL("GRANT USAGE ON SCHEMA orrery TO {}").format(role))
        admin.execute(SQL("GRANT SELECT ON ALL TABLES IN SCHEMA orrery TO {}").format(role))
    try:
        url = _as_url(make_conninfo(postgres_url, user=f"reader_{name}", password="reader"))
        reader = open_postgres(url)
        assert await paths(reader, await ask(reader, "zebra"), "vector") == ["pool.md"]
        with pytest.raises(BackendUnavailable, match="lacks a privilege"):
            await reader.begin(None, {})
    finally:
        with psycopg.connect(postgres_url, autocommit=True) as admin:
            admin.execute(SQL("DROP OWNED BY {} CASCADE").format(role))
            admin.execute(SQL("DROP ROLE {}").format(role))


async def test_an_old_server_or_extension_is_refused(open_postgres, monkeypatch):
    monkeypatch.setattr(schema, "EXTENSION_FLOOR", (99, 0, 0))
    with pytest.raises(ConfigurationError, match=r"99\.0\.0 or newer is needed"):
        await open_postgres().begin(None, {})
    monkeypatch.setattr(schema, "SERVER_FLOOR", 990000)
    with pytest.raises(ConfigurationError, match="15 or newer is needed"):
        await open_postgres().begin(None, {})
