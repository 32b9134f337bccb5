from __future__ import annotations

import asyncio
import random
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from filelock import FileLock

from orrery_knowledge.errors import BackendUnavailable, ConfigurationError, KnowledgeError
from orrery_knowledge.governance import migrate, schema
from orrery_knowledge.governance.ledger import Ledger

DIGEST = "a" * 64
KEY = ("c", "s", "p.md")
LOST = (
    "is damaged, or is no ledger: restore it from your backup. It alone holds every decision on "
    "trust, the texts that wait for a review and the evidence; never delete it to get going"
)


def url_of(path: Path) -> str:
    return f"sqlite+aiosqlite:///{path}"


async def failure(path: Path) -> KnowledgeError:
    ledger = Ledger(url_of(path))
    with pytest.raises(KnowledgeError) as caught:
        await ledger.open()
    message = str(caught.value)
    assert str(path) in message
    assert "\n" not in message
    assert "SELECT" not in message
    return caught.value


async def test_migrations_give_exactly_the_tables_of_the_schema(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "ledger.db"
    async with Ledger(url_of(path)):
        pass
    engine = sa.create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"version_table": schema.VERSION_TABLE, "compare_type": False}
        )
        assert compare_metadata(context, schema.metadata) == []
        assert context.get_current_revision() == schema.VERSIONS[-1]
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
    engine.dispose()


def test_versions_are_those_of_the_migrations() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migrate.__file__).parent / "migrations"))
    found = [script.revision for script in ScriptDirectory.from_config(config).walk_revisions()]
    assert tuple(reversed(found)) == schema.VERSIONS


async def test_many_may_open_new_ledgers_at_once(tmp_path: Path) -> None:
    # Two of each file: within a process Alembic's globals are in the way, not only the file.
    ledgers = [Ledger(url_of(tmp_path / f"{n % 4}.db")) for n in range(8)]
    await asyncio.gather(*(ledger.open() for ledger in ledgers))
    assert [await ledger.last_decision() for ledger in ledgers] == [0] * 8
    await asyncio.gather(*(ledger.close() for ledger in ledgers))


def test_processes_may_open_a_new_ledger_at_once(tmp_path: Path) -> None:
    code = (
        "import asyncio, sys\n"
        "from orrery_knowledge.governance.ledger import Ledger\n"
        "async def main():\n"
        "    async with Ledger(sys.argv[1]) as ledger:\n"
        "        print(await ledger.record('opened', actor='test'))\n"
        "asyncio.run(main())\n"
    )
    command = [sys.executable, "-c", code, url_of(tmp_path / "state" / "ledger.db")]
    children = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    outputs = [child.communicate(timeout=120) for child in children]
    assert [child.returncode for child in children] == [0, 0, 0], outputs
    assert sorted(int(out) for out, _ in outputs) == [1, 2, 3]


