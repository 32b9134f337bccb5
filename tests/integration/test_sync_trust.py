"""Trust that changes while or between syncs: what may answer, from which moment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from sync_support import SOURCE, Place, page

from orrery_knowledge import preparation
from orrery_knowledge.backends.sqlite.index import SqliteIndex
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.models import IndexedDocument, SyncReport
from orrery_knowledge.screening import Finding, Screened

REVIEWED = {"id": SOURCE, "type": "filesystem", "path": SOURCE, "trust": "reviewed"}
REVIEW = {**REVIEWED, "trust": "review"}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_a_source_that_is_trusted_again_answers_again(place: Place) -> None:
    place.fill(3)
    place.sync()
    place.configure(REVIEW)
    place.sync()
    assert place.visible() == {}
    place.configure(REVIEWED)
    report = place.sync()
    assert (report.documents, report.embedded) == (3, 0)
    assert place.holding("zebra") == {"p00.md", "p01.md", "p02.md"}
    assert place.sync().skipped == 3


def test_where_nothing_may_answer_any_more_nobody_says_that_nothing_was_written(
    place: Place,
) -> None:
    place.fill(3)
    assert place.sync().began == 3
    place.configure(REVIEW)
    planned = place.cli("sync", "--dry-run", "--json").json
    assert (planned["stopped"], planned["pending"]) == (3, 3)
    ran = place.cli("sync")
    assert "nothing has changed" not in ran.out
    assert "3 documents stopped answering\n" in ran.out
    assert "3 documents wait for a review\n" in ran.out

    ran = place.cli("search", "zebra", "--json")
    reason = "no document may be shown yet: 3 wait for a review"
    assert (ran.code, ran.json["status"], ran.json["reason"]) == (3, "unavailable", reason)
    assert ran.json["load"] == 1
    # The load holds them as before; the ledger says what may answer.
    assert place.cli("loads", "list").out.endswith("3 documents, 3 chunks; 0 may answer\n")
    assert place.cli("sync").out.count("nothing has changed") == 1

    place.decide("p01.md", "approved")
    ran = place.cli("sync", "--json")
    assert (ran.json["began"], ran.json["stopped"]) == (1, 0)
    assert place.cli("search", "own1x").code == 0


def test_what_began_and_stopped_counts_every_reason(place: Place) -> None:
    place.fill(8)
    place.sync()
    place.delete("p00.md")
    place.write("p01.md", "---\nstatus: draft\n---\n" + page("Page 1", "zebra"))
    place.write("p02.md", page("Page 2", "walrus"))
    place.write("new.md", page("New", "lynx"))
    place.decide("p03.md", "revoked")
    report = place.sync()
    # p00 is gone, p01 lowered, p03 revoked; p02 has only another text.
    assert (report.began, report.stopped) == (1, 3)
    assert set(place.visible()) == {"new.md", "p02.md", "p04.md", "p05.md", "p06.md", "p07.md"}
    ran = place.cli("sync", "--json")
    assert (ran.json["began"], ran.json["stopped"]) == (0, 0)


def test_a_corpus_of_which_nothing_may_be_shown_is_not_empty(place: Place) -> None:
    (place.root / "wiki").mkdir()
    (place.root / "wiki" / "new.md").write_text(page("New", "lynx"), encoding="utf-8")
    wiki = {"id": "wiki", "type": "filesystem", "path": "wiki", "trust": "review"}
    place.configure(corpora={"runbooks": {"sources": [REVIEWED]}, "wiki": {"sources": [wiki]}})
    place.fill(2)
    place.sync()
    ran = place.cli("search", "lynx", "--corpus", "wiki", "--json")
    assert (ran.code, ran.json["status"]) == (3, "unavailable")
    assert ran.json["reason"] == (
        "no document of corpus 'wiki' may be shown yet: 1 waits for a review"
    )
    assert place.cli("search", "lynx", "--corpus", "runbooks", "--json").json["status"] == (
        "no_match"
    )


@pytest.mark.parametrize("how", ["revoked", "draft"])
def test_texts_that_were_all_taken_back_are_not_nothing(place: Place, how: str) -> None:
    place.fill(2)
    place.sync()
    for name in ("p00.md", "p01.md"):
        if how == "revoked":
            place.decide(name, "revoked")
        else:
            place.write(name, "---\nstatus: draft\n---\n" + page("Page", "zebra"))
    place.sync()
    result = place.search("zebra")
    assert (result.status, result.reason) == (
        "unavailable",
        "no document may be shown: 2 are indexed, but drafts, deprecated, rejected or revoked",
    )
    place.delete("p00.md", "p01.md")
    assert place.cli("sync", "--allow-mass-delete", "--allow-empty").code == 0
    assert place.search("zebra").status == "no_match"  # empty on purpose


def test_a_draft_and_a_revoked_text_are_not_read_again_for_that(place: Place) -> None:
    place.fill(2)
    place.write("draft.md", "---\nstatus: draft\n---\n" + page("Draft", "lynx"))
    place.sync()
    place.decide("p01.md", "revoked")
    report = place.sync()
    assert (report.documents, report.skipped, report.activated) == (0, 3, False)
    assert set(place.visible()) == {"p00.md"}


@pytest.fixture
def stricter(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Lets a newer screening refuse every text that holds "own1x"."""

    def screened(text: str) -> Screened:
        bad = Finding(kind="injection", rule="new", line=1, start=0, end=1, preview="new")
        return Screened(text=text, findings=(bad,) if "own1x" in text else ())

    def install() -> None:
        monkeypatch.setattr(preparation, "screen", screened)
        monkeypatch.setattr(preparation, "SCREENING_VERSION", "stricter")

    return install


