from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa
from ledger_support import change, everything

from orrery_knowledge.errors import DocumentError, KnowledgeError
from orrery_knowledge.governance.digests import query_digest
from orrery_knowledge.governance.evidence import record, resolve
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.governance.records import Issue, QuarantineReason
from orrery_knowledge.models import Counts, Passage, Ranks, SearchResult

DIGEST = "1a2b3c4" + "0" * 57
KEY = ("runbooks", "wiki", "pool.md")

pytest_plugins = ["ledger_fixtures"]


@pytest.fixture
async def ledger(ledger_url: str) -> AsyncIterator[Ledger]:
    async with Ledger(ledger_url) as opened:
        yield opened


def passage(citation: str, text: str = "Drain it.") -> Passage:
    return Passage(
        text=text,
        citation=citation,
        label="pool.md § Remedy (part 1/1)",
        source="wiki",
        title="Pool",
        section="Remedy",
        anchor="remedy",
        part=1,
        parts=1,
        line_start=3,
        line_end=4,
        revision="c0ffee",
        modified_at=datetime(2026, 1, 31, tzinfo=UTC),
        age_days=10,
        stale=False,
        needs_review=False,
        trust="reviewed by ada",
        matched=("identifier",),
        corpus="runbooks",
        service=None,
        score=0.5,
        ranks=Ranks(lexical=1),
        load=7,
    )


def answer(*passages: Passage, query: str = "is the pool full?") -> SearchResult:
    return SearchResult(
        status="ok",
        confident=True,
        confidence=0.9,
        query=query,
        passages=passages,
        counts=Counts(lexical=3),
        load=7,
    )


async def test_passages_are_saved_word_for_word_with_their_search(ledger: Ledger) -> None:
    text = "Drain it.\r\n\0 \ud800 \U0001f525\x1a"
    shown = "kb:pool.md#remedy@1a2b3c4"
    saved = await record(ledger, "INC-1", answer(passage(shown, text)), {shown: DIGEST})
    (row,) = await ledger.evidence("INC-1")
    assert [row] == saved
    assert (row.sequence, row.citation, row.excerpt, row.issued) == (1, shown, text, True)
    assert (row.corpus, row.source, row.path) == KEY
    assert (row.digest, row.anchor, row.part, row.load) == (DIGEST, "remedy", 1, 7)
    assert row.metadata["trust"] == "reviewed by ada"
    assert row.metadata["ranks"] == {"identifiers": None, "lexical": 1, "vector": None}
    assert row.metadata["counts"] == {"identifiers": 0, "lexical": 3, "vector": 0}
    assert row.metadata["modified_at"] == "2026-01-31T00:00:00Z"
    assert "text" not in row.metadata


async def test_the_query_is_kept_without_what_must_not_be(ledger: Ledger, ledger_url: str) -> None:
    secret = "hunter" + "2!Xk9qQ"
    query = (
        f"too many clients\x1b[2J\nfor anna.meyer@nordbank.com: password={secret} " + "x" * 5_000
    )
    await record(ledger, "INC-1", answer(passage("kb:a.md@1a2b3c4"), query=query))
    (row,) = await ledger.evidence("INC-1")
    assert row.metadata["query"].startswith("too many clients for [REDACTED:email]: password=")
    assert len(row.metadata["query"]) == 2_000
    assert row.query_digest == query_digest(query)
    await ledger.close()
    kept = everything(ledger_url)
    assert secret not in kept
    assert "anna.meyer" not in kept


async def test_sequences_count_inside_an_investigation(ledger: Ledger) -> None:
    first, second = passage("kb:a.md@1a2b3c4"), passage("kb:b.md@1a2b3c4")
    await record(ledger, "INC-1", answer(first, second))
    await record(ledger, "INC-2", answer(second))
    await record(ledger, "INC-1", answer(second))
    rows = [(row.sequence, row.citation) for row in await ledger.evidence("INC-1")]
    assert rows == [(1, first.citation), (2, second.citation), (3, second.citation)]
    assert [row.sequence for row in await ledger.evidence("INC-2")] == [1]
    assert await ledger.evidence("INC-3") == []


async def test_answers_at_once_get_sequences_of_their_own(ledger: Ledger) -> None:
    await asyncio.gather(
        *(record(ledger, "INC-1", answer(passage(f"kb:{n}.md@1a2b3c4"))) for n in range(12))
    )
    assert [row.sequence for row in await ledger.evidence("INC-1")] == list(range(1, 13))


async def test_answer_without_passages_saves_nothing(ledger: Ledger) -> None:
    assert await record(ledger, "INC-1", answer()) == []


async def test_dropped_passages_are_marked_once(ledger: Ledger) -> None:
    first, second = passage("kb:a.md@1a2b3c4"), passage("kb:b.md@1a2b3c4")
    await record(ledger, "INC-1", answer(first, second))
    await record(ledger, "INC-1", answer(first))
    await record(ledger, "INC-2", answer(first))
    dropped = [first.citation, first.citation, "kb:never.md"]
    assert await ledger.mark_not_issued("INC-1", dropped) == 1
    # The answer before it did show the passage.
    issued = {row.sequence: row.issued for row in await ledger.evidence("INC-1")}
    assert issued == {1: True, 2: True, 3: False}
    assert [row.issued for row in await ledger.evidence("INC-2")] == [True]


