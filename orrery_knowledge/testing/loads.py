"""`LoadContract`: the eight rules of loads, for every backend that sync fills."""

from __future__ import annotations

import asyncio

import pytest

from orrery_knowledge.errors import (
    CheckFailed,
    LoadsHeld,
    Superseded,
    SyncRunning,
    UnknownLoad,
)
from orrery_knowledge.testing.documents import (
    EMBEDDER,
    OpenIndex,
    ask,
    build,
    everywhere,
    make_document,
    paths,
    publish,
    shown,
    store_vectors,
)
from orrery_knowledge.testing.embedders import HashingEmbedder

POOL_V1 = "# Pool\n\nRestart the zebra proxy when connections run out.\n"
POOL_V2 = "# Pool\n\nRestart the yak proxy when connections run out.\n"
DISK = "# Disk\n\nDelete old walrus archives when the volume is full.\n"


class LoadContract:
    """Subclass with a fixture ``open_index`` that opens handles on one empty store."""

    # Rule 1: numbers are never reused; what lies above the pointer is undone before a build.

    async def test_a_load_number_is_never_used_twice(self, open_index: OpenIndex) -> None:
        index = open_index()
        first = await build(index, [make_document("pool.md", POOL_V1)])
        await index.abandon(first)
        second = await build(index, [make_document("pool.md", POOL_V1)])
        third = await build(index, [make_document("pool.md", POOL_V1)])
        assert first < second < third

    async def test_what_a_killed_build_left_is_undone_by_the_next(
        self, open_index: OpenIndex
    ) -> None:
        index = open_index()
        before = make_document("pool.md", POOL_V1)
        await publish(index, [before, make_document("disk.md", DISK)])
        dead = await build(index, [make_document("pool.md", POOL_V2)], removed=["disk.md"])
        survivor = open_index()
        await publish(survivor, [make_document("new.md", "# New\n\nA heron.\n")])
        assert {path for path, _ in await shown(survivor)} == {"pool.md", "disk.md", "new.md"}
        assert ("pool.md", before.digest) in await shown(survivor)
        assert (await ask(survivor, "yak")).rankings["lexical"] == ()
        statuses = {load.number: load.status for load in await survivor.loads()}
        assert statuses[dead] == "abandoned"

    async def test_a_document_written_twice_in_a_load_counts_once(
        self, open_index: OpenIndex
    ) -> None:
        index = open_index()
        load = await build(index, [make_document("pool.md", POOL_V1)])
        final = make_document("pool.md", POOL_V2)
        await store_vectors(index, [final], EMBEDDER)
        await index.write(load, [final])
        await index.check(load)
        record = await index.activate(load)
        assert (record.documents, await shown(index)) == (1, {("pool.md", final.digest)})

    # Rule 2: a build shows nothing; activation is one compare-and-swap.

    async def test_a_build_is_invisible_until_it_is_activated(self, open_index: OpenIndex) -> None:
        index = open_index()
        await publish(index, [make_document("pool.md", POOL_V1)])
        load = await build(
            index, [make_document("pool.md", POOL_V2), make_document("disk.md", DISK)]
        )
        assert await paths(index, await ask(index, "zebra"), "lexical") == ["pool.md"]
        assert "disk.md" not in await everywhere(index, "walrus archives volume")
        await index.check(load)
        await index.activate(load)
        assert (await ask(index, "zebra")).rankings["lexical"] == ()
        assert await paths(index, await ask(index, "yak"), "lexical") == ["pool.md"]
        assert await paths(index, await ask(index, "walrus"), "lexical") == ["disk.md"]

    async def test_of_two_builds_from_one_pointer_one_is_activated(
        self, open_index: OpenIndex
    ) -> None:
        slow, fast = open_index(), open_index()
        await publish(slow, [make_document("pool.md", POOL_V1)])
        old = await build(slow, [make_document("old.md", "# Old\n\nAn otter.\n")])
        await publish(fast, [make_document("new.md", "# New\n\nA heron.\n")])
        with pytest.raises(Superseded):
            await slow.activate(old)
        with pytest.raises(Superseded):
            await slow.write(old, [make_document("pool.md", POOL_V2)])
        assert {path for path, _ in await shown(slow)} == {"pool.md", "new.md"}

    async def test_activation_refuses_when_the_pointer_was_rolled_back(
        self, open_index: OpenIndex
    ) -> None:
        index = open_index()
        await publish(index, [make_document("pool.md", POOL_V1)])
        await publish(index, [make_document("pool.md", POOL_V2)])
        load = await build(index, [make_document("disk.md", DISK)])
        await open_index().rollback()
        with pytest.raises(Superseded):
            await index.activate(load)

    async def test_one_lock_at_a_time(self, open_index: OpenIndex) -> None:
        first, second = open_index(), open_index()
        async with first.lock():
            with pytest.raises(SyncRunning):
                async with second.lock():
                    pass
        async with second.lock():
            pass

    # Rule 3: rollback moves the pointer back and holds.

    async def test_rollback_shows_the_earlier_load_and_holds(self, open_index: OpenIndex) -> None:
        index = open_index()
        old = make_document("pool.md", POOL_V1)
        first = await publish(index, [old, make_document("disk.md", DISK)])
        await publish(index, [make_document("pool.md", POOL_V2)], removed=["disk.md"])
        back = await index.rollback()
        assert (back.number, await index.active_load()) == (first.number, first.number)
        assert ("pool.md", old.digest) in await shown(index)
        assert await paths(index, await ask(index, "walrus"), "lexical") == ["disk.md"]
        assert (await ask(index, "yak")).rankings["lexical"] == ()
        assert await index.held()
        with pytest.raises(LoadsHeld):
            await index.begin(EMBEDDER.fingerprint, {})

    async def test_after_resume_a_build_starts_from_the_rolled_back_load(
        self, open_index: OpenIndex
    ) -> None:
        index = open_index()
        await publish(index, [make_document("pool.md", POOL_V1)])
        later = await publish(index, [make_document("disk.md", DISK)])
        await index.rollback()
        await index.resume()
        newest = await publish(index, [make_document("new.md", "# New\n\nA heron.\n")])
        assert newest.number > later.number
        assert {path for path, _ in await shown(index)} == {"pool.md", "new.md"}
        statuses = {load.number: load.status for load in await index.loads()}
        assert statuses[later.number] == "abandoned"
        with pytest.raises(UnknownLoad):
            await index.rollback(later.number)

    async def test_rollback_needs_an_earlier_load(self, open_index: OpenIndex) -> None:
        index = open_index()
        only = await publish(index, [make_document("pool.md", POOL_V1)])
        for target in (None, only.number, only.number + 1, 99, 0, -(10**20), 10**20):
            with pytest.raises(UnknownLoad):
                await index.rollback(target)
        assert await index.active_load() == only.number

    # Rule 4: trust is not versioned.

    async def test_what_was_revoked_stays_revoked_after_a_rollback(
        self, open_index: OpenIndex
    ) -> None:
        index = open_index()
        bad = make_document("pool.md", POOL_V1)
        await publish(index, [bad, make_document("disk.md", DISK)])
        await publish(index, [make_document("pool.md", POOL_V2)])
        changed = await index.set_eligible(
            ("runbooks", "docs", "pool.md"), bad.digest, False, decision=1
        )
        assert changed == 1
        await index.rollback()
        assert {path for path, _ in await shown(index)} == {"disk.md"}
        assert "pool.md" not in await everywhere(index, "zebra proxy connections")

    async def test_a_decision_names_exactly_one_digest(self, open_index: OpenIndex) -> None:
        index = open_index()
        new = make_document("pool.md", POOL_V2)
        await publish(index, [new])
        old_digest = make_document("pool.md", POOL_V1).digest
        key = ("runbooks", "docs", "pool.md")
        assert await index.set_eligible(key, old_digest, False, decision=1) == 0
        assert await index.set_eligible(("other", *key[1:]), new.digest, False, decision=2) == 0
        assert await everywhere(index, "yak proxy") == {"pool.md"}
        assert await index.applied_decision() == 2

    async def test_a_decision_made_during_a_build_holds_in_it(self, open_index: OpenIndex) -> None:
        index = open_index()
        await publish(index, [make_document("disk.md", DISK)])
        fresh = make_document("pool.md", POOL_V1)
        load = await build(index, [fresh])
        await index.set_eligible(("runbooks", "docs", "pool.md"), fresh.digest, False, decision=1)
        await index.check(load)
        await index.activate(load)
        assert "pool.md" not in await everywhere(index, "zebra proxy")

    async def test_an_older_decision_never_undoes_a_newer_one(self, open_index: OpenIndex) -> None:
        """Of two processes that catch up with the ledger, one may be slow."""
        index = open_index()
        document = make_document("pool.md", POOL_V1)
        await publish(index, [document])
        key = ("runbooks", "docs", "pool.md")
        await index.set_eligible(key, document.digest, False, decision=2)
        assert await open_index().set_eligible(key, document.digest, True, decision=1) == 0
        assert await everywhere(index, "zebra") == set()
        assert await index.applied_decision() == 2

    async def test_trust_given_back_is_found_again_at_once(self, open_index: OpenIndex) -> None:
        index = open_index()
        document = make_document("pool.md", POOL_V1)
        await publish(index, [document])
        key = ("runbooks", "docs", "pool.md")
        await index.set_eligible(key, document.digest, False, decision=1)
        assert await everywhere(index, "zebra") == set()
        await index.set_eligible(key, document.digest, True, decision=2)
        assert await paths(index, await ask(index, "zebra"), "lexical") == ["pool.md"]

    async def test_a_draft_is_never_raised_by_a_decision(self, open_index: OpenIndex) -> None:
        index = open_index()
        draft = make_document("pool.md", f"---\nstatus: draft\n---\n{POOL_V1}", eligible=False)
        await publish(index, [draft, make_document("disk.md", DISK)])
        await index.set_eligible(("runbooks", "docs", "pool.md"), draft.digest, True, decision=1)
        assert "pool.md" not in await everywhere(index, "zebra proxy")

    async def test_an_ineligible_version_never_ends_the_eligible_one(
        self, open_index: OpenIndex
    ) -> None:
        index = open_index()
        old = make_document("pool.md", POOL_V1)
        await publish(index, [old])
        await publish(index, [make_document("pool.md", POOL_V2, eligible=False)])
        assert await shown(index) == {("pool.md", old.digest)}
        assert await paths(index, await ask(index, "zebra"), "lexical") == ["pool.md"]

    # Rule 5: a search reads the pointer once.

    async def test_bodies_come_from_the_load_that_was_searched(self, open_index: OpenIndex) -> None:
        index = open_index()
        old = make_document("pool.md", POOL_V1)
        await publish(index, [old])
        rankings = await ask(index, "zebra")
        await publish(open_index(), [make_document("pool.md", POOL_V2)])
        assert rankings.load is not None
        found = await index.fetch(rankings.rankings["lexical"], rankings.load)
        assert [body.digest for body in found] == [old.digest]

    async def test_bodies_are_withheld_once_trust_is_gone(self, open_index: OpenIndex) -> None:
        index = open_index()
        document = make_document("pool.md", POOL_V1)
        await publish(index, [document])
        rankings = await ask(index, "zebra")
        key = ("runbooks", "docs", "pool.md")
        await open_index().set_eligible(key, document.digest, False, decision=1)
        assert rankings.load is not None
        assert await index.fetch(rankings.rankings["lexical"], rankings.load) == []

    async def test_searches_during_syncs_see_one_whole_load(self, open_index: OpenIndex) -> None:
        writer, reader = open_index(), open_index()
        names = ("a.md", "b.md", "c.md")

        def version(number: int) -> list[str]:
            return [f"# Page\n\nThe marker stands at v{number}v today.\n" for _ in names]

        async def write() -> None:
            for number in range(1, 6):
                texts = zip(names, version(number), strict=True)
                await publish(writer, [make_document(name, text) for name, text in texts])

        await write()
        task = asyncio.create_task(write())
        while not task.done():
            rankings = await ask(reader, "marker stands")
            assert rankings.load is not None
            found = await reader.fetch(rankings.rankings["lexical"], rankings.load)
            assert len(found) == len(names)
            assert len({body.chunk.text for body in found}) == 1
            await asyncio.sleep(0)
        await task

    # Rule 6: gc deletes only what no kept load shows.

    async def test_gc_keeps_what_kept_loads_show(self, open_index: OpenIndex) -> None:
        index = open_index()
        first = await publish(index, [make_document("a.md", "# A\n\nOne marten.\n")])
        second = await publish(index, [make_document("a.md", "# A\n\nTwo badgers.\n")])
        third = await publish(index, [make_document("a.md", "# A\n\nThree stoats.\n")])
        assert await index.gc(keep=5, min_age_seconds=0) == 0
        assert await index.gc(keep=2, min_age_seconds=600) == 0
        assert await index.gc(keep=2, min_age_seconds=0) == 1
        assert await index.gc(keep=2, min_age_seconds=0) == 0
        with pytest.raises(UnknownLoad):
            await index.rollback(first.number)
        assert await index.active_load() == third.number
        assert (await index.rollback(second.number)).number == second.number
        assert await paths(index, await ask(index, "badgers"), "lexical") == ["a.md"]

    # Rule 7: vectors lie per fingerprint.

    async def test_vectors_of_two_embedders_never_meet(self, open_index: OpenIndex) -> None:
        index = open_index()
        document = make_document("pool.md", POOL_V1)
        await publish(index, [document])
        other = HashingEmbedder(dimensions=32, fingerprint="another")
        keys = [chunk.vector_key or "" for chunk in document.chunks]
        assert await index.missing_vectors(EMBEDDER.fingerprint, keys) == []
        assert await index.missing_vectors("another", keys) == keys
        mixed = await ask(index, "zebra", embedder=other)
        assert mixed.rankings.get("vector", ()) == ()
        assert await paths(index, mixed, "lexical") == ["pool.md"]
        await publish(index, [document], embedder=other)
        now = await ask(index, "zebra", embedder=other)
        assert await paths(index, now, "vector") == ["pool.md"]

    async def test_a_load_without_its_vectors_is_refused(self, open_index: OpenIndex) -> None:
        index = open_index()
        await publish(index, [make_document("pool.md", POOL_V1)])
        load = await index.begin("another", {})
        await index.write(load.number, [make_document("disk.md", DISK)])
        with pytest.raises(CheckFailed):
            await index.check(load.number)
        assert {path for path, _ in await shown(index)} == {"pool.md"}

    async def test_an_older_text_without_a_vector_blocks_no_new_embedder(
        self, open_index: OpenIndex
    ) -> None:
        """A text whose edit waits can't be read again; it is found by words meanwhile."""
        index = open_index()
        await publish(index, [make_document("pool.md", POOL_V1), make_document("disk.md", DISK)])
        other = HashingEmbedder(dimensions=32, fingerprint="another")
        await publish(index, [make_document("disk.md", DISK)], embedder=other)
        found = await ask(index, "zebra walrus", embedder=other)
        assert await paths(index, found, "vector") == ["disk.md"]
        assert set(await paths(index, found, "lexical")) == {"pool.md", "disk.md"}

    # Rule 8: rows that aren't visible don't move scores.

    async def test_invisible_rows_move_no_score(self, open_index: OpenIndex) -> None:
        index = open_index()
        await publish(index, [make_document("pool.md", POOL_V1), make_document("disk.md", DISK)])
        before = await ask(index, "zebra proxy")
        crowd = [make_document(f"x{n}.md", f"# X\n\nzebra proxy {n}\n") for n in range(20)]
        await build(index, crowd)
        assert (await ask(index, "zebra proxy")).candidates == before.candidates
        await publish(index, crowd)
        await publish(index, removed=[document.path for document in crowd])
        after = await ask(index, "zebra proxy")
        assert after.candidates == before.candidates

    # What sync relies on.

    async def test_known_says_what_the_active_load_holds(self, open_index: OpenIndex) -> None:
        index = open_index()
        assert dict(await index.known("docs")) == {}
        document = make_document("pool.md", POOL_V1, revision="r1")
        await publish(index, [document, make_document("other.md", DISK, source="wiki")])
        await build(index, [make_document("pool.md", POOL_V2, revision="r2")])
        known = await index.known("docs")
        assert {path: k.revision for path, k in known.items()} == {"pool.md": "r1"}
        assert known["pool.md"].chunks == len(document.chunks)
        assert await index.sources() == ["docs", "wiki"]

    async def test_a_document_that_shrinks_leaves_no_chunk(self, open_index: OpenIndex) -> None:
        index = open_index()
        sections = "".join(f"## Step {n}\n\nfalcon {n}\n\n" for n in range(6))
        long = make_document("a.md", f"# A\n\n{sections}")
        await publish(index, [long])
        load = await index.begin(EMBEDDER.fingerprint, {})
        short = make_document("a.md", "# A\n\n## Step 0\n\nfalcon 0\n")
        await store_vectors(index, [short], EMBEDDER)
        assert await index.write(load.number, [short]) == len(long.chunks)
        await index.check(load.number)
        record = await index.activate(load.number)
        assert record.chunks == len(short.chunks)
        found = await ask(index, "falcon")
        assert len(found.candidates) == len(short.chunks)

    async def test_abandoning_shows_nothing_and_ends_nothing(self, open_index: OpenIndex) -> None:
        index = open_index()
        await publish(index, [make_document("pool.md", POOL_V1)])
        load = await build(index, [make_document("disk.md", DISK)], removed=["pool.md"])
        await index.abandon(load)
        await index.abandon(load)
        assert {path for path, _ in await shown(index)} == {"pool.md"}
        with pytest.raises(Superseded):
            await index.activate(load)

    async def test_a_healthy_store_has_no_problem(self, open_index: OpenIndex) -> None:
        index = open_index()
        await publish(index, [make_document("pool.md", POOL_V1)])
        await publish(index, [make_document("pool.md", POOL_V2)])
        await index.rollback()
        assert await index.verify() == []
