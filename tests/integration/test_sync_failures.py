"""What can go wrong in a sync: nothing that was searchable is lost, and the exit code says so."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from git_support import Repository
from sync_support import SOURCE, Place, command, page

from orrery_knowledge.backends.sqlite.index import SqliteConfig, SqliteIndex
from orrery_knowledge.errors import EmbedderError
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.models import Query
from orrery_knowledge.protocols import Vectors
from orrery_knowledge.retrieval import Retrieval
from orrery_knowledge.testing.embedders import HashingEmbedder

FILES = {"id": SOURCE, "type": "filesystem", "path": SOURCE, "trust": "reviewed"}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


# A document or source fails


def test_a_document_that_can_not_be_read_keeps_its_last_version(place: Place) -> None:
    place.fill(6)
    place.sync()
    place.break_file("p01.md")
    place.write("p02.md", page("Page 2", "walrus"))
    place.delete("p03.md")
    ran = place.cli("sync", "--json")
    report = ran.json
    assert (ran.code, report["failed"], report["documents"], report["activated"]) == (1, 1, 1, True)
    assert report["errors"][0]["source"] == "docs: p01.md"
    # Nothing is deleted in a run that could not read everything.
    assert report["removed"] == 0
    assert place.holding("own3x") == {"p03.md"}
    assert place.holding("own1x") == {"p01.md"}
    assert place.holding("walrus") == {"p02.md"}
    place.fill(6)
    place.delete("p03.md")
    ran = place.cli("sync", "--json")
    assert (ran.code, ran.json["removed"], ran.json["failed"]) == (0, 1, 0)
    assert place.holding("own3x") == set()


def test_a_folder_that_vanished_is_a_failure_and_deletes_nothing(place: Place) -> None:
    wiki = {"id": "wiki", "type": "filesystem", "path": "wiki", "trust": "reviewed"}
    place.configure(FILES, wiki)
    place.fill(2)
    (place.root / "wiki").mkdir()
    (place.root / "wiki" / "w.md").write_text(page("Wiki", "heron"))
    place.sync()
    place.docs.rename(place.root / "elsewhere")
    (place.root / "wiki" / "w.md").write_text(page("Wiki", "stork"))
    ran = place.cli("sync")
    assert ran.code == 1
    assert "source docs: docs does not exist" in ran.err
    assert ran.out.splitlines()[-1].endswith("removed 0 deleted documents; quarantined 0; failed 1")
    assert place.holding("zebra") == {"p00.md", "p01.md"}
    assert len(place.holding("stork")) == 1


def test_a_remote_that_is_gone_keeps_its_documents(place: Place) -> None:
    book = Repository(place.root / "book.git")
    book.put("a.md", page("A", "heron"))
    git = {"id": "book", "type": "git", "url": f"file://{book.folder}", "trust": "reviewed"}
    place.configure(FILES, git)
    place.fill(3)
    place.sync()
    assert len(place.holding("heron")) == 1
    book.folder.rename(place.root / "moved.git")
    place.delete("p00.md")
    ran = place.cli("sync", "--json")
    assert (ran.code, ran.json["failed"], ran.json["removed"]) == (1, 1, 0)
    assert ran.json["errors"][0]["source"] == "book"
    assert len(place.holding("heron")) == 1
    (place.root / "moved.git").rename(book.folder)
    assert place.cli("sync").code == 0
    assert place.holding("zebra") == {"p01.md", "p02.md"}


def test_odd_files_stop_nobody(place: Place) -> None:
    place.configure({**FILES, "max_bytes": 100_000})
    place.fill(2)
    place.write("nul.md", page("Nul", "heron").encode() + b"\x00 and more\n")
    place.write("latin.md", "# Caf\xe9\n\nThe stork.\n".encode("latin-1"))
    place.write("large.md", b"x" * 200_000)
    with (place.docs / "sparse.md").open("wb") as file:
        file.truncate(200 * 1024 * 1024)
    os.mkfifo(place.docs / "pipe.md")
    (place.docs / "link.md").symlink_to("p00.md")
    (place.docs / "passwd.md").symlink_to("/etc/passwd")
    report = place.sync()
    assert (report.documents, report.failed) == (4, 0)
    assert report.passed_over == {
        "too_large": 2,
        "not_a_file": 1,
        "symlink": 1,
        "symlink_outside": 1,
    }
    assert {w.source for w in report.warnings} == {"docs: nul.md", "docs: latin.md"}
    assert place.holding("heron") == {"nul.md"}
    assert place.sync().skipped == 4


def peak_memory(place: Place) -> int:
    """Of a sync in a process of its own, in bytes."""
    child = subprocess.Popen(command(place, "sync"), stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0
    return usage.ru_maxrss * 1024


def test_a_200_megabyte_file_costs_no_memory(place: Place) -> None:
    place.fill(2)
    before = peak_memory(place)
    place.delete("p01.md")
    with (place.docs / "sparse.md").open("wb") as file:
        file.truncate(200 * 1024 * 1024)
    assert peak_memory(place) < before + 50 * 1024 * 1024


# Embedders


class Breaks(HashingEmbedder):
    """Fails from the n-th call on."""

    def __init__(self, calls: int, *, dimensions: int = 32) -> None:
        super().__init__(dimensions)
        self.left = calls

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.left -= 1
        if self.left < 0:
            raise EmbedderError("the model is not there any more")
        return await super().embed_documents(texts)


def test_an_embedder_that_fails_half_way_leaves_the_old_load(place: Place) -> None:
    """K048: the candidate is thrown away, what was active stays active."""
    place.fill(90, sections=4)
    place.sync()
    place.embedder = Breaks(5)
    with pytest.raises(EmbedderError):
        place.sync()
    place.embedder = place.hashing
    [first, *_] = place.loads()[::-1]
    assert (first.number, first.status) == (1, "active")
    assert place.counted() == (90, 360)
    assert place.sql("SELECT DISTINCT added_in FROM document WHERE removed_in IS NULL") == [(1,)]
    assert len(place.holding("own7x")) == 1
    assert place.sync().skipped == 90
    # The new embedder goes on where it was: what it computed is kept.
    place.embedder = HashingEmbedder(dimensions=32)
    report = place.sync()
    assert report.activated
    assert report.embedded < 360


class OneBadText(HashingEmbedder):
    """Can't do one text, however small the batch."""

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        if any("poison" in text for text in texts):
            raise EmbedderError("too many tokens")
        return await super().embed_documents(texts)


