"""One SQLite file behind asyncio: transactions, snapshots, migrations, and errors in our words."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from orrery_knowledge.backends.sqlite import database as module
from orrery_knowledge.backends.sqlite.database import Database, NoIndexYet, _split
from orrery_knowledge.errors import BackendUnavailable, ConfigurationError, KnowledgeError

Open = Callable[..., Database]


@pytest.fixture
async def open_database(tmp_path: Path) -> AsyncIterator[Open]:
    opened: list[Database] = []

    def open_one(path: Path | None = None, **options: int) -> Database:
        opened.append(Database(path or tmp_path / "state" / "index.db", **options))
        return opened[-1]

    yield open_one
    for database in opened:
        await database.close()


def put(key: str) -> Callable[[sqlite3.Connection], None]:
    """Writes a row of a table that has no other rows."""

    def work(db: sqlite3.Connection) -> None:
        db.execute("INSERT INTO vector (fingerprint, key, value) VALUES (?, x'00', x'')", (key,))

    return work


def keys(db: sqlite3.Connection) -> list[str]:
    return [row["fingerprint"] for row in db.execute("SELECT fingerprint FROM vector ORDER BY id")]


async def test_nothing_is_made_before_the_first_write(open_database: Open, tmp_path: Path) -> None:
    database = open_database()
    with pytest.raises(NoIndexYet, match="nothing is indexed yet"):
        await database.read(keys)
    assert list(tmp_path.iterdir()) == []
    await database.write(put("a"))
    assert await database.read(keys) == ["a"]


async def test_a_write_is_all_or_nothing(open_database: Open) -> None:
    database = open_database()

    def fails(db: sqlite3.Connection) -> None:
        put("half")(db)
        raise KnowledgeError("stop")

    with pytest.raises(KnowledgeError, match="stop"):
        await database.write(fails)
    assert await database.read(keys) == []
    await database.write(put("b"))  # the connection is as good as new
    assert await database.read(keys) == ["b"]


async def test_an_exception_that_is_not_ours_passes_and_undoes_as_well(
    open_database: Open,
) -> None:
    database = open_database()

    def fails(db: sqlite3.Connection) -> None:
        put("half")(db)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await database.write(fails)
    assert await database.read(keys) == []


async def test_a_read_sees_one_snapshot_to_its_end(open_database: Open) -> None:
    database = open_database()
    await database.write(put("a"))
    begun, written = threading.Event(), threading.Event()

    def slow(db: sqlite3.Connection) -> tuple[list[str], list[str]]:
        before = keys(db)
        begun.set()
        assert written.wait(30)
        return before, keys(db)

    reading = asyncio.ensure_future(database.read(slow))
    assert await asyncio.to_thread(begun.wait, 30)
    await database.write(put("b"))
    written.set()
    assert await reading == (["a"], ["a"])
    assert await database.read(keys) == ["a", "b"]


async def test_readers_do_not_wait_for_one_another(open_database: Open) -> None:
    database = open_database(readers=3)
    await database.write(put("a"))
    together = threading.Barrier(3)

    def meet(db: sqlite3.Connection) -> int:
        keys(db)
        together.wait(30)  # all three are inside, or this breaks
        return threading.get_ident()

    threads = await asyncio.gather(*(database.read(meet) for _ in range(3)))
    assert len(set(threads)) == 3


async def test_writes_come_one_after_another(open_database: Open) -> None:
    database = open_database()
    names = [f"{n:03}" for n in range(50)]
    await asyncio.gather(*(database.write(put(name)) for name in names))
    assert await database.read(keys) == names


async def test_what_one_commits_the_other_sees_in_its_next_transaction(
    open_database: Open,
) -> None:
    one, two = open_database(), open_database()
    await one.write(put("a"))
    assert await two.read(keys) == ["a"]
    await two.write(put("b"))
    assert await one.read(keys) == ["a", "b"]


async def test_two_processes_may_make_it_at_once(open_database: Open) -> None:
    databases = [open_database() for _ in range(4)]
    await asyncio.gather(*(d.write(put(str(n))) for n, d in enumerate(databases)))
    assert sorted(await databases[0].read(keys)) == ["0", "1", "2", "3"]
    version = await databases[0].read(lambda db: db.execute("PRAGMA user_version").fetchone()[0])
    scripts = [f for f in Path(module.__file__).with_name("migrations").iterdir()
               if f.suffix == ".sql"]  # fmt: skip
    assert version == len(scripts)


async def test_a_file_that_another_process_has_just_made_is_waited_for(
    open_database: Open, tmp_path: Path
) -> None:
    """While somebody writes a file that isn't in WAL mode yet, switching it is refused at once."""
    (tmp_path / "state").mkdir()
    other = sqlite3.connect(tmp_path / "state" / "index.db", check_same_thread=False)
    other.execute("CREATE TABLE other (id)")
    other.execute("BEGIN IMMEDIATE")
    timer = threading.Timer(0.3, other.rollback)
    timer.start()
    database = open_database()
    await database.write(put("a"))
    timer.join()
    other.close()
    assert await database.read(keys) == ["a"]


async def test_a_migration_runs_once(open_database: Open) -> None:
    first = open_database()
    await first.write(put("a"))
    await first.close()
    assert await open_database().read(keys) == ["a"]


