"""`orrery-knowledge loads`: what happened, and one command to go back."""

from __future__ import annotations

from pathlib import Path

import pytest
from sync_support import Place, page

from orrery_knowledge.backends.sqlite.index import SqliteIndex
from orrery_knowledge.governance.ledger import Ledger


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Three loads: zebra, then walrus in page 0, then a new page."""
    place = Place(tmp_path)
    place.fill(3)
    place.sync()
    place.write("p00.md", page("Page 0", "walrus"))
    place.sync()
    place.write("new.md", page("New", "lynx"))
    place.sync()
    return place


def statuses(place: Place) -> dict[int, str]:
    return {load["number"]: load["status"] for load in place.cli("loads", "list", "--json").json}


def test_before_the_first_sync_there_is_none(tmp_path: Path) -> None:
    place = Place(tmp_path)
    assert place.cli("loads", "list", "--json").json == []
    ran = place.cli("loads", "rollback")
    assert (ran.code, ran.err) == (
        3,
        "error: nothing has been indexed yet; run: orrery-knowledge sync\n",
    )
    assert place.cli("loads", "list").out.startswith("nothing has been indexed yet;")
    assert place.cli("loads", "resume").out.startswith("nothing has been indexed yet;")
    assert place.cli("loads", "gc", "--json").json == {"deleted_chunks": 0}
    assert not place.state.exists()


def test_list_and_show(place: Place) -> None:
    assert statuses(place) == {3: "active", 2: "superseded", 1: "superseded"}
    text = place.cli("loads", "list").out.splitlines()
    assert [line.split()[:2] for line in text] == [
        ["3", "active"],
        ["2", "superseded"],
        ["1", "superseded"],
    ]
    assert text[0].endswith("4 documents, 4 chunks")
    assert text[2].endswith("3 documents, 3 chunks")
    shown = place.cli("loads", "show", "2", "--json").json
    assert (shown["documents"], shown["fingerprint"]) == (3, "hashing-64")
    assert shown["details"] == {"sources": ["docs"]}
    assert "status: superseded" in place.cli("loads", "show", "2").out
    assert place.cli("loads", "show", "99").code == 5


def test_rollback_holds_until_resume(place: Place) -> None:
    ran = place.cli("loads", "rollback")
    assert (ran.code, "load 2 is active again and held" in ran.out) == (0, True)
    assert place.holding("lynx") == set()
    assert statuses(place) == {3: "rolled_back", 2: "active", 1: "superseded"}
    refused = place.cli("sync")
    assert refused.code == 1
    assert "a rollback holds the index; `orrery-knowledge loads resume`" in refused.err
    assert "syncs refuse until `orrery-knowledge loads resume`" in place.cli("loads", "list").out
    assert place.cli("loads", "resume").code == 0
    assert place.cli("sync").code == 0
    assert place.holding("lynx") == {"new.md"}
    # The history above the pointer is gone, and the list says so.
    assert statuses(place) == {4: "active", 3: "abandoned", 2: "superseded", 1: "superseded"}
    assert place.cli("loads", "rollback", "3").code == 5


def test_rollback_goes_to_any_kept_load_and_further(place: Place) -> None:
    ran = place.cli("loads", "rollback", "1", "--json")
    assert (ran.code, ran.json["number"], ran.json["status"]) == (0, 1, "active")
    assert place.holding("zebra") == {"p00.md", "p01.md", "p02.md"}
    assert (place.holding("walrus"), place.holding("lynx")) == (set(), set())
    assert place.cli("loads", "rollback").code == 5
    assert [d for d in place.verify() if d.kind != "source"] == []


def test_the_active_load_is_already_active(place: Place) -> None:
    ran = place.cli("loads", "rollback", "3")
    assert (ran.code, ran.err) == (
        5,
        "error: load 3 is already active; nothing was changed\n",
    )
    place.cli("loads", "rollback", "1")
    ran = place.cli("loads", "rollback", "1")
    assert (ran.code, ran.err) == (
        5,
        "error: load 1 is already active and held; nothing was changed\n",
    )


def test_a_dry_run_and_doctor_say_that_a_rollback_holds(place: Place) -> None:
    place.cli("loads", "rollback")
    before = place.state_hash()
    ran = place.cli("sync", "--dry-run")
    assert (ran.code, place.state_hash()) == (1, before)
    assert ran.err == (
        "sync: a rollback holds the index; `orrery-knowledge loads resume` lets syncs run again\n"
    )
    assert ran.out.startswith(
        "a sync would be refused; without that it would index 1 documents as 1 chunks"
    )
    ran = place.cli("doctor")
    assert ran.code == 1
    assert (
        "FAILED  index: load 2 answers, with documents: 3; but a rollback holds the index; "
        "`orrery-knowledge loads resume` lets syncs run again\n"
    ) in ran.out
    place.cli("loads", "resume")
    assert (place.cli("doctor").code, place.cli("sync", "--dry-run").code) == (0, 0)


@pytest.mark.parametrize("number", ["3", "4", "0", "99"])
def test_rollback_to_what_is_no_earlier_load(place: Place, number: str) -> None:
    ran = place.cli("loads", "rollback", number)
    assert (ran.code, ran.out, ran.err.count("\n")) == (5, "", 1)
    assert statuses(place)[3] == "active"
    assert place.cli("sync").code == 0


def test_rollback_costs_no_embedding_when_it_is_taken_back(place: Place) -> None:
    place.cli("loads", "rollback", "1")
    place.cli("loads", "resume")
    ran = place.cli("sync", "--json")
    assert (ran.json["documents"], ran.json["embedded"]) == (2, 2 - 2)
    assert place.holding("walrus") == {"p00.md"}
    assert place.holding("lynx") == {"new.md"}


def test_resume_without_a_rollback_changes_nothing(place: Place) -> None:
    assert place.cli("loads", "resume").code == 0
    assert statuses(place) == {3: "active", 2: "superseded", 1: "superseded"}
    assert place.sync().skipped == 4


def test_gc_keeps_what_kept_loads_show(place: Place) -> None:
    assert place.cli("loads", "gc", "--json").json == {"deleted_chunks": 0}
    assert place.cli("loads", "gc", "--keep", "1", "--json").json == {"deleted_chunks": 0}
    ran = place.cli("loads", "gc", "--keep", "2", "--min-age", "0", "--json")
    assert ran.json == {"deleted_chunks": 1}
    assert statuses(place) == {3: "active", 2: "superseded", 1: "collected"}
    assert place.cli("loads", "rollback", "1").code == 5
    assert place.cli("loads", "rollback", "2").code == 0
    assert place.holding("walrus") == {"p00.md"}
    assert place.cli("verify").code == 1  # the source has moved on
    assert [d for d in place.verify() if d.kind != "source"] == []


@pytest.mark.parametrize("words", [["--keep", "0"], ["--min-age", "-1"], ["--keep", "x"]])
def test_gc_refuses_nonsense(place: Place, words: list[str]) -> None:
    assert place.cli("loads", "gc", *words).code == 2
    assert statuses(place) == {3: "active", 2: "superseded", 1: "superseded"}


def test_gc_waits_for_no_sync(place: Place) -> None:
    async def work(index: SqliteIndex, _: Ledger) -> int:
        async with index.lock():
            return place.process("loads", "gc").code

    assert place.run(work) == 4
