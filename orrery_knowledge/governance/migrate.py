"""Bring a ledger to the schema of this code. Alembic is imported only when there is work."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa
from filelock import FileLock, Timeout

from orrery_knowledge.errors import BackendUnavailable, ConfigurationError
from orrery_knowledge.governance.driver import (
    file_of,
    is_sqlite,
    lock_number,
    make_sync_engine,
    mapped,
    shown,
    sync_writer,
    use_wal,
)
from orrery_knowledge.governance.schema import VERSION_TABLE, VERSIONS

_PATIENCE_SECONDS = 60
# Alembic's `op` and `context` are globals of the process.
_ALEMBIC = threading.Lock()


async def bring_up_to_date(url: sa.URL) -> None:
    """Create or migrate the schema if needed; any number of processes may do so at once.

    Raises:
        ConfigurationError: the schema is newer than this code.
        BackendUnavailable: the file or its folder can't be used, or the engine does not answer.
    """
    # In a worker thread with a plain driver: Alembic knows no other, and an asynchronous
    # connection that fails to open leaves a thread behind that outlives the event loop.
    work = asyncio.ensure_future(asyncio.to_thread(_bring_up_to_date, url))
    try:
        await asyncio.shield(work)
    except asyncio.CancelledError:
        # The thread goes on, and whoever was cancelled may be about to delete the file's folder.
        await asyncio.wait({work})
        if not work.cancelled():
            work.exception()  # nobody else asks for it
        raise


async def is_there(url: sa.URL) -> bool:
    """Whether a ledger was ever made there; a look makes none.

    Raises:
        BackendUnavailable: the engine does not answer.
    """
    return await asyncio.to_thread(_is_there, url)


def _is_there(url: sa.URL) -> bool:
    with mapped(url):
        if is_sqlite(url):
            return os.path.lexists(file_of(url))
        engine = make_sync_engine(url)
        try:
            with engine.connect() as connection:
                return _version(connection) is not None
        finally:
            engine.dispose()


def _bring_up_to_date(url: sa.URL) -> None:
    with mapped(url):
        if is_sqlite(url):
            file_of(url).parent.mkdir(parents=True, exist_ok=True)
        engine = make_sync_engine(url)
        try:
            with engine.connect() as connection:
                version = _version(connection)
            if version is not None and version not in VERSIONS:
                raise _newer(url)
            if version != VERSIONS[-1]:
                _migrate(engine, url)
        finally:
            engine.dispose()


def _version(connection: sa.Connection) -> str | None:
    if not sa.inspect(connection).has_table(VERSION_TABLE):
        return None
    table = sa.table(VERSION_TABLE, sa.column("version_num"))
    found = connection.execute(sa.select(table.c.version_num)).scalars().all()
    return str(found[0]) if found else None


def _newer(url: sa.URL) -> ConfigurationError:
    return ConfigurationError(
        f"{shown(url)} was written by a newer orrery-knowledge; upgrade this one"
    )


def _migrate(engine: sa.Engine, url: sa.URL) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    # A percent sign in a path would be read as an interpolation.
    folder = str(Path(__file__).parent / "migrations").replace("%", "%%")
    config.set_main_option("script_location", folder)
    try:
        with _ALEMBIC, _alone(engine, url):
            use_wal(engine)
            with sync_writer(engine).begin() as connection:
                config.attributes["connection"] = connection
                command.upgrade(config, "head")
    except CommandError:
        # Somebody newer was faster than we between the look and the lock.
        raise _newer(url) from None


@contextmanager
def _alone(engine: sa.Engine, url: sa.URL) -> Iterator[None]:
    if is_sqlite(url):
        path = file_of(url)
        try:
            with FileLock(path.with_name(path.name + ".migrate.lock"), timeout=_PATIENCE_SECONDS):
                yield
        except Timeout:
            raise BackendUnavailable(f"{shown(url)} is being migrated by another process") from None
        return
    with engine.connect() as connection:
        connection.execute(sa.select(sa.func.pg_advisory_lock(lock_number("migrate"))))
        # Closing the connection releases it, also when the migration fails.
        yield