async def test_after_closing_it_says_so(open_database: Open) -> None:
    database = open_database()
    await database.write(put("a"))
    await database.close()
    await database.close()
    for work in (database.read(keys), database.write(put("b"))):
        with pytest.raises(BackendUnavailable, match="the index is closed"):
            await work


async def test_it_can_be_closed_before_it_was_used(open_database: Open) -> None:
    await open_database().close()


# --- errors ---------------------------------------------------------------------------------------


async def refused(database: Database, expected: str, error: type[KnowledgeError]) -> None:
    with pytest.raises(error) as caught:
        await database.write(put("hunter2"))
    message = str(caught.value)
    assert expected in message
    assert "index.db" in message
    for leaked in ("INSERT", "SELECT", "vector", "hunter2", "\n"):
        assert leaked not in message


async def test_a_damaged_file(open_database: Open, tmp_path: Path) -> None:
    (tmp_path / "index.db").write_bytes(b"no database at all " * 500)
    await refused(
        open_database(tmp_path / "index.db"), "damaged; delete it and run sync", BackendUnavailable
    )


async def test_a_file_damaged_in_the_middle(open_database: Open, tmp_path: Path) -> None:
    first = open_database(tmp_path / "index.db")
    await first.write(put("a"))
    await first.close()
    data = bytearray((tmp_path / "index.db").read_bytes())
    data[8192:] = b"\xff" * (len(data) - 8192)
    (tmp_path / "index.db").write_bytes(data)
    await refused(open_database(tmp_path / "index.db"), "damaged", BackendUnavailable)


async def test_a_file_of_a_newer_version(open_database: Open, tmp_path: Path) -> None:
    file = tmp_path / "index.db"
    with sqlite3.connect(file) as made:
        made.execute("PRAGMA user_version = 999")
    made.close()
    await refused(open_database(file), "newer orrery-knowledge; upgrade", ConfigurationError)
    # Nothing was written into it.
    with sqlite3.connect(file) as found:
        assert found.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
    found.close()


async def test_a_folder_in_its_place(open_database: Open, tmp_path: Path) -> None:
    (tmp_path / "index.db").mkdir()
    await refused(open_database(tmp_path / "index.db"), "can't be opened", BackendUnavailable)


async def test_a_file_where_its_folder_should_be(open_database: Open, tmp_path: Path) -> None:
    (tmp_path / "state").write_text("")
    await refused(open_database(tmp_path / "state" / "index.db"), "index.db: ", BackendUnavailable)


async def test_a_full_disk(open_database: Open) -> None:
    """SQLite's own limit on pages gives its own "full"; what was there stays."""
    database = open_database()
    await database.write(put("a"))

    def overflow(db: sqlite3.Connection) -> None:
        pages = db.execute("PRAGMA page_count").fetchone()[0]
        db.execute(f"PRAGMA max_page_count = {pages}")
        db.execute(
            "INSERT INTO vector (fingerprint, key, value) VALUES ('b', x'01', zeroblob(1000000))"
        )

    with pytest.raises(BackendUnavailable, match="the disk is full; what was active stays active"):
        await database.write(overflow)
    assert await database.read(keys) == ["a"]


async def test_a_file_that_another_process_keeps(
    open_database: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BUSY_SECONDS", 0.05)
    database = open_database()
    await database.write(put("a"))
    other = sqlite3.connect(database.path, isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        await refused(database, "another process has kept it locked", BackendUnavailable)
        assert await database.read(keys) == ["a"]  # reading goes on
    finally:
        other.execute("ROLLBACK")
        other.close()
    await database.write(put("b"))


async def test_a_slip_in_a_statement_leaks_nothing(open_database: Open) -> None:
    database = open_database()
    with pytest.raises(BackendUnavailable) as caught:
        await database.write(lambda db: db.execute("SELECT hunter2 FROM nowhere"))
    assert str(caught.value) == "index index.db: SQLite refused (OperationalError)"


async def test_an_old_sqlite_is_refused(
    open_database: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SQLITE_FLOOR", (99, 0, 0))
    with pytest.raises(ConfigurationError, match=r"has SQLite .*; 3\.40 or newer is needed"):
        await open_database().write(put("a"))


async def test_a_cancelled_write_is_finished_or_undone_but_never_half(open_database: Open) -> None:
    database = open_database()
    begun, go_on = threading.Event(), threading.Event()

    def slow(db: sqlite3.Connection) -> None:
        put("a")(db)
        begun.set()
        assert go_on.wait(30)
        db.execute("INSERT INTO vector (fingerprint, key, value) VALUES ('b', x'01', x'')")

    writing = asyncio.ensure_future(database.write(slow))
    assert await asyncio.to_thread(begun.wait, 30)
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    go_on.set()
    await database.write(put("c"))  # waits for its turn
    assert await database.read(keys) in (["a", "b", "c"], ["c"])


def test_a_script_is_split_by_statements_not_by_semicolons() -> None:
    table = "-- one; two\nCREATE TABLE a (b TEXT DEFAULT ';');\n"
    trigger = "CREATE TRIGGER t AFTER INSERT ON a\nBEGIN\n  DELETE FROM a;\nEND;\n"
    assert list(_split(table + trigger)) == [table, trigger]
