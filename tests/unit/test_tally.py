from __future__ import annotations

from orrery_knowledge.models import SyncError
from orrery_knowledge.tally import Tally


def test_what_holds_for_many_documents_of_a_source_is_said_once() -> None:
    tally = Tally()
    for number in range(5):
        tally.warn(f"book: {number}.md", "the clone is shallow")
        if number == 1:
            tally.warn("book: 1.md", "2 NUL characters replaced")
    tally.warn("wiki: 0.md", "the clone is shallow")
    tally.warn("wiki: a: b.md", "it holds no text")
    tally.warn("wiki: c.md", "it holds no text")
    tally.warn("sync", "rows of old loads are still there")
    assert tally.report(1, activated=True).warnings == (
        SyncError(
            source="book", reason="5 documents (0.md, 1.md, 2.md, ...): the clone is shallow"
        ),
        SyncError(source="book: 1.md", reason="2 NUL characters replaced"),
        SyncError(source="wiki: 0.md", reason="the clone is shallow"),
        SyncError(source="wiki", reason="2 documents (a: b.md, c.md): it holds no text"),
        SyncError(source="sync", reason="rows of old loads are still there"),
    )


def test_a_refusal_keeps_what_was_filed_and_comes_first() -> None:
    tally = Tally(documents=3, chunks=9, pruned=2, removed=1, quarantined=1, embedded=9, skipped=4)
    tally.problem("book: a.md", "quarantined: password in line 3")
    report = tally.refusal(7, "everything is gone")
    assert [error.reason for error in report.errors] == [
        "everything is gone",
        "quarantined: password in line 3",
    ]
    assert (report.load, report.activated, report.refused) == (7, False, True)
    assert (report.documents, report.chunks, report.pruned, report.removed) == (0, 0, 0, 0)
    assert (report.quarantined, report.embedded, report.skipped) == (1, 9, 4)
    assert report.planned is not None
    assert report.planned.words == (
        "index 3 documents as 9 chunks, prune 2 stale chunks, remove 1 deleted documents"
    )
