"""What a sync refuses to activate, and what it takes to have it done all the same."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from sync_support import SOURCE, Place, page

from orrery_knowledge.backends.sqlite.index import SqliteConfig, SqliteIndex
from orrery_knowledge.errors import BackendUnavailable, LoadsHeld, Superseded, SyncRunning
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.models import LoadRecord, PlannedChange, SyncReport

FILES = {"id": SOURCE, "type": "filesystem", "path": SOURCE, "trust": "reviewed"}
WIKI = {"id": "wiki", "type": "filesystem", "path": "wiki", "trust": "reviewed"}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.mark.parametrize(
    ("documents", "deleted", "refused"),
    [
        (10, 3, False),  # 30 % is not more than 30 %
        (10, 4, True),
        (3, 1, False),  # a single document is never a mass
        (2, 1, False),
        (3, 2, True),
    ],
)
def test_a_mass_deletion_is_refused(
    place: Place, documents: int, deleted: int, refused: bool
) -> None:
    place.fill(documents)
    place.sync()
    place.delete(*(f"p0{n}.md" for n in range(deleted)))
    place.write("new.md", page("New", "lynx"))
    ran = place.cli("sync", "--json")
    assert (ran.code, ran.json["refused"], ran.json["activated"]) == (refused, refused, not refused)
    left = {f"p0{n}.md" for n in range(0 if refused else deleted, documents)}
    assert place.holding("zebra") == left
    # Nothing of a refused load is activated, what is new included.
    assert place.holding("lynx") == (set() if refused else {"new.md"})
    if refused:
        assert f"{deleted} of {documents} documents are gone" in ran.json["errors"][-1]["reason"]
        assert "sync --allow-mass-delete" in ran.json["errors"][-1]["reason"]
        assert place.cli("sync", "--allow-mass-delete").code == 0
        assert place.holding("zebra") == {f"p0{n}.md" for n in range(deleted, documents)}
        assert place.holding("lynx") == {"new.md"}


def test_the_share_can_be_set(place: Place) -> None:
    place.configure(policy={"max_delete_share": 0.5})
    place.fill(10)
    place.sync()
    place.delete(*(f"p0{n}.md" for n in range(5)))
    assert place.cli("sync").code == 0
    place.configure(policy={"max_delete_share": 0})
    place.delete("p05.md", "p06.md")
    assert place.cli("sync").code == 1


def test_a_dry_run_says_that_it_would_be_refused(place: Place) -> None:
    place.fill(6)
    place.sync()
    place.delete(*(f"p0{n}.md" for n in range(4)))
    ran = place.cli("sync", "--dry-run")
    assert ran.code == 1
    assert "4 of 6 documents are gone" in ran.err


def test_documents_of_a_source_that_left_the_configuration_count_too(place: Place) -> None:
    (place.root / "wiki").mkdir()
    for n in range(4):
        (place.root / "wiki" / f"w{n}.md").write_text(page("Wiki", "heron", f"w{n}x"))
    place.configure(FILES, WIKI)
    place.fill(4)
    place.sync()
    place.configure(FILES)
    assert place.cli("sync").code == 1
    assert len(place.holding("heron")) == 4
    assert place.cli("sync", "--allow-mass-delete").code == 0
    assert place.holding("heron") == set()


def test_documents_that_lost_their_text_count_too(place: Place) -> None:
    """An editor or a full disk may leave empty files behind: that is a deletion as well."""
    place.fill(6)
    place.sync()
    for n in range(4):
        place.write(f"p0{n}.md", "")
    assert place.cli("sync").code == 1
    assert len(place.holding("zebra")) == 6


def test_an_empty_folder_is_refused(place: Place) -> None:
    place.fill(1)
    place.sync()
    place.delete("p00.md")
    ran = place.cli("sync")
    assert ran.code == 1
    assert "the sources hold no document" in ran.err
    assert place.holding("zebra") == {"p00.md"}
    ran = place.cli("sync", "--allow-empty", "--json")
    assert (ran.code, ran.json["removed"], ran.json["activated"]) == (0, 1, True)
    assert place.visible() == {}
    assert place.search("zebra").status == "no_match"


@pytest.mark.parametrize("given", [[], ["--allow-mass-delete"], ["--allow-empty"]])
def test_a_source_that_was_emptied_on_purpose_asks_for_everything_at_once(
    place: Place, given: list[str]
) -> None:
    place.fill(3)
    place.sync()
    place.delete("p00.md", "p01.md", "p02.md")
    for dry in ([], ["--dry-run"]):
        ran = place.cli("sync", *given, *dry)
        assert ran.code == 1
        said = ran.err.splitlines()[0]
        assert said.endswith("that is meant, run sync --allow-mass-delete --allow-empty"), said
    ran = place.cli("sync", "--allow-mass-delete", "--allow-empty", "--json")
    assert (ran.code, ran.json["removed"], ran.json["stopped"]) == (0, 3, 3)
    assert place.visible() == {}


def test_one_emptied_source_of_two_leaves_something(place: Place) -> None:
    place.configure(FILES, WIKI)
    place.fill(2)
    (place.root / "wiki").mkdir()
    (place.root / "wiki" / "w.md").write_text(page("Wiki", "lynx"))
    place.sync()
    place.delete("p00.md", "p01.md")
    ran = place.cli("sync")
    assert (ran.code, "run sync --allow-mass-delete\n" in ran.err) == (1, True)
    assert place.cli("sync", "--allow-mass-delete").code == 0
    assert set(place.visible()) == {"w.md"}


def test_a_first_sync_of_nothing_is_refused(place: Place) -> None:
    ran = place.cli("sync")
    assert ran.code == 1
    assert "Check their paths" in ran.err
    assert place.cli("sync", "--allow-empty").code == 0


def test_a_load_in_which_nothing_would_be_left_is_refused(place: Place) -> None:
    place.configure(FILES, WIKI)
    place.fill(1)
    (place.root / "wiki").mkdir()
    (place.root / "wiki" / "bad.md").write_text("---\nstatus: [\n---\n# Bad\n")
    place.sync()
    place.delete("p00.md")
    ran = place.cli("sync")
    assert ran.code == 1
    assert "nothing would be left to search" in ran.err
    assert place.holding("zebra") == {"p00.md"}
    assert place.cli("sync", "--allow-empty").code == 0
    assert place.visible() == {}


def test_a_refused_load_leaves_the_ledger_as_it_was(place: Place) -> None:
    place.configure({**FILES, "trust": "review"})
    place.fill(6)
    place.sync()
    for n in range(5):
        place.decide(f"p0{n}.md", "approved")
    place.sync()
    place.delete(*(f"p0{n}.md" for n in range(6)))
    place.write("new.md", page("New", "lynx"))
    assert place.cli("sync").code == 1
    assert place.reviews()["p05.md"] == ["pending"]
    assert place.cli("sync", "--allow-mass-delete").code == 1  # nothing would be left
    assert place.reviews()["p05.md"] == ["pending"]


NOTHING = "indexed 0 documents as 0 chunks; skipped {skipped} unchanged; pruned 0 stale chunks; "


def test_a_refused_sync_counts_nothing_that_did_not_happen(place: Place) -> None:
    """The last line is what people and jobs read: it must not claim what was undone."""
    place.fill(6, sections=2)
    place.sync()
    place.delete("p00.md", "p01.md", "p02.md")
    place.write("p03.md", page("Page 3", "walrus"))
    place.write("new.md", page("New", "lynx", sections=3))
    place.write("bad.md", "---\nstatus: [\n---\n")
    ran = place.cli("sync")
    assert ran.code == 1
    assert ran.err.startswith("sync: 3 of 6 documents are gone")
    assert ran.out.splitlines() == [
        "nothing was activated; without that it would index 2 documents as 4 chunks, prune 2 stale "
        "chunks, remove 3 deleted documents",
        NOTHING.format(skipped=2) + "removed 0 deleted documents; quarantined 1; failed 0",
    ]
    report = place.cli("sync", "--json").json
    assert report["planned"] == {"documents": 2, "chunks": 4, "pruned": 2, "removed": 3}
    assert {report[name] for name in ("documents", "chunks", "pruned", "removed")} == {0}
    # What was filed did happen.
    assert place.quarantined() == ["bad.md"]
    dry = place.cli("sync", "--dry-run")
    assert dry.out.splitlines()[0] == (
        "a sync would be refused; without that it would index 2 documents as 4 chunks, prune 2 "
        "stale chunks, remove 3 deleted documents"
    )
    assert dry.out.splitlines()[-1].startswith("would index 0 documents as 0 chunks; skipped 2 ")
    assert place.cli("sync", "--allow-mass-delete", "--json").json["planned"] is None


def test_an_empty_build_and_a_failed_check_count_nothing_either(place: Place) -> None:
    place.configure(FILES, WIKI)
    place.fill(1)
    (place.root / "wiki").mkdir()
    (place.root / "wiki" / "bad.md").write_text("---\nstatus: [\n---\n# Bad\n")
    place.sync()
    place.delete("p00.md")
    ran = place.cli("sync")
    assert "nothing would be left" in ran.err.splitlines()[0]
    last = NOTHING.format(skipped=0) + "removed 0 deleted documents; quarantined 1; failed 0"
    assert ran.out.splitlines()[-1] == last
    assert "would index 0 documents as 0 chunks, prune 0 stale chunks, remove 1" in ran.out

    class Loses(SqliteIndex):
        async def check(self, load: int) -> LoadRecord:
            place.sql("UPDATE body SET text = '' WHERE id = (SELECT max(id) FROM body)")
            return await super().check(load)

    async def work(_: SqliteIndex, ledger: Ledger) -> SyncReport:
        index = Loses(SqliteConfig(), state=place.state)
        try:
            return await place.sync_with(index, ledger, place.hashing)
        finally:
            await index.close()

    place.fill(3, sections=2)
    report = place.run(work)
    assert (report.activated, report.refused, report.documents, report.chunks) == (
        False, True, 0, 0,
    )  # fmt: skip
    assert report.planned == PlannedChange(documents=3, chunks=6, pruned=1, removed=0)
    assert "is not activated: 1 documents with missing" in report.errors[0].reason
    assert place.holding("zebra") == {"p00.md"}


def test_the_reason_of_a_refusal_is_never_among_what_is_not_shown(place: Place) -> None:
    place.fill(6)
    place.sync()
    place.delete("p00.md", "p01.md", "p02.md")
    for n in range(25):
        place.write(f"bad{n}.md", "---\nstatus: [\n---\n")
    assert place.cli("sync").err.startswith("sync: 3 of 6 documents are gone")


def test_an_interrupt_while_the_pointer_moves_does_not_hide_that_it_moved(place: Place) -> None:
    """Nobody stops the thread that moves it: "what was active stays active" would be wrong."""
    place.fill(2)

    class Cancelled(SqliteIndex):
        task: asyncio.Task[SyncReport] | None = None

        async def activate(self, load: int) -> LoadRecord:
            done = await super().activate(load)
            assert self.task is not None
            self.task.cancel()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            return done

    async def work(_: SqliteIndex, ledger: Ledger) -> SyncReport:
        index = Cancelled(SqliteConfig(), state=place.state)
        index.task = asyncio.ensure_future(place.sync_with(index, ledger, place.hashing))
        try:
            return await index.task
        finally:
            await index.close()

    report = place.run(work)
    assert (report.load, report.activated, report.documents) == (1, True, 2)
    assert place.holding("zebra") == {"p00.md", "p01.md"}


def test_a_clean_up_that_fails_does_not_hide_the_new_load(place: Place) -> None:
    place.fill(2)

    class KeepsAll(SqliteIndex):
        async def gc(self, keep: int = 5, min_age_seconds: float = 600) -> int:
            raise BackendUnavailable("the disk is full")

    async def work(_: SqliteIndex, ledger: Ledger) -> SyncReport:
        index = KeepsAll(SqliteConfig(), state=place.state)
        try:
            return await place.sync_with(index, ledger, place.hashing)
        finally:
            await index.close()

    report = place.run(work)
    assert (report.load, report.activated) == (1, True)
    assert [w.reason for w in report.warnings] == [
        "rows of old loads are still there: the disk is full"
    ]


def test_a_refused_load_is_undone(place: Place) -> None:
    place.fill(4)
    place.sync()
    place.delete("p00.md", "p01.md", "p02.md")
    place.write("new.md", page("New", "lynx"))
    place.cli("sync")
    assert place.sql("SELECT count(*) FROM document WHERE added_in > 1") == [(0,)]
    assert place.sql("SELECT count(*) FROM document WHERE removed_in IS NOT NULL") == [(0,)]
    assert [(r.number, r.status) for r in place.loads()] == [(2, "abandoned"), (1, "active")]
    # Load numbers are never used again.
    place.fill(4)
    assert place.sync().load == 3


class Interrupted(SqliteIndex):
    """Lets something happen right before it activates."""

    meanwhile: Callable[[], Awaitable[None]]

    async def activate(self, load: int) -> LoadRecord:
        await self.meanwhile()
        return await super().activate(load)


async def slow_and_fast(place: Place) -> None:
    """An old sync is overtaken by a newer one that doesn't know of its lock (K046)."""
    slow = Interrupted(SqliteConfig(), state=place.state)
    fast = SqliteIndex(SqliteConfig(), state=place.state)
    ledger = Ledger(place.settings.ledger_location)
    await ledger.open()

    async def overtake() -> None:
        place.write("p00.md", page("Page 0", "yak"))
        load = await fast.begin("hashing-64", {})
        await fast.remove(load.number, SOURCE, ["p01.md"])
        await fast.check(load.number)
        await fast.activate(load.number)

    slow.meanwhile = overtake
    try:
        with pytest.raises(Superseded):
            await place.sync_with(slow, ledger, place.embedder)
        assert {row[2] for row in await fast.visible()} == {"p00.md", "p02.md"}
        assert (await fast.loads())[0].status == "active"
    finally:
        for opened in (slow, fast, ledger):
            await opened.close()


