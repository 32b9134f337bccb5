"""Makes our tables and keeps them up to date, one process at a time."""

from __future__ import annotations

from importlib.resources import files
from typing import LiteralString

from psycopg import errors
from psycopg.sql import SQL, Identifier

from orrery_knowledge.backends.pgvector.driver_errors import NAME, NoIndexYet
from orrery_knowledge.backends.pgvector.pools import Connection, Pool
from orrery_knowledge.errors import ConfigurationError

SERVER_FLOOR = 150000
"""Oldest PostgreSQL, as `server_version_num` counts."""

EXTENSION_FLOOR = (0, 8, 4)
"""Oldest pgvector that the statements here were tried with."""

_MIGRATIONS = "orrery_knowledge.backends.pgvector.migrations"


async def ensure_readable(pool: Pool) -> None:
    """See to it that a search finds tables that it understands.

    Raises:
        NoIndexYet: no sync has run yet.
        ConfigurationError: a newer version of this package made them.
    """
    if pool.migrated:
        return
    async with pool.connection() as connection:
        version = await _version(connection, pool.key.schema)
    if version is None:
        raise NoIndexYet("nothing is indexed yet; run: orrery-knowledge sync")
    if version < len(_scripts()):
        await ensure_migrated(pool)
    pool.migrated = True


async def ensure_migrated(pool: Pool) -> None:
    """Make the tables, or bring them up to date.

    Raises:
        ConfigurationError: server or extension is too old, the extension can't be made, or a newer
            version of this package made the tables.
    """
    if pool.migrated:
        return
    async with pool.connection() as connection:
        if await _version(connection, pool.key.schema) != len(_scripts()):
            await _migrate(connection, pool.key.schema)
    pool.migrated = True


async def _migrate(connection: Connection, schema: str) -> None:
    await _check_server(connection)
    async with connection.transaction():
        # Waits for whoever else is at it; ends with the transaction.
        await connection.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (f"orrery:migrate:{schema}",)
        )
        await _make_extension(connection)
        create = SQL("CREATE SCHEMA IF NOT EXISTS {}").format(Identifier(schema))
        if await _version(connection, schema) is None:
            await connection.execute(create)
            await connection.execute(
                "CREATE TABLE schema_step (number integer PRIMARY KEY,"
                " applied_at timestamptz NOT NULL DEFAULT now())"
            )
        done = await _version(connection, schema) or 0
        for number, script in enumerate(_scripts()[done:], start=done + 1):
            await connection.execute(script)
            await connection.execute("INSERT INTO schema_step (number) VALUES (%s)", (number,))


async def _version(connection: Connection, schema: str) -> int | None:
    """How many steps were taken; None when our tables aren't there."""
    cursor = await connection.execute(
        "SELECT to_regclass(quote_ident(%s) || '.schema_step')", (schema,)
    )
    row = await cursor.fetchone()
    if row is None or row[0] is None:
        return None
    table = SQL("SELECT coalesce(max(number), 0) FROM {}.schema_step").format(Identifier(schema))
    row = await (await connection.execute(table)).fetchone()
    version = int(row[0]) if row else 0
    if version > len(_scripts()):
        raise ConfigurationError(
            f"{NAME}: schema {schema!r} was written by a newer orrery-knowledge; upgrade, or drop "
            "the schema and sync again (the index can always be rebuilt)"
        )
    return version


async def _check_server(connection: Connection) -> None:
    if connection.info.server_version < SERVER_FLOOR:
        found = connection.info.server_version // 10000
        raise ConfigurationError(f"{NAME}: the server is PostgreSQL {found}; 15 or newer is needed")
    if connection.info.parameter_status("server_encoding") != "UTF8":
        raise ConfigurationError(f"{NAME}: the database's encoding must be UTF8")


async def _make_extension(connection: Connection) -> None:
    try:
        async with connection.transaction():
            await connection.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
    except (errors.UndefinedFile, errors.FeatureNotSupported, errors.InsufficientPrivilege):
        raise ConfigurationError(
            f"{NAME}: the extension pgvector is not in this database; an administrator must run: "
            "CREATE EXTENSION vector"
        ) from None
    cursor = await connection.execute(
        "SELECT extversion FROM pg_extension WHERE extname = 'vector'"
    )
    row = await cursor.fetchone()
    found = str(row[0]) if row else "0"
    if tuple(int(part) for part in found.split(".") if part.isdecimal()) < EXTENSION_FLOOR:
        wanted = ".".join(map(str, EXTENSION_FLOOR))
        raise ConfigurationError(
            f"{NAME}: this database has pgvector {found}; {wanted} or newer is needed: "
            "ALTER EXTENSION vector UPDATE"
        )


def _scripts() -> list[LiteralString]:
    """The steps in order of their number; as literal as code, because they are part of it."""
    found = sorted(
        (file for file in files(_MIGRATIONS).iterdir() if file.name.endswith(".sql")),
        key=lambda file: file.name,
    )
    return [file.read_text(encoding="utf-8") for file in found]
