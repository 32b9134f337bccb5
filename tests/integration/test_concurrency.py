"""Several processes on one index: one syncs, the others search, roll back, decide and clean up."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import time
from collections.abc import Awaitable, Callable, Sequence
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier, Event
from pathlib import Path
from typing import Any

import pytest
from kill_support import (
    PAGES,
    PROCESSES,
    Readers,
    importable,
    look,
    names,
    start,
    write_version,
)
from sync_support import Place, command

from orrery_knowledge.errors import LoadsHeld, Superseded, SyncRunning
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.models import Query
from orrery_knowledge.protocols import KnowledgeIndex, Vectors
from orrery_knowledge.retrieval import Retrieval
from orrery_knowledge.testing.embedders import HashingEmbedder

pytest_plugins = ["engine_fixtures"]


def around(target: object, method: str, happen: Callable[[], Awaitable[None]], when: str) -> None:
    """Let something happen once, right before or after the first call of a method."""
    honest = getattr(target, method)

    async def call(*args: Any, **kwargs: Any) -> Any:
        setattr(target, method, honest)
        if when == "before":
            await happen()
        result = await honest(*args, **kwargs)
        if when == "after":
            await happen()
        return result

    setattr(target, method, call)


# Searching while others write


def test_readers_see_whole_versions_while_one_syncs(place: Place) -> None:
    with Readers(place, 2) as readers:
        for version in range(2, 8):
            write_version(place, version)
            assert place.sync().activated
    assert readers.seen() <= set(range(1, 8))
    assert place.verify() == []


def test_many_searches_in_one_process_see_whole_versions(place: Place) -> None:
    async def work(index: KnowledgeIndex, ledger: Ledger) -> set[int]:
        readers = place.index()
        retrieval = Retrieval(readers, Ledger(place.settings.ledger_location), HashingEmbedder())
        seen: set[int] = set()
        for version in (2, 3, 4):
            write_version(place, version)
            found = await asyncio.gather(
                place.sync_with(index, ledger, HashingEmbedder()),
                *(look(retrieval) for _ in range(8)),
            )
            seen.update(number for number in found if isinstance(number, int))
        seen.add(await look(retrieval))
        await retrieval.close()
        return seen

    seen = place.run(work)
    assert seen <= {1, 2, 3, 4}
    assert 4 in seen


def test_gc_while_others_search(place: Place) -> None:
    with Readers(place, 2) as readers:
        for version in (2, 3, 4, 5):
            write_version(place, version)
            place.sync()
        deleted = place.cli("loads", "gc", "--keep", "1", "--min-age", "0", "--json").json
        assert deleted == {"deleted_chunks": 4 * (PAGES + 1)}
        for _ in range(3):
            place.cli("loads", "gc", "--keep", "1", "--min-age", "0")
    assert readers.seen() <= {1, 2, 3, 4, 5}
    assert place.verify() == []
    assert place.counted() == (PAGES + 1, PAGES + 1)


@pytest.mark.parametrize("keep", [5, 1])
def test_a_search_whose_load_is_replaced_and_collected_answers_from_the_new_one(
    place: Place, keep: int
) -> None:
    """Rule 5: bodies of the pinned load while they are there, else once more from the start."""

    async def work(index: KnowledgeIndex, ledger: Ledger) -> int:
        async def sync_and_collect() -> None:
            write_version(place, 2)
            assert (await place.sync_with(index, ledger, HashingEmbedder())).activated
            await index.gc(keep=keep, min_age_seconds=0)

        moves = place.index()
        around(moves, "fetch", sync_and_collect, "before")
        seen = await look(Retrieval(moves, ledger, HashingEmbedder()))
        await moves.close()
        return seen

    assert place.run(work) == (1 if keep == 5 else 2)


# Two writers


def contend(
    root: str, barrier: Barrier, done: Event, results: Queue[tuple[str, int | None]]
) -> None:
    """A child that syncs with three others at one instant; the winner waits for the losers."""

    class Waits(HashingEmbedder):
        async def embed_documents(self, texts: Sequence[str]) -> Vectors:
            assert await asyncio.to_thread(done.wait, 120)
            return await super().embed_documents(texts)

    place = Place(Path(root))
    barrier.wait(120)
    try:
        report = place.run(lambda index, ledger: place.sync_with(index, ledger, Waits()))
    except SyncRunning:
        results.put(("running", None))
    else:
        results.put(("synced", report.load))


def test_of_four_syncs_at_one_instant_exactly_one_runs(place: Place) -> None:
    """K047."""
    for version in (2, 3, 4):
        write_version(place, version)
        with importable():
            barrier, done, results = PROCESSES.Barrier(4), PROCESSES.Event(), PROCESSES.Queue()
            children = [start(contend, str(place.root), barrier, done, results) for _ in range(4)]
            assert [results.get(timeout=120)[0] for _ in range(3)] == ["running"] * 3
            done.set()
            assert results.get(timeout=120) == ("synced", version)
        for child in children:
            child.join(120)
    assert [load.number for load in place.loads()] == [4, 3, 2, 1]
    assert set(place.visible()) == names(4)


def test_the_command_line_says_that_a_sync_is_running(place: Place) -> None:
    gate = place.root / "gate"
    os.mkfifo(gate)
    place.configure(embedder={"type": "hashing", "gate": str(gate)})
    write_version(place, 2)
    first = subprocess.Popen(
        command(place, "sync"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    # Opening waits until the sync reads: it holds the lock from here on.
    with gate.open("w"):
        for words in (["sync"], ["sync", "--full"], ["loads", "gc"]):
            ran = place.cli(*words)
            assert (ran.code, ran.err) == (4, "error: another sync is running on this index\n")
        assert place.cli("search", "zebra").code == 0
    out, err = first.communicate(timeout=120)
    assert (first.returncode, "load 2 is active" in out, "Traceback" in err) == (0, True, False)


def test_ctrl_c_undoes_the_build(place: Place) -> None:
    gate = place.root / "gate"
    os.mkfifo(gate)
    place.configure(embedder={"type": "hashing", "gate": str(gate)})
    write_version(place, 2)
    child = subprocess.Popen(command(place, "sync"), stderr=subprocess.PIPE, text=True)
    with gate.open("w"):
        child.send_signal(signal.SIGINT)
        for _ in range(1000):
            if place.sql("SELECT count(*) FROM load WHERE status = 'building'") == [(0,)]:
                break
            time.sleep(0.05)
    _, err = child.communicate(timeout=120)
    assert (child.returncode, err.splitlines()[-1]) == (
        130,
        "interrupted; what was active stays active",
    )
    assert place.sql("SELECT count(*) FROM document WHERE added_in > 1") == [(0,)]
    place.configure()
    assert place.sync().activated


def interrupted_sync(
    place: Place, meanwhile: Callable[[KnowledgeIndex, Ledger], Awaitable[None]]
) -> None:
    """Sync with something else happening in the middle, on handles of its own."""

    async def work(index: KnowledgeIndex, ledger: Ledger) -> None:
        async def happen() -> None:
            await meanwhile(index, ledger)

        own = place.index()
        own_ledger = Ledger(place.settings.ledger_location)
        around(own, "write", happen, "after")
        await own_ledger.open()
        try:
            await place.sync_with(own, own_ledger, HashingEmbedder())
        finally:
            await own.close()
            await own_ledger.close()

    place.run(work)


def test_a_rollback_during_a_build_wins(place: Place) -> None:
    write_version(place, 2)
    place.sync()
    write_version(place, 3)

    async def roll_back(index: KnowledgeIndex, _: Ledger) -> None:
        assert (await index.rollback()).number == 1

    with pytest.raises(Superseded):
        interrupted_sync(place, roll_back)
    assert set(place.visible()) == names(1)
    assert [d for d in place.verify() if d.kind != "source"] == []
    with pytest.raises(LoadsHeld):
        place.sync()
    place.run(lambda index, _: index.resume())
    assert place.sync().activated
    assert place.verify() == []


def test_cleaning_up_beside_a_first_build_deletes_nothing(empty_place: Place) -> None:
    write_version(empty_place, 1)

    async def clean_up(index: KnowledgeIndex, _: Ledger) -> None:
        assert await index.gc(keep=1, min_age_seconds=0) == 0

    interrupted_sync(empty_place, clean_up)
    assert set(empty_place.visible()) == names(1)
    assert empty_place.verify() == []


# Decisions meanwhile


def test_what_is_revoked_during_a_build_is_out_when_it_is_activated(place: Place) -> None:
    write_version(place, 2)

    async def revoke(index: KnowledgeIndex, ledger: Ledger) -> None:
        # The new text of page 3, which this build is just writing.
        [(digest,)] = place.sql(
            "SELECT digest FROM document WHERE path = 'p03.md' AND added_in = 2"
        )
        key = ("runbooks", "docs", "p03.md")
        await ledger.decide(key, digest, "revoked", reviewer="ada", indexed=True)

    interrupted_sync(place, revoke)
    # Before anybody searches, which would apply it as well.
    assert set(place.visible()) == names(2) - {"p03.md"}
    assert place.holding("version2x") == names(2) - {"p03.md"}
    assert place.verify() == []


def test_decisions_that_arrive_out_of_order_can_not_undo_each_other(place: Place) -> None:
    """Two processes apply decisions 1 (revoked), 2 (approved), 3 (revoked); one is slow."""
    digest = place.visible()["p03.md"]
    key = ("runbooks", "docs", "p03.md")

    async def work(index: KnowledgeIndex, _: Ledger) -> None:
        slow = place.index()
        await slow.set_eligible(key, digest, False, 1)
        for number, eligible in ((1, False), (2, True), (3, False)):
            await index.set_eligible(key, digest, eligible, number)
        assert await slow.set_eligible(key, digest, True, 2) == 0
        assert "p03.md" not in {row[2] for row in await index.visible()}
        await index.set_eligible(key, digest, True, 4)
        assert await slow.set_eligible(key, digest, False, 3) == 0
        assert "p03.md" in {row[2] for row in await index.visible()}
        assert await slow.applied_decision() == 4
        await slow.close()

    place.run(work)


def test_revoking_while_others_search(place: Place) -> None:
    """After `decide` has returned, no search that begins later shows the text."""

    async def work(index: KnowledgeIndex, ledger: Ledger) -> None:
        handles = [place.index() for _ in range(3)]
        ledgers = [Ledger(place.settings.ledger_location) for _ in handles]
        retrievals = [
            Retrieval(handle, opened, HashingEmbedder())
            for handle, opened in zip(handles, ledgers, strict=True)
        ]
        left = {row[2]: row[3] for row in await index.visible()}
        for path in sorted(left)[:6]:
            key = ("runbooks", "docs", path)
            await ledger.decide(key, left.pop(path), "revoked", reviewer="ada", indexed=True)
            found = await asyncio.gather(*(shown(retrieval) for retrieval in retrievals))
            assert found == [set(left)] * 3, path
        for retrieval in retrievals:
            await retrieval.close()

    async def shown(retrieval: Retrieval) -> set[str]:
        result = await retrieval.search(Query(text="zebra", top_k=50))
        return {passage.label.partition(" §")[0] for passage in result.passages}

    place.run(work)
