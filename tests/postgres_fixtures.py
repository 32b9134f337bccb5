"""Fixtures for tests on PostgreSQL; a module that needs them names this file in `pytest_plugins`.

One server serves a whole run: ``ORRERY_TEST_POSTGRES_URL`` (a role that may create databases and
extensions), or one of our own. Each test gets a database of its own, copied from a template.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from secrets import token_hex
from typing import Any

import psycopg
import pytest
from postgres_server import PostgresServer, with_database
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Identifier

from orrery_knowledge.backends.pgvector.index import PgVectorConfig, PgVectorIndex

VARIABLE = "ORRERY_TEST_POSTGRES_URL"


@pytest.fixture(scope="session")
def postgres_admin_url() -> Iterator[str]:
    """A database of the server from which others can be made."""
    if given := os.environ.get(VARIABLE):
        yield given
        return
    server = PostgresServer()
    yield server.url()
    server.stop()


@pytest.fixture(scope="session")
def postgres_template(postgres_admin_url: str) -> Iterator[str]:
    """Name of a database that has the extension and nothing else."""
    name = f"orrery_template_{token_hex(4)}"
    with psycopg.connect(postgres_admin_url, autocommit=True) as admin:
        admin.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
        with psycopg.connect(make_conninfo(postgres_admin_url, dbname=name)) as database:
            database.execute("CREATE EXTENSION vector")
        yield name
        admin.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))


@pytest.fixture
def postgres_url(postgres_admin_url: str, postgres_template: str) -> Iterator[str]:
    """URL of an empty database with the extension, removed after the test."""
    name = f"orrery_test_{token_hex(6)}"
    database, template = Identifier(name), Identifier(postgres_template)
    with psycopg.connect(postgres_admin_url, autocommit=True) as admin:
        admin.execute(SQL("CREATE DATABASE {} TEMPLATE {}").format(database, template))
    yield with_database(postgres_admin_url, name)
    with psycopg.connect(postgres_admin_url, autocommit=True) as admin:
        admin.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(database))


@pytest.fixture
def own_server() -> Iterator[PostgresServer]:
    """A server that a test may stop or crash, and its own: others use the shared one."""
    server = PostgresServer({"synchronous_commit": "on"})
    with psycopg.connect(server.url(), autocommit=True) as admin:
        admin.execute("CREATE EXTENSION vector")
    yield server
    server.stop()


@pytest.fixture
async def open_postgres(
    postgres_url: str, tmp_path: Path
) -> AsyncIterator[Callable[..., PgVectorIndex]]:
    """Opens indexes on the test's database; keyword arguments are settings."""
    opened: list[PgVectorIndex] = []

    def open_one(url: str = postgres_url, **settings: Any) -> PgVectorIndex:
        opened.append(PgVectorIndex(PgVectorConfig(url=url, **settings), state=tmp_path))
        return opened[-1]

    yield open_one
    for index in opened:
        await index.close()