async def test_migrating_waits_for_whoever_migrates(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    with FileLock(tmp_path / "ledger.db.migrate.lock"):
        opening = asyncio.create_task(ledger.open())
        await asyncio.sleep(0.5)
        assert not opening.done()
    await opening
    await ledger.close()


async def test_path_may_hold_what_a_url_may_not(tmp_path: Path) -> None:
    path = tmp_path / "50% of #1?" / "ledger.db"
    async with Ledger(path) as ledger:
        assert await ledger.record("opened", actor="test") == 1
    assert path.is_file()


async def test_opening_and_closing_twice_is_safe(tmp_path: Path) -> None:
    ledger = Ledger(url_of(tmp_path / "ledger.db"))
    await ledger.open()
    await ledger.open()
    await ledger.close()
    await ledger.close()
    with pytest.raises(BackendUnavailable, match="not open"):
        await ledger.last_decision()
    with pytest.raises(BackendUnavailable, match="not open"):
        ledger.decision_lock()


async def test_newer_schema_asks_for_an_upgrade(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    async with Ledger(url_of(path)):
        pass
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE ledger_version SET version_num = '9999'")
    connection.close()
    error = await failure(path)
    assert isinstance(error, ConfigurationError)
    assert "upgrade" in str(error)


async def test_interrupted_migration_is_done_again(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    # What a kill right after creating the file leaves behind.
    path.touch()
    async with Ledger(url_of(path)) as ledger:
        assert await ledger.last_decision() == 0


async def test_folder_that_can_not_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    error = await failure(tmp_path / "file" / "below" / "ledger.db")
    assert isinstance(error, BackendUnavailable)
    assert "can't be opened; check the path" in str(error)


async def test_path_that_is_a_folder(tmp_path: Path) -> None:
    error = await failure(tmp_path)
    assert isinstance(error, BackendUnavailable)
    assert "can't be opened; check the path" in str(error)


def random_bytes(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[:100] = random.Random(7).randbytes(100)
    path.write_bytes(data)


def text(path: Path) -> None:
    path.write_text("# A runbook, not a database\n" * 200)


def cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


@pytest.mark.parametrize("damage", [random_bytes, text, cut_off])
async def test_a_ledger_that_is_none_any_more_is_to_be_restored(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    path = tmp_path / "ledger.db"
    async with Ledger(url_of(path)) as ledger:
        await ledger.record("first", actor="test")
    damage(path)
    before = path.read_bytes()
    error = await failure(path)
    assert isinstance(error, BackendUnavailable)
    assert str(error) == f"the ledger {path} {LOST}"
    assert path.read_bytes() == before


async def test_a_stored_value_that_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    async with Ledger(url_of(path)) as ledger:
        await ledger.record("first", actor="test", details={"n": 1})
    with sqlite3.connect(path) as connection:
        triggers = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
        for (name,) in triggers.fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("UPDATE audit SET details = '{\"n\": '")
    connection.close()
    async with Ledger(url_of(path)) as ledger:
        with pytest.raises(BackendUnavailable) as caught:
            await ledger.audit()
    assert str(caught.value) == f"the ledger {path} {LOST}"


async def test_damaged_file(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    async with Ledger(url_of(path)) as ledger:
        for number in range(50):
            await ledger.record("filled", actor="test", details={"filler": "x" * 500, "n": number})
    data = bytearray(path.read_bytes())
    data[4096 : len(data)] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)
    ledger = Ledger(url_of(path))
    with pytest.raises(BackendUnavailable, match="damaged") as caught:
        async with ledger:
            await ledger.audit()
    assert "\n" not in str(caught.value)
    await ledger.close()


async def test_whoever_is_cancelled_waits_until_nothing_is_written_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`eval` deletes the folder then: the thread went on, and its ledger came after that."""
    begun, go_on = threading.Event(), threading.Event()
    real = migrate._bring_up_to_date

    def slow(url: sa.URL) -> None:
        begun.set()
        go_on.wait(30)
        real(url)

    monkeypatch.setattr(migrate, "_bring_up_to_date", slow)
    path = tmp_path / "ledger.db"
    opening = asyncio.ensure_future(Ledger(url_of(path)).open())
    await asyncio.to_thread(begun.wait, 30)
    opening.cancel()
    await asyncio.sleep(0)
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await opening
    assert path.exists()


async def test_full_disk(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    async with Ledger(url_of(path)) as ledger:
        await ledger.record("first", actor="test")
        assert ledger._engine is not None

        @sa.event.listens_for(ledger._engine.sync_engine, "begin")
        def on_begin(connection: sa.Connection) -> None:
            # SQLite's own way to run out of space: the error is the one of a full disk.
            connection.exec_driver_sql("PRAGMA max_page_count = 1")

        with pytest.raises(BackendUnavailable, match="the disk is full") as caught:
            await ledger.record("second", actor="test", details={"filler": "x" * 500_000})
        assert "filler" not in str(caught.value)
        assert [entry.action for entry in await ledger.audit()] == ["first"]


async def test_file_that_can_not_be_written(tmp_path: Path) -> None:
    async with Ledger(url_of(tmp_path / "ledger.db")) as ledger:
        assert ledger._engine is not None

        @sa.event.listens_for(ledger._engine.sync_engine, "begin")
        def on_begin(connection: sa.Connection) -> None:
            # Tests may run as root, who can write everything; the error is the same.
            connection.exec_driver_sql("PRAGMA query_only = 1")

        with pytest.raises(BackendUnavailable, match="can't be written: it is read-only"):
            await ledger.record("never", actor="test")


async def test_server_that_does_not_answer() -> None:
    ledger = Ledger("postgresql+psycopg://ada:hunter2@127.0.0.1:1/ledger")
    with pytest.raises(BackendUnavailable) as caught:
        await ledger.open()
    assert str(caught.value) == (
        "the ledger at 127.0.0.1:1/ledger does not answer (OperationalError)"
    )


@pytest.mark.parametrize(
    "url",
    [
        "",
        "ledger.db",
        "mysql://u:hunter2@h/d",
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite:///file:x?mode=memory&uri=true",
        "postgresql://u:hunter2@h:port/d",
    ],
)
def test_url_that_can_not_be_used(url: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Ledger(url)
    assert "hunter2" not in str(caught.value)
    assert "\n" not in str(caught.value)
