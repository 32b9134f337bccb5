"""Commit and date of documents whose text stays as it is while their history moves on."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from git_support import Repository
from sync_support import Place, page

from orrery_knowledge.models import Passage
from orrery_knowledge.sources.git import GitSource

# Repository commits at 22:13:20 and then every minute.
FIRST = datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)
SECOND = datetime(2023, 11, 14, 22, 14, 20, tzinfo=UTC)
FOURTH = datetime(2023, 11, 14, 22, 16, 20, tzinfo=UTC)

DISK = page("Disk", "walrus")
POOL = page("Pool", "zebra")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    place.configure({"id": "book", "type": "git", "url": "book", "trust": "reviewed"})
    return place


@pytest.fixture
def book(place: Place) -> Repository:
    """`disk.md` in the first commit, `pool.md` in the second."""
    book = Repository(place.root / "book")
    book.put("disk.md", DISK)
    book.put("pool.md", POOL)
    return book


def passage(place: Place, word: str) -> Passage:
    [found] = [found for found in place.search(word).passages if word in found.text]
    return found


def test_a_clone_that_gets_its_history_gets_commits_and_dates(
    place: Place, book: Repository
) -> None:
    origin = place.root / "origin"
    book.folder.rename(origin)
    Repository(place.root, start=False).git("clone", "-q", "--depth", "1", origin.as_uri(), "book")
    assert place.sync().documents == 2
    before = passage(place, "walrus")
    assert (before.modified_at, before.age_days, before.stale) == (None, None, False)

    clone = Repository(place.root / "book", start=False)
    clone.git("fetch", "-q", "--unshallow")
    assert [drift.where for drift in place.verify()] == ["book: disk.md", "book: pool.md"]
    report = place.sync()
    assert (report.refreshed, report.skipped, report.documents) == (2, 2, 0)
    assert (report.embedded, report.activated, report.load) == (0, False, 1)

    after = passage(place, "walrus")
    assert (after.modified_at, after.revision) == (FIRST, clone.git("rev-parse", "HEAD~1"))
    assert after.source == f"git+{origin.as_uri()}@{after.revision}#disk.md"
    assert (after.stale, after.citation, after.text) == (True, before.citation, before.text)
    assert passage(place, "zebra").modified_at == SECOND
    assert place.verify() == []
    assert place.sync().refreshed == 0


def test_a_history_that_was_written_anew_leaves_no_commit_that_is_gone(
    place: Place, book: Repository
) -> None:
    place.sync()
    gone = passage(place, "walrus").revision
    book.git("checkout", "-q", "--orphan", "fresh")
    sha = book.commit("all of it")
    book.git("branch", "-q", "-M", "fresh", "main")
    book.git("reflog", "expire", "--expire=now", "--all")
    book.git("gc", "-q", "--prune=now")
    assert gone not in book.git("rev-list", "--all")

    assert place.sync().refreshed == 2
    for word in ("walrus", "zebra"):
        assert passage(place, word).revision == sha
        assert f"@{sha}#" in passage(place, word).source


def test_an_amended_commit(place: Place, book: Repository) -> None:
    place.sync()
    before = book.git("rev-parse", "HEAD")
    book.git("commit", "-q", "--amend", "-m", "better words")
    sha = book.git("rev-parse", "HEAD")
    assert sha != before
    assert place.sync().refreshed == 1  # the other document lies in a commit that stayed
    assert passage(place, "zebra").revision == sha
    assert passage(place, "walrus").revision == book.git("rev-parse", "HEAD~1")


def test_an_edit_that_was_taken_back_between_two_syncs(place: Place, book: Repository) -> None:
    place.sync()
    book.put("pool.md", page("Pool", "yak"))
    sha = book.put("pool.md", POOL)
    report = place.sync()
    assert (report.refreshed, report.skipped, report.activated) == (1, 2, False)
    shown = passage(place, "zebra")
    assert (shown.revision, shown.modified_at) == (sha, FOURTH)
    assert passage(place, "walrus").modified_at == FIRST


def test_it_is_said_and_a_dry_run_changes_nothing(place: Place, book: Repository) -> None:
    place.cli("sync")
    book.put("pool.md", page("Pool", "yak"))
    book.put("pool.md", POOL)
    before = place.state_hash()
    planned = place.cli("sync", "--dry-run")
    assert planned.out.splitlines()[1] == ("1 unchanged document would get another commit or date")
    assert place.state_hash() == before
    ran = place.cli("sync")
    assert (ran.code, ran.out.splitlines()[0]) == (
        0,
        "1 unchanged document got another commit or date",
    )
    assert place.cli("sync").out.splitlines()[0] == "nothing has changed"


def test_what_changed_is_not_counted_and_a_rollback_shows_its_own(
    place: Place, book: Repository
) -> None:
    place.sync()
    first = passage(place, "zebra").revision
    book.put("pool.md", page("Pool", "zebra", "yak"))
    report = place.sync()
    assert (report.documents, report.refreshed) == (1, 0)
    assert place.cli("loads", "rollback").code == 0
    assert passage(place, "zebra").revision == first


def test_another_address_is_shown_after_a_sync(place: Place, book: Repository) -> None:
    place.sync()
    book.git("remote", "add", "origin", "https://kim:secret@git.example.com/book.git")
    assert place.sync().refreshed == 2
    source = passage(place, "zebra").source
    assert source.startswith("git+https://git.example.com/book.git@")


def test_a_mirror_follows_a_remote_that_was_written_anew(place: Place, book: Repository) -> None:
    origin = place.root / "origin"
    book.folder.rename(origin)
    place.configure(
        {"id": "book", "type": "git", "url": origin.as_uri(), "ref": "main", "trust": "reviewed"}
    )
    place.sync()
    remote = Repository(origin, start=False)
    remote.git("commit", "-q", "--amend", "-m", "better words")
    assert place.sync().refreshed == 1
    assert passage(place, "zebra").revision == remote.git("rev-parse", "HEAD")


def test_nothing_is_read_for_it(
    place: Place, book: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.sync()
    book.git("commit", "-q", "--amend", "-m", "better words")

    async def refuse(*_: object) -> None:
        raise AssertionError("an unchanged document was read")

    monkeypatch.setattr(GitSource, "read", refuse)
    assert place.sync().refreshed == 1


def test_files_have_no_history_to_follow(place: Place) -> None:
    place.configure()
    place.fill(2)
    place.sync()
    shutil.copystat(place.config, place.docs / "p00.md")
    assert (place.sync().refreshed, place.verify()) == (0, [])
