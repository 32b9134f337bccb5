"""`ProvenanceContract`: where a text comes from can change without the text, on every backend."""

from __future__ import annotations

from datetime import UTC, datetime

from orrery_knowledge.models import FetchedChunk, IndexedDocument, Provenance
from orrery_knowledge.protocols import KnowledgeIndex
from orrery_knowledge.testing.documents import (
    OpenIndex,
    ask,
    everywhere,
    make_document,
    publish,
    shown,
)

POOL = "# Pool\n\nRestart the zebra proxy.\n"
DISK = "# Disk\n\nDelete the zebra archives.\n"
COMMIT = "c" * 40
THEN = datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)


def _moved(document: IndexedDocument, **changes: str) -> Provenance:
    values = {"path": document.path, "revision": document.revision, **changes}
    return Provenance(uri="test:moved", commit=COMMIT, modified_at=THEN, **values)


async def _said(index: KnowledgeIndex, path: str) -> tuple[str, str | None, datetime | None]:
    """What a search shows of a document beside its text."""
    found = await ask(index, "zebra")
    assert found.load is not None
    bodies: list[FetchedChunk] = await index.fetch(found.rankings["lexical"], found.load)
    [body] = [body for body in bodies if body.path == path]
    return body.uri, body.commit, body.modified_at


class ProvenanceContract:
    """Subclass with a fixture ``open_index`` that opens handles on one empty store."""

    async def test_provenance_changes_in_place(self, open_index: OpenIndex) -> None:
        index = open_index()
        pool, disk = make_document("pool.md", POOL), make_document("disk.md", DISK)
        load = await publish(index, [pool, disk])
        before = await shown(index)
        assert await index.describe("docs", [_moved(pool)]) == 1
        assert await _said(open_index(), "pool.md") == ("test:moved", COMMIT, THEN)
        assert await _said(index, "disk.md") == ("test:disk.md", None, None)
        known = (await index.known("docs"))["pool.md"]
        assert (known.uri, known.commit, known.modified_at) == ("test:moved", COMMIT, THEN)
        assert (await index.active_load(), await shown(index)) == (load.number, before)
        unknown = Provenance(path="pool.md", revision=pool.revision, uri="test:pool.md")
        assert await index.describe("docs", [unknown]) == 1
        assert await _said(index, "pool.md") == ("test:pool.md", None, None)

    async def test_provenance_of_something_else_changes_nothing(
        self, open_index: OpenIndex
    ) -> None:
        index = open_index()
        pool = make_document("pool.md", POOL)
        await publish(index, [pool])
        others = [_moved(pool, path="gone.md"), _moved(pool, revision="of another text")]
        assert await index.describe("docs", others) == 0
        assert await index.describe("wiki", [_moved(pool)]) == 0
        assert await index.describe("docs", []) == 0
        assert await _said(index, "pool.md") == ("test:pool.md", None, None)

    async def test_a_rollback_shows_earlier_loads_as_they_were(self, open_index: OpenIndex) -> None:
        """Also where a text came back; one that was there all along keeps what is right now."""
        index = open_index()
        pool, disk = make_document("pool.md", POOL), make_document("disk.md", DISK)
        first = await publish(index, [pool, disk])
        await publish(index, [make_document("pool.md", "# Pool\n\nA zebra walks.\n")])
        await publish(index, [pool])
        assert await index.describe("docs", [_moved(pool), _moved(disk)]) == 2
        await index.rollback(first.number)
        assert await _said(index, "pool.md") == ("test:pool.md", None, None)
        assert await _said(index, "disk.md") == ("test:moved", COMMIT, THEN)

    async def test_a_build_that_is_undone_leaves_provenance(self, open_index: OpenIndex) -> None:
        index = open_index()
        pool = make_document("pool.md", POOL)
        await publish(index, [pool])
        load = await index.begin(None, {})
        assert await index.describe("docs", [_moved(pool)]) == 1
        await index.abandon(load.number)
        assert await _said(index, "pool.md") == ("test:moved", COMMIT, THEN)
        assert await everywhere(index, "zebra") == {"pool.md"}
