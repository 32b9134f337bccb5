"""What a sync reads, embeds, writes and ends when files change."""

from __future__ import annotations

from pathlib import Path

import pytest
from git_support import Repository
from sync_support import SOURCE, Place, page

from orrery_knowledge.errors import ConfigurationError
from orrery_knowledge.testing.embedders import HashingEmbedder

FILES = {"id": SOURCE, "type": "filesystem", "path": SOURCE, "trust": "reviewed"}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_the_first_sync_says_what_the_database_holds(place: Place) -> None:
    place.fill(7, sections=3)
    report = place.sync()
    assert (report.documents, report.chunks) == (7, 21) == place.counted()
    assert (report.embedded, report.skipped, report.pruned, report.removed) == (21, 0, 0, 0)
    assert (report.load, report.activated) == (1, True)
    [load] = place.loads()
    assert (load.status, load.documents, load.chunks) == ("active", 7, 21)
    assert load.fingerprint == "hashing-64"
    assert place.holding("zebra") == {f"p0{n}.md" for n in range(7)}


def test_the_second_sync_skips_everything_and_makes_no_load(place: Place) -> None:
    place.fill(7)
    place.sync()
    texts = len(place.hashing.embedded)
    again = place.sync()
    assert (again.skipped, again.documents, again.embedded) == (7, 0, 0)
    assert (again.load, again.activated) == (1, False)
    assert len(place.hashing.embedded) == texts
    assert [load.number for load in place.loads()] == [1]


def test_an_edit_replaces_one_document(place: Place) -> None:
    place.fill(5, sections=2)
    place.sync()
    place.write("p03.md", page("Page 3", "walrus", sections=4))
    report = place.sync()
    assert (report.documents, report.chunks, report.skipped, report.pruned) == (1, 4, 4, 2)
    assert place.counted() == (5, 4 * 2 + 4)
    assert place.holding("walrus") == {"p03.md"}
    assert place.holding("own3x") == set()


def test_a_document_that_shrinks_leaves_no_chunk(place: Place) -> None:
    place.write("a.md", page("A", "falcon", sections=6))
    place.write("b.md", page("B", "otter"))
    place.sync()
    place.write("a.md", page("A", "falcon"))
    report = place.sync()
    assert (report.chunks, report.pruned) == (1, 6)
    assert place.counted() == (2, 2)
    assert len([p for p in place.search("falcon").passages if "falcon" in p.text]) == 1


def test_a_moved_file_costs_no_embedding(place: Place) -> None:
    place.fill(4)
    place.sync()
    texts = len(place.hashing.embedded)
    (place.docs / "moved").mkdir()
    (place.docs / "p02.md").rename(place.docs / "moved" / "away.md")
    report = place.sync()
    assert (report.documents, report.removed, report.embedded) == (1, 1, 0)
    assert len(place.hashing.embedded) == texts
    assert place.holding("own2x") == {"moved/away.md"}


def test_a_deleted_file_is_gone_at_once(place: Place) -> None:
    place.fill(5)
    place.sync()
    place.delete("p04.md")
    report = place.sync()
    assert (report.removed, report.documents, report.skipped) == (1, 0, 4)
    assert (place.holding("own4x"), place.counted()) == (set(), (4, 4))


def test_text_that_comes_back_costs_no_embedding(place: Place) -> None:
    place.fill(5)
    place.sync()
    place.delete("p04.md")
    place.sync()
    place.fill(5)
    back = place.sync()
    assert (back.documents, back.embedded) == (1, 0)
    assert place.holding("own4x") == {"p04.md"}


def test_only_what_changed_in_git_is_read(place: Place) -> None:
    book = Repository(place.root / "book")
    for n in range(4):
        book.write(f"p{n}.md", page(f"Page {n}", "zebra", f"own{n}x"))
    first = book.commit()
    place.configure({"id": "book", "type": "git", "url": "book", "trust": "reviewed"}, FILES)
    assert place.sync().documents == 4
    second = book.put("p1.md", page("Page 1", "walrus"))
    report = place.sync()
    assert (report.documents, report.skipped) == (1, 3)
    rows = place.sql("SELECT path, commit_id FROM document WHERE removed_in IS NULL ORDER BY path")
    assert rows == [("p0.md", first), ("p1.md", second), ("p2.md", first), ("p3.md", first)]
    # Not committed means not there: the working tree is nobody's knowledge yet.
    book.write("p2.md", page("Page 2", "lynx"))
    assert place.sync().skipped == 4


def test_one_source_leaves_the_others_alone(place: Place) -> None:
    other = {"id": "wiki", "type": "filesystem", "path": "wiki", "trust": "reviewed"}
    place.configure(FILES, other)
    place.fill(3)
    (place.root / "wiki").mkdir()
    (place.root / "wiki" / "w.md").write_text(page("Wiki", "heron"))
    place.sync()
    place.write("p00.md", page("Page 0", "walrus"))
    (place.root / "wiki" / "w.md").write_text(page("Wiki", "stork"))
    report = place.sync(source="wiki")
    assert (report.documents, report.skipped) == (1, 0)
    assert len(place.holding("stork")) == 1
    assert place.holding("walrus") == set()
    with pytest.raises(ConfigurationError, match=r"no source 'wikki'; configured: docs, wiki"):
        place.sync(source="wikki")


def test_a_source_taken_out_of_the_configuration_takes_its_documents_along(place: Place) -> None:
    other = {"id": "wiki", "type": "filesystem", "path": "wiki", "trust": "reviewed"}
    place.configure(FILES, other)
    place.fill(4)
    (place.root / "wiki").mkdir()
    (place.root / "wiki" / "w.md").write_text(page("Wiki", "heron"))
    place.sync()
    place.configure(FILES)
    assert place.sync(source=SOURCE).removed == 0
    assert len(place.holding("heron")) == 1
    assert place.sync().removed == 1
    assert place.holding("heron") == set()
    assert set(place.visible()) == {f"p0{n}.md" for n in range(4)}