async def test_citation_resolves_to_what_was_issued_there_only(ledger: Ledger) -> None:
    older, newer = passage("kb:a.md#x@1a2b3c4", "old"), passage("kb:a.md#x@9999999", "new")
    await record(ledger, "INC-1", answer(older, newer))

    async def excerpt(citation: str, investigation: str = "INC-1") -> str | None:
        row = await resolve(ledger, investigation, citation)
        return None if row is None else row.excerpt

    assert await excerpt("kb:a.md#x") == "new"
    assert await excerpt("kb:a.md#x@1a2b3c4") == "old"
    assert await excerpt("kb:a.md#x@0000000") is None
    assert await excerpt("kb:a.md") is None
    assert await excerpt("kb:a.md#x", "INC-2") is None
    await ledger.mark_not_issued("INC-1", [newer.citation])
    assert await excerpt("kb:a.md#x@9999999") is None
    assert await excerpt("kb:a.md#x") == "old"
    with pytest.raises(KnowledgeError, match="not a citation"):
        await excerpt("[1]")


async def test_passage_without_a_citation_is_not_saved(ledger: Ledger) -> None:
    good = passage("kb:a.md@1a2b3c4")
    for bad in ("", "kb:a.md", "a.md@1a2b3c4"):
        with pytest.raises(KnowledgeError):
            await record(ledger, "INC-1", answer(good, passage(bad)))
    assert await ledger.evidence("INC-1") == []


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE decision SET decision = 'approved'",
        "DELETE FROM decision",
        "UPDATE audit SET actor = 'nobody'",
        "DELETE FROM audit",
        "UPDATE evidence SET excerpt = 'Never said.'",
        "UPDATE evidence SET citation = 'kb:other.md'",
        "UPDATE evidence SET issued = TRUE",
        "DELETE FROM evidence",
    ],
)
async def test_the_engine_itself_refuses_to_change_what_is_append_only(
    ledger: Ledger, ledger_url: str, statement: str
) -> None:
    await ledger.decide(KEY, DIGEST, "revoked", reviewer="ada", indexed=True)
    await ledger.record("searched", actor="agent")
    await record(ledger, "INC-1", answer(passage("kb:a.md@1a2b3c4")))
    await ledger.mark_not_issued("INC-1", ["kb:a.md@1a2b3c4"])
    with pytest.raises(sa.exc.DBAPIError, match="is append-only"):
        change(ledger_url, statement)


async def test_audit_comes_back_newest_first(ledger: Ledger) -> None:
    await ledger.record("searched", actor="agent", details={"odd": "\0\ud800"}, investigation="I")
    assert await ledger.record("capped", actor="guard", details={"dropped": 2}) == 2
    assert [(e.number, e.action) for e in await ledger.audit()] == [(2, "capped"), (1, "searched")]
    (mine,) = await ledger.audit("I")
    assert mine.details == {"odd": "\ufffd\ufffd"}
    assert [e.number for e in await ledger.audit(limit=1)] == [2]


async def test_metadata_that_is_no_json_is_refused_in_one_line(ledger: Ledger) -> None:
    issue = Issue(
        citation="kb:a.md",
        corpus="c",
        source="s",
        path="a.md",
        digest=DIGEST,
        load=1,
        excerpt="x",
        metadata={"handle": object()},
        query_digest="q",
    )
    with pytest.raises(DocumentError, match="can't be kept as JSON"):
        await ledger.save_evidence("INC-1", [issue])


async def test_quarantine_is_one_entry_a_revision(ledger: Ledger) -> None:
    reasons = [QuarantineReason(rule="aws-key", line=4, preview="AKIA\u2026")]
    for _ in range(2):
        await ledger.quarantine(KEY, revision="r1", kind="unsafe", reasons=reasons)
    (entry,) = await ledger.list_quarantine()
    assert (entry.corpus, entry.source, entry.path) == KEY
    assert (entry.revision, entry.kind, entry.digest) == ("r1", "unsafe", None)
    assert entry.reasons == tuple(reasons)
    assert entry.filed_at <= entry.last_seen_at
    # An edit that is still bad takes the place of the entry before it.
    await ledger.quarantine(KEY, revision="r2", kind="invalid", reasons=[], digest=DIGEST)
    assert [e.revision for e in await ledger.list_quarantine()] == ["r2"]
    assert [e.revision for e in await ledger.list_quarantine(resolved=True)] == ["r1", "r2"]
    assert await ledger.resolve_quarantine(KEY) == 1
    assert await ledger.resolve_quarantine(KEY) == 0
    assert await ledger.list_quarantine() == []
    # Back to the bad revision.
    await ledger.quarantine(KEY, revision="r1", kind="unsafe", reasons=reasons)
    assert [e.revision for e in await ledger.list_quarantine("wiki")] == ["r1"]
    assert await ledger.list_quarantine("git") == []


async def test_no_secret_reaches_the_ledger_through_a_finding(
    ledger: Ledger, ledger_url: str
) -> None:
    secret = "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY"
    reason = QuarantineReason(rule="generic", line=2, preview=f"secret = {secret}\nmore")
    await ledger.quarantine(KEY, revision="r1", kind="unsafe", reasons=[reason])
    (entry,) = await ledger.list_quarantine()
    assert entry.reasons[0].preview == "secret = wJal\u2026 more"
    await ledger.close()
    assert secret[:12] not in everything(ledger_url)