def test_an_old_sync_does_not_go_over_a_newer_one(place: Place) -> None:
    place.fill(3)
    place.sync()
    place.write("p00.md", page("Page 0", "walrus"))
    asyncio.run(slow_and_fast(place))
    assert place.holding("walrus") == set()
    assert place.sync().activated
    assert place.holding("yak") == {"p00.md"}


def test_a_sync_beside_another_is_refused_at_once(place: Place) -> None:
    place.fill(2)
    place.sync()

    async def work(index: SqliteIndex, ledger: Ledger) -> None:
        other = SqliteIndex(SqliteConfig(), state=place.state)
        async with other.lock():
            with pytest.raises(SyncRunning):
                await place.sync_with(index, ledger, place.embedder)
            # A dry run writes nothing, so it waits for nobody.
            assert (await place.sync_with(index, ledger, place.embedder, dry_run=True)).skipped == 2
        await other.close()
        assert (await place.sync_with(index, ledger, place.embedder)).skipped == 2

    place.run(work)


def test_a_sync_after_a_rollback_is_refused(place: Place) -> None:
    place.fill(2)
    place.sync()
    place.write("p00.md", page("Page 0", "walrus"))
    place.sync()
    place.run(lambda index, _: index.rollback())
    with pytest.raises(LoadsHeld, match="loads resume"):
        place.sync()
    assert place.holding("walrus") == set()