def test_another_chunk_size_reads_every_document_again(place: Place) -> None:
    place.fill(3, sections=2)
    place.sync()
    place.configure(chunking={"size": 200})
    report = place.sync()
    assert (report.documents, report.skipped, report.pruned) == (3, 0, 6)
    assert report.chunks > 6
    assert place.counted() == (3, report.chunks)


def test_another_setting_of_a_source_reads_that_source_again(place: Place) -> None:
    other = {"id": "wiki", "type": "filesystem", "path": "wiki", "trust": "reviewed"}
    place.configure(FILES, other)
    place.fill(3)
    (place.root / "wiki").mkdir()
    (place.root / "wiki" / "w.md").write_text(page("Wiki", "heron"))
    place.sync()
    place.configure({**FILES, "service": "payments"}, other)
    report = place.sync()
    assert (report.documents, report.skipped, report.embedded) == (3, 1, 0)
    rows = place.sql(
        "SELECT DISTINCT service FROM document WHERE removed_in IS NULL AND source = ?", [SOURCE]
    )
    assert rows == [("payments",)]


def test_full_reads_again_what_has_not_changed(place: Place) -> None:
    place.fill(3)
    place.sync()
    report = place.sync(full=True)
    assert (report.documents, report.skipped, report.pruned, report.embedded) == (3, 0, 3, 0)
    assert (report.load, place.counted()) == (2, (3, 3))


def test_another_embedder_embeds_everything_anew(place: Place) -> None:
    """K095: vectors are kept by text and embedder, never by text alone."""
    place.fill(4, sections=2)
    place.sync()
    place.embedder = HashingEmbedder(dimensions=32)
    with pytest.raises(ConfigurationError, match="run sync without --source"):
        place.sync(source=SOURCE)
    report = place.sync()
    assert (report.documents, report.skipped, report.embedded) == (4, 0, 8)
    rows = place.sql("SELECT fingerprint, length(value), count(*) FROM vector GROUP BY 1, 2")
    assert sorted(rows) == [("hashing-32", 32 * 4, 8), ("hashing-64", 64 * 4, 8)]
    best = place.search(page("Page 2", "zebra", "own2x"), mode="vector").passages[0]
    assert best.source.endswith("p02.md")
    # Going back costs nothing while the older load is kept.
    place.embedder = place.hashing
    assert place.sync().embedded == 0


def test_a_dry_run_says_what_the_real_run_then_does(place: Place) -> None:
    place.fill(12, sections=2)
    place.sync()
    place.write("p03.md", page("Page 3", "walrus", sections=3))
    place.write("p04.md", page("Page 4", "zebra", "own4x", sections=1))
    place.write("new.md", page("New", "lynx", sections=2))
    place.write("twin.md", page("New", "lynx", sections=2))
    place.write("bad.md", "---\nstatus: [\n---\n# Bad\n")
    place.write("p05.md", "---\nstatus: draft\n---\n" + page("Page 5", "zebra", sections=2))
    place.delete("p06.md", "p07.md")
    before = place.state_hash()
    planned = place.sync(dry_run=True)
    assert place.state_hash() == before
    assert place.quarantined() == []
    real = place.sync()
    differ = {"load", "activated", "dry_run", "took_ms", "began", "stopped"}
    assert planned.model_dump(exclude=differ) == real.model_dump(exclude=differ)
    assert (real.documents, real.removed, real.quarantined, real.skipped) == (5, 2, 1, 7)
    # 3 of walrus, 2 of lynx (which stand there twice), 1 of page 4 and 2 of page 5.
    assert real.embedded == 3 + 2 + 1 + 2
    assert real.pruned == 2 + 2 + 2
    assert planned.summary == real.summary.replace("indexed", "would index")


def test_a_dry_run_before_the_first_sync(place: Place) -> None:
    place.fill(3)
    planned = place.sync(dry_run=True)
    assert (planned.documents, planned.embedded, planned.load) == (3, 3, None)
    assert not (place.state / "index.db").exists()


def test_the_empty_document_is_no_failure(place: Place) -> None:
    place.fill(3)
    place.write("empty.md", "")
    place.write("blank.md", "---\ntitle: Nothing\n---\n\n  \n")
    report = place.sync()
    assert (report.documents, report.failed, report.quarantined) == (3, 0, 0)
    assert [(w.source, w.reason) for w in report.warnings] == [
        ("docs", "2 documents (blank.md, empty.md): it holds no text")
    ]


def test_a_document_that_becomes_empty_answers_no_more(place: Place) -> None:
    place.fill(5)
    place.sync()
    place.write("p02.md", "\n")
    place.sync()
    assert place.holding("own2x") == set()
    assert "p02.md" not in place.visible()


def test_a_shallow_clone_is_one_warning_a_source(place: Place) -> None:
    book = Repository(place.root / "book")
    for n in range(6):
        book.put(f"p{n}.md", page(f"Page {n}", "heron"))
    book.put("last.md", page("Last", "heron"))
    book.git("clone", "-q", "--depth", "1", book.folder.as_uri(), str(place.root / "shallow"))
    place.configure({"id": "book", "type": "git", "url": "shallow", "trust": "reviewed"})
    ran = place.cli("sync")
    assert ran.code == 0
    assert ran.err == (
        "warning: book: 7 documents (last.md, p0.md, p1.md, ...): the clone is shallow: last "
        "commit and date are not known\n"
    )
