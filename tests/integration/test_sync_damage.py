"""Damaged files: what verify and sync say of them, and what a repair may do."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from sync_support import SOURCE, Place, command

FILES = {"id": SOURCE, "type": "filesystem", "path": SOURCE, "trust": "reviewed"}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def damage_header(file: Path) -> None:
    file.write_bytes(b"this is no database, whatever its name says\n" * 100)


def damage_pages(file: Path) -> None:
    data = bytearray(file.read_bytes())
    for start in range(8192, len(data), 8192):
        data[start : start + 512] = b"\xff" * 512
    file.write_bytes(data)


def cut_off(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:20_000])


@pytest.mark.parametrize("damage", [damage_header, damage_pages, cut_off])
def test_a_damaged_index_says_so_and_can_be_rebuilt(place: Place, damage: object) -> None:
    place.fill(4)
    place.sync()
    assert callable(damage)
    damage(place.state / "index.db")
    for words in (["sync", "--full"], ["search", "zebra"], ["loads", "list"]):
        ran = place.cli(*words)
        assert ran.code == 3, (words, ran)
        assert ran.err.count("\n") == 1, (words, ran)
        assert "the file is damaged; delete it and run sync again" in ran.err, words
    # What can be opened is looked through; what can't is no index that answers.
    ran = place.cli("verify")
    assert (ran.code, "the file is damaged" in ran.out + ran.err) == (
        1 if damage is damage_pages else 3,
        True,
    )
    (place.state / "index.db").unlink()
    report = place.sync()
    assert (report.documents, report.load) == (4, 1)
    assert place.holding("zebra") == {f"p0{n}.md" for n in range(4)}


@pytest.mark.parametrize("damage", [damage_header, damage_pages, cut_off])
def test_repair_rebuilds_a_damaged_index_and_never_what_was_revoked(
    place: Place, damage: object
) -> None:
    place.configure({**FILES, "trust": "review"})
    place.fill(3)
    place.sync()
    for n in range(3):
        place.decide(f"p0{n}.md", "approved")
    place.sync()
    place.decide("p01.md", "revoked")
    assert callable(damage)
    damage(place.state / "index.db")
    ran = place.cli("verify", "--repair")
    assert ran.code == 0, ran
    assert "index: store: the file is damaged: " in ran.out
    assert ran.out.splitlines()[0].endswith("(repaired)")
    assert place.holding("zebra") == {"p00.md", "p02.md"}
    assert place.cli("verify").out == "all is well\n"


def root_of(place: Place, table: str) -> tuple[int, int]:
    """Where a table's first page begins in the file, and how long a page is."""
    [(size,)] = place.sql("PRAGMA page_size")
    [(page,)] = place.sql("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,))
    return (page - 1) * size, size


@pytest.mark.parametrize("table", ["vector", "load", "identifier", "body", "passage_data"])
def test_verify_finds_damage_that_no_query_meets(place: Place, table: str) -> None:
    """Random bytes in the middle of the file: what is searched often never touches them."""
    place.fill(30, sections=3)
    place.sync()
    start, size = root_of(place, table)
    place.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    file = place.state / "index.db"
    data = bytearray(file.read_bytes())
    data[start : start + size] = bytes((7 * n + 3) % 251 for n in range(size))
    file.write_bytes(data)
    ran = place.cli("verify")
    assert (ran.code, ran.err) == (1, "")
    assert f"index: store: the file is damaged: {table}" in ran.out.splitlines()[0]
    assert place.cli("verify", "--repair").code == 0
    assert place.cli("verify").out == "all is well\n"
    assert (len(place.visible()), place.counted()) == (30, (30, 90))


def test_an_index_that_does_not_say_what_its_table_says_is_damage(place: Place) -> None:
    place.fill(5)
    place.sync()
    connection = sqlite3.connect(place.state / "index.db")
    connection.execute("PRAGMA writable_schema = 1")
    # Rows that enter while SQLite doesn't know of the index are not in it.
    row = connection.execute(
        "SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema"
        " WHERE name = 'document_digest'"
    ).fetchone()
    connection.execute("DELETE FROM sqlite_schema WHERE name = 'document_digest'")
    connection.commit()
    connection.close()
    place.sql("UPDATE document SET digest = 'x'")
    connection = sqlite3.connect(place.state / "index.db")
    connection.execute("PRAGMA writable_schema = 1")
    connection.execute("INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)", row)
    connection.commit()
    connection.close()
    assert "index: store: the file is damaged: document;" in place.cli("verify").out


def test_a_full_text_table_that_is_damaged_inside_is_rebuilt_alone(place: Place) -> None:
    """Its pages are sound, so only its own check finds that."""
    place.fill(4)
    place.sync()
    place.sql("UPDATE passage_data SET block = zeroblob(length(block)) WHERE id > 10")
    ran = place.cli("verify")
    assert ran.code == 1
    assert "index: store: full-text table: its structure is damaged" in ran.out
    before = place.loads()
    assert place.cli("verify", "--repair").code == 0
    assert place.loads() == before
    assert place.cli("verify").out == "all is well\n"
    assert place.holding("own2x") == {"p02.md"}


def test_a_sync_does_not_activate_on_damaged_pages(place: Place) -> None:
    place.fill(30, sections=3)
    place.sync()
    start, size = root_of(place, "identifier")
    place.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    file = place.state / "index.db"
    data = bytearray(file.read_bytes())
    data[start : start + size] = b"\x99" * size
    file.write_bytes(data)
    # A text without a word or name, so that nothing is written to the damaged table.
    place.write("new.md", "---\nstatus: draft\n---\n# New\n\nx\n")
    ran = place.cli("sync")
    assert (ran.code, ran.out) == (3, "")
    assert "the file is damaged; delete it and run sync again" in ran.err
    assert place.sql("SELECT active FROM pointer") == [(1,)]


def test_a_damaged_ledger_is_reported_and_stops_every_repair(place: Place) -> None:
    """What is missing could be a revocation: nothing may be rebuilt from what is left."""
    place.fill(2)
    place.sync()
    ledger = place.state / "ledger.db"
    connection = sqlite3.connect(ledger)
    [(size,)] = connection.execute("PRAGMA page_size")
    [(number,)] = connection.execute(
        "SELECT rootpage FROM sqlite_schema WHERE name = 'evidence'"
    ).fetchall()
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    data = bytearray(ledger.read_bytes())
    data[(number - 1) * size : number * size] = b"\x99" * size
    ledger.write_bytes(data)
    damage_pages(place.state / "index.db")
    before = (place.state / "index.db").read_bytes()
    ran = place.cli("verify", "--repair")
    assert ran.code == 1
    assert ran.out.splitlines()[0] == (
        "ledger: store: the file is damaged; restore it from a backup, then run verify again"
    )
    assert ledger.read_bytes() == bytes(data)
    assert (place.state / "index.db").read_bytes() == before


def test_no_traceback_reaches_a_user(place: Place) -> None:
    place.fill(2)
    damage_header(place.state.joinpath("index.db") if place.state.mkdir() is None else place.root)
    done = subprocess.run([*command(place, "sync")], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (3, 1)
    assert "Traceback" not in done.stderr
    assert sys.executable not in done.stderr