def test_a_text_that_new_rules_refuse_stops_answering_in_every_load(
    place: Place, stricter: Callable[[], None]
) -> None:
    place.fill(2)
    place.sync()
    stricter()
    report = place.sync()
    # One chunk of the page that is written anew, one of the page that is refused.
    assert (report.quarantined, report.documents, report.pruned) == (1, 1, 2)
    assert report.activated
    assert place.holding("zebra") == {"p00.md"}
    assert place.sync().activated is False
    assert place.cli("loads", "rollback").code == 0
    assert place.holding("zebra") == {"p00.md"}


def test_what_an_older_release_takes_for_safe_again_answers_again(
    place: Place, stricter: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    place.fill(2)
    place.sync()
    stricter()
    place.sync()
    monkeypatch.undo()
    place.sync()
    assert place.holding("zebra") == {"p00.md", "p01.md"}


def test_an_approved_text_that_new_rules_refuse_stops_answering_while_its_edit_waits(
    place: Place, stricter: Callable[[], None]
) -> None:
    place.configure(REVIEW)
    place.fill(2)
    place.sync()
    for name in ("p00.md", "p01.md"):
        place.decide(name, "approved")
    place.sync()
    for name in ("p00.md", "p01.md"):
        place.write(name, page("Edited", "walrus"))
    place.sync()
    assert place.holding("zebra") == {"p00.md", "p01.md"}
    stricter()
    report = place.sync()
    assert (report.quarantined, report.pending, report.pruned) == (0, 2, 1)
    assert place.holding("zebra") == {"p00.md"}
    assert place.cli("loads", "rollback").code == 0
    assert place.holding("zebra") == {"p00.md"}


@pytest.mark.parametrize(("goes_on", "found"), [(True, {"p00.md"}), (False, set())])
def test_the_policy_says_whether_an_approved_text_answers_while_its_edit_waits(
    place: Place, goes_on: bool, found: set[str]
) -> None:
    place.configure(REVIEW)
    place.fill(2)
    place.sync()
    for name in ("p00.md", "p01.md"):
        place.decide(name, "approved")
    place.sync()
    place.write("p00.md", page("Page 0", "walrus"))
    report = place.sync(answer_while_pending=goes_on)
    assert (report.pending, report.pruned) == (1, 0 if goes_on else 1)
    assert place.holding("own0x") == found
    assert place.holding("own1x") == {"p01.md"}


def test_the_policy_comes_from_the_configuration(place: Place) -> None:
    policy = {"answer_from_approved_while_edit_pending": False}
    place.configure(REVIEW, policy=policy, embedder={"type": "none"})
    place.fill(2)
    place.cli("sync")
    for name in ("p00.md", "p01.md"):
        place.decide(name, "approved")
    place.cli("sync")
    place.write("p00.md", page("Page 0", "walrus"))
    assert place.cli("sync", "--json").json["pruned"] == 1
    assert set(place.visible()) == {"p01.md"}


class ApprovesMeanwhile(SqliteIndex):
    """Somebody approves a waiting text (and revokes another) while a load is built."""

    ledger: Ledger
    approve: str
    revoke: str

    async def write(self, load: int, documents: Sequence[IndexedDocument]) -> int:
        ended = await super().write(load, documents)
        if self.approve:
            [review] = [r for r in await self.ledger.reviews() if r.path == self.approve]
            self.approve = ""
            await self.ledger.decide(review.document, review.digest, "approved", reviewer="ada")
        if self.revoke:
            [row] = [d for d in documents if d.path == self.revoke]
            key = (row.corpus, row.source, row.path)
            self.revoke = ""
            await self.ledger.decide(key, row.digest, "revoked", reviewer="ada", indexed=True)
        return ended


def test_what_is_decided_during_a_build_is_taken_along(place: Place) -> None:
    """K050: neither an approval nor a revocation is lost at the switch."""
    place.configure({**REVIEW, "id": "a-waits", "path": "waits"}, {**REVIEWED, "id": "docs"})
    (place.root / "waits").mkdir()
    (place.root / "waits" / "new.md").write_text(page("New", "lynx"), encoding="utf-8")
    place.fill(2)

    async def work(index: SqliteIndex, ledger: Ledger) -> SyncReport:
        index.__class__ = ApprovesMeanwhile
        assert isinstance(index, ApprovesMeanwhile)
        index.ledger, index.approve, index.revoke = ledger, "new.md", "p01.md"
        return await place.sync_with(index, ledger, place.embedder)

    report = place.run(work)
    assert (report.documents, report.pending, report.activated) == (3, 0, True)
    assert set(place.visible()) == {"new.md", "p00.md"}
    [passage] = place.search("lynx", top_k=1).passages
    assert passage.trust == "reviewed by ada"
    assert place.reviews() == {"new.md": ["approved"]}


def test_an_index_that_knows_more_decisions_than_its_ledger_does_not_answer(place: Place) -> None:
    place.fill(2)
    place.sync()
    place.decide("p00.md", "revoked")
    assert place.holding("zebra") == {"p01.md"}
    for file in place.state.glob("ledger.db*"):
        file.unlink()
    result = place.search("zebra")
    assert (result.status, result.passages) == ("unavailable", ())
    assert result.reason is not None
    assert "delete the index and run sync" in result.reason
    assert place.cli("search", "zebra").code == 3
    for command in (["sync"], ["sync", "--dry-run"], ["doctor"]):
        ran = place.cli(*command)
        assert (ran.code, "delete the index and run sync" in ran.out + ran.err) == (3, True)
    for file in place.state.glob("index.db*"):
        file.unlink()
    assert place.sync().documents == 2


def test_a_dry_run_in_a_fresh_folder_leaves_nothing(place: Place) -> None:
    place.fill(2)
    ran = place.cli("sync", "--dry-run", "--json")
    assert (ran.code, ran.json["documents"], ran.json["embedded"]) == (0, 2, 2)
    assert not place.state.exists()
