"""The command line with index and ledger in one PostgreSQL database, from sync to decisions."""

from __future__ import annotations

from pathlib import Path

import pytest
from engine_support import OnServer
from git_support import Repository
from sync_support import SOURCE, Place, page

pytest_plugins = ["engine_fixtures"]
pytestmark = pytest.mark.services

REVIEW = {"id": SOURCE, "type": "filesystem", "path": SOURCE, "trust": "review"}


def found(place: Place, word: str) -> set[str]:
    """Files that a search by a process of its own shows."""
    ran = place.process("search", word, "--json", "--top-k", "20")
    assert ran.code == 0, ran.err
    return {passage["source"].rpartition("/")[2] for passage in ran.json["passages"]}


@pytest.fixture
def place(engine: OnServer, tmp_path: Path):
    made = engine.place(tmp_path)
    made.configure(REVIEW)
    yield made
    engine.drop(made)


@pytest.mark.parametrize("engine", ["postgresql"], indirect=True)
def test_from_the_first_sync_to_decisions_and_back(place: Place) -> None:
    assert place.cli("search", "zebra").code == 3
    place.fill(3)
    ran = place.cli("sync", "--json")
    assert (ran.code, ran.json["documents"], ran.json["pending"]) == (0, 0, 3)
    waiting = place.cli("search", "zebra", "--json")
    reason = "no document may be shown yet: 3 wait for a review; "
    assert waiting.code == 3
    assert waiting.json["reason"].startswith(reason)

    for name in ("p00.md", "p01.md"):
        place.decide(name, "approved")
    place.decide("p02.md", "rejected")
    assert place.cli("search", "zebra").code == 3  # approved texts get in with the next sync
    assert place.cli("sync").code == 0
    assert found(place, "zebra") == {"p00.md", "p01.md"}

    place.decide("p00.md", "revoked")
    assert found(place, "zebra") == {"p01.md"}
    place.write("p01.md", page("Page 1", "walrus"))
    assert place.cli("sync", "--json").json["pending"] == 1
    assert (found(place, "zebra"), found(place, "walrus")) == ({"p01.md"}, set())
    [seen] = place.cli("search", "zebra", "--json").json["passages"]
    assert "zebra" in seen["text"]

    place.decide("p01.md", "approved")
    assert place.cli("sync", "--json").json["activated"] is True
    [seen] = place.cli("search", "walrus", "--json").json["passages"]
    assert "walrus" in seen["text"]
    assert place.cli("loads", "rollback", "--json").code == 0
    assert place.cli("sync").code == 1
    assert found(place, "zebra") == {"p01.md"}
    assert place.cli("loads", "resume").code == 0
    assert place.cli("sync").code == 0
    # Not even a rollback brings back what was revoked.
    assert set(place.visible()) == {"p01.md"}
    assert (place.cli("verify").code, place.verify()) == (0, [])


@pytest.mark.parametrize("engine", ["postgresql"], indirect=True)
def test_nothing_is_kept_in_files(place: Place) -> None:
    place.fill(2)
    assert place.cli("sync").code == 0
    assert [file for file in place.state.rglob("*") if file.is_file()] == []
    tables = place.sql(
        "SELECT DISTINCT table_schema FROM information_schema.tables "
        "WHERE table_schema NOT IN ('information_schema', 'pg_catalog')"
    )
    assert {row[0] for row in tables} == {"orrery", "public"}


@pytest.mark.parametrize("engine", ["postgresql"], indirect=True)
def test_commits_and_dates_follow_the_history(place: Place) -> None:
    book = Repository(place.root / "book")
    book.put("disk.md", page("Disk", "walrus"))
    book.put("pool.md", page("Pool", "zebra"))
    place.configure({"id": "book", "type": "git", "url": "book", "trust": "reviewed"})
    assert place.cli("sync", "--json").json["refreshed"] == 0
    assert place.cli("sync", "--json").json["refreshed"] == 0
    book.git("commit", "-q", "--amend", "-m", "better words")
    report = place.cli("sync", "--json").json
    assert (report["refreshed"], report["skipped"], report["activated"]) == (1, 2, False)
    [shown] = place.cli("search", "zebra", "--top-k", "1", "--json").json["passages"]
    assert shown["revision"] == book.git("rev-parse", "HEAD")
    assert place.cli("verify").out == "all is well\n"