def test_one_text_that_can_not_be_embedded_fails_one_document(place: Place) -> None:
    place.embedder = OneBadText()
    place.fill(4)
    place.sync()
    place.write("p02.md", page("Page 2", "poison", sections=2))
    place.write("p03.md", page("Page 3", "walrus"))
    report = place.sync()
    assert (report.failed, report.documents, report.activated) == (1, 1, True)
    assert (report.errors[0].source, report.errors[0].reason) == ("docs: p02.md", "too many tokens")
    assert place.holding("own2x") == {"p02.md"}
    assert place.holding("walrus") == {"p03.md"}
    assert (report.chunks, place.counted()) == (1, (4, 4))


# Disks and databases


def test_a_full_disk_leaves_the_active_load(place: Place) -> None:
    place.fill(3)
    place.sync()
    size = (place.state / "index.db").stat().st_size
    for n in range(60):
        place.write(f"more{n}.md", page(f"More {n}", "walrus", *(f"w{n}x{i}" for i in range(400))))
    limit = size + 256 * 1024
    done = subprocess.run(
        command(place, "sync"),
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert done.returncode == 3
    assert done.stderr.startswith("error: index index.db: ")
    assert done.stderr.count("\n") == 1
    assert place.holding("zebra") == {"p00.md", "p01.md", "p02.md"}
    assert place.holding("walrus") == set()
    assert [d for d in place.verify() if d.kind != "source"] == []
    report = place.sync()
    assert (report.documents, report.skipped) == (60, 3)
    assert place.counted()[0] == 63


def test_a_state_folder_that_can_not_be_made_is_one_clear_line(place: Place) -> None:
    place.fill(2)
    place.state.write_text("a file where a folder should be")
    for words in (["sync"], ["sync", "--dry-run"], ["search", "zebra"], ["verify"]):
        ran = place.cli(*words)
        assert ran.code in (2, 3), words
        assert (ran.err.count("\n"), ran.out) == (1, ""), words


def test_an_index_that_can_not_be_opened_is_one_clear_line(place: Place) -> None:
    place.fill(2)
    place.sync()
    for file in place.state.glob("index.db*"):
        file.unlink()
    (place.state / "index.db").mkdir()
    for words in (["sync"], ["search", "zebra"], ["loads", "list"], ["verify"]):
        ran = place.cli(*words)
        assert (ran.code, ran.err.count("\n")) == (3, 1), (words, ran)
        assert "can't be opened" in ran.err, words


def test_a_process_that_goes_on_searching_finds_the_rebuilt_index(place: Place) -> None:
    place.fill(3)
    place.sync()

    async def work(index: SqliteIndex, ledger: Ledger) -> list[set[str]]:
        server = SqliteIndex(SqliteConfig(), state=place.state)
        retrieval = Retrieval(server, ledger, place.hashing)

        async def found() -> set[str]:
            result = await retrieval.search(Query(text="zebra", top_k=50))
            return {p.label.partition(" ")[0] for p in result.passages if "zebra" in p.text}

        seen = [await found()]
        for file in place.state.glob("index.db*"):
            file.unlink()
        seen.append(await found())
        place.delete("p00.md")
        place.write("p03.md", page("Page 3", "zebra"))
        place.write("p04.md", page("Page 4", "zebra"))
        await place.sync_with(index, ledger, place.hashing)
        # As many loads as before: neither its number nor a counter tells the two files apart.
        seen.append(await found())
        await server.close()
        return seen

    assert place.run(work) == [
        {"p00.md", "p01.md", "p02.md"},
        set(),
        {"p01.md", "p02.md", "p03.md", "p04.md"},
    ]


def test_an_index_from_the_future_is_not_touched(place: Place) -> None:
    place.fill(2)
    place.sync()
    place.sql("PRAGMA user_version = 999")
    before = place.state_hash()
    ran = place.cli("sync")
    assert ran.code == 2
    assert "was written by a newer orrery-knowledge" in ran.err
    assert place.state_hash() == before


# Somebody deleted rows behind our back (K044)

LOSSES = {
    "documents": ["DELETE FROM document WHERE path IN ('p01.md', 'p02.md')"],
    "chunks": ["DELETE FROM chunk WHERE document_id IN (SELECT id FROM document LIMIT 2)"],
    "bodies": ["DELETE FROM body WHERE id % 3 = 0"],
    "vectors": ["DELETE FROM vector WHERE id % 3 = 0"],
    "identifiers": ["DELETE FROM identifier WHERE chunk_id % 2 = 0"],
    "search rows": [
        "DELETE FROM identifier",
        "INSERT INTO passage (passage) VALUES ('delete-all')",
    ],
    "all but a few": ["DELETE FROM chunk WHERE id > 5", "DELETE FROM body WHERE id > 5"],
    "everything": ["DELETE FROM document", "DELETE FROM chunk", "DELETE FROM body"],
}


@pytest.mark.parametrize("loss", LOSSES)
def test_rows_that_were_lost_are_reported_and_come_back(place: Place, loss: str) -> None:
    place.fill(8, "zebra-lion", sections=2)
    place.sync()
    for statement in LOSSES[loss]:
        place.sql(statement)
    # A search finds what is left, and never trips over what isn't.
    assert place.search("zebra-lion own3x step").status in ("ok", "no_match", "unavailable")
    ran = place.cli("verify")
    assert ran.code == 1
    assert "difference" in ran.out
    if loss in ("search rows", "identifiers"):
        assert place.cli("verify", "--repair").code == 0
    report = place.sync()
    assert (report.failed, report.refused) == (0, False)
    assert place.cli("verify").out == "all is well\n"
    assert place.counted() == (8, 16)
    for n in range(8):
        assert place.holding(f"own{n}x") == {f"p0{n}.md"}
    rows = place.sql("SELECT count(*) FROM passage WHERE passage MATCH 'zebra'")
    assert rows == [(16,)]


def test_a_sync_after_an_edit_mends_the_search_tables(place: Place) -> None:
    place.fill(4)
    place.sync()
    for statement in LOSSES["search rows"]:
        place.sql(statement)
    place.write("p00.md", page("Page 0", "walrus"))
    place.sync()
    assert place.verify() == []
    assert place.holding("own3x") == {"p03.md"}


def test_repair_rebuilds_what_can_be_rebuilt(place: Place) -> None:
    place.fill(4)
    place.sync()
    place.sql("DELETE FROM identifier")
    place.sql("INSERT INTO passage (passage) VALUES ('delete-all')")
    place.sql("UPDATE document SET eligible = 0 WHERE path = 'p02.md'")
    place.sql("UPDATE document SET eligible = 1 WHERE path = 'p02.md'")
    place.decide("p01.md", "revoked")
    first = place.cli("verify", "--json")
    assert first.code == 1
    assert {drift["kind"] for drift in first.json} == {"index", "ledger"}
    ran = place.cli("verify", "--repair", "--json")
    assert (ran.code, {drift["repaired"] for drift in ran.json}) == (0, {True})
    assert place.cli("verify").out == "all is well\n"
    assert place.holding("zebra") == {"p00.md", "p02.md", "p03.md"}


def test_repair_takes_away_trust_that_nobody_gave(place: Place) -> None:
    place.configure({**FILES, "trust": "review"})
    place.fill(2)
    place.sync()
    place.decide("p00.md", "approved")
    shutil.copy(place.state / "ledger.db", place.root / "backup.db")
    place.decide("p01.md", "approved")
    place.sync()
    assert place.holding("zebra") == {"p00.md", "p01.md"}
    shutil.copy(place.root / "backup.db", place.state / "ledger.db")
    ran = place.cli("verify", "--repair")
    assert "p01.md: answers although nothing in the ledger grants it trust (repaired)" in ran.out
    assert set(place.visible()) == {"p00.md"}
    # Numbers of this ledger start again below what the index has applied: it must not answer.
    assert (ran.code, "was the ledger restored or deleted?" in ran.out) == (1, True)
    assert place.search("zebra").status == "unavailable"
    for file in place.state.glob("index.db*"):
        file.unlink()
    assert place.sync().pending == 1
    assert place.holding("zebra") == {"p00.md"}
    assert place.cli("verify").out == "all is well\n"


def test_verify_misses_what_was_approved_and_is_not_there(place: Place) -> None:
    place.configure({**FILES, "trust": "review"})
    place.fill(2)
    place.sync()
    assert place.cli("verify").out == "all is well\n"
    place.decide("p00.md", "approved")
    ran = place.cli("verify", "--json")
    assert ("docs: p00.md", "is not indexed; run sync") in {
        (drift["where"], drift["problem"]) for drift in ran.json
    }
    place.sync()
    assert place.cli("verify").out == "all is well\n"
    place.sql("DELETE FROM document WHERE path = 'p00.md'")
    assert "p00.md: is not indexed; run sync" in place.cli("verify").out


def test_verify_sees_what_the_next_sync_would_do(place: Place) -> None:
    place.fill(4)
    place.write("empty.md", "")
    place.sync()
    assert place.cli("verify").out == "all is well\n"
    place.write("p00.md", page("Page 0", "walrus"))
    place.write("new.md", page("New", "lynx"))
    place.delete("p03.md")
    ran = place.cli("verify", "--json")
    assert {(drift["where"], drift["problem"]) for drift in ran.json} == {
        ("docs: p00.md", "has changed; run sync"),
        ("docs: new.md", "is not indexed; run sync"),
        ("docs: p03.md", "is gone; run sync"),
    }
    assert place.cli("verify", "--repair").code == 1
    shutil.rmtree(place.docs)
    assert "docs does not exist" in place.cli("verify").out
