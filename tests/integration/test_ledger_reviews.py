from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from orrery_knowledge.errors import ConfigurationError, KnowledgeError, StaleDecision
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.models import Document

pytest_plugins = ["ledger_fixtures"]

KEY = ("runbooks", "wiki", "pool.md")
OLD, NEW = "a" * 64, "b" * 64


def page(text: str = "Drain the pool.\n", path: str = "pool.md") -> Document:
    return Document(
        corpus="runbooks",
        source="wiki",
        path=path,
        uri=f"file:///wiki/{path}",
        text=text,
        revision="r1",
        commit="c0ffee",
        modified_at=datetime(2026, 1, 31, 12, 0, tzinfo=UTC),
        metadata={"labels": ["db"]},
        warnings=("replaced 1 byte",),
    )


async def file(ledger: Ledger, digest: str, document: Document | None = None) -> bool:
    return await ledger.file_pending(
        document or page(), digest=digest, title="Pool", metadata={"service": "payments"}
    )


@pytest.fixture
async def ledger(ledger_url: str) -> AsyncIterator[Ledger]:
    async with Ledger(ledger_url) as opened:
        yield opened


async def test_pending_version_comes_back_as_the_document_that_was_filed(ledger: Ledger) -> None:
    odd = page(text="NUL \0, lone \ud800, escape \x1a0000, CRLF\r\n\u2028\U0001f525")
    assert await file(ledger, NEW, odd) is True
    found = await ledger.pending(KEY, NEW)
    assert found is not None
    assert found.document == odd
    assert (found.title, found.metadata, found.superseded) == (
        "Pool",
        {"service": "payments"},
        False,
    )
    assert await ledger.pending(KEY, OLD) is None


async def test_filing_again_is_no_news_and_an_edit_supersedes(ledger: Ledger) -> None:
    assert await file(ledger, OLD) is True
    assert await file(ledger, OLD) is False
    assert await file(ledger, NEW) is True
    assert [(r.digest, r.status) for r in await ledger.reviews()] == [
        (OLD, "superseded"),
        (NEW, "pending"),
    ]
    # Back to the older text: it is current again, and the edit no longer is.
    assert await file(ledger, OLD) is True
    assert {r.digest: r.status for r in await ledger.reviews()} == {
        OLD: "pending",
        NEW: "superseded",
    }


async def test_withdrawn_version_can_not_be_approved(ledger: Ledger) -> None:
    await file(ledger, NEW)
    assert await ledger.withdraw_pending(KEY) == 1
    assert await ledger.withdraw_pending(KEY) == 0
    with pytest.raises(StaleDecision, match="not what lies there now"):
        await ledger.decide(KEY, NEW, "approved", reviewer="ada")


async def test_decision_is_recorded_as_unverified_and_binds_one_digest(ledger: Ledger) -> None:
    assert await ledger.last_decision() == 0
    await file(ledger, NEW)
    number = await ledger.decide(KEY, NEW, "approved", reviewer=" ada\n", reason="ran\nit")
    assert number == 1
    assert await ledger.last_decision() == 1
    (made,) = await ledger.decisions_since(0)
    assert made.document == KEY
    assert (made.digest, made.decision, made.reviewer, made.reason, made.verified) == (
        NEW,
        "approved",
        "ada",
        "ran it",
        False,
    )
    assert made.decided_at.utcoffset() is not None
    assert await ledger.approvals() == {KEY: {NEW: made}}
    assert await ledger.decisions_since(1) == []


async def test_approved_older_text_stays_approved_while_its_edit_waits(ledger: Ledger) -> None:
    await file(ledger, OLD)
    await ledger.decide(KEY, OLD, "approved", reviewer="ada")
    await file(ledger, NEW)
    assert {r.digest: r.status for r in await ledger.reviews()} == {
        OLD: "approved",
        NEW: "pending",
    }
    # It can be taken back although it isn't the current version.
    await ledger.decide(KEY, OLD, "revoked", reviewer="ada")
    assert (await ledger.approvals())[KEY][OLD].decision == "revoked"


async def test_edit_needs_a_review_of_its_own(ledger: Ledger) -> None:
    await file(ledger, OLD)
    await file(ledger, NEW)
    with pytest.raises(StaleDecision, match="not what lies there now"):
        await ledger.decide(KEY, OLD, "approved", reviewer="ada")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("approved", "approved"),
        ("approved", "rejected"),
        ("rejected", "approved"),
        ("rejected", "revoked"),
        ("revoked", "approved"),
        ("revoked", "revoked"),
        ("tainted", "approved"),
        ("expired", "expired"),
    ],
)
async def test_second_decision_on_a_decided_version_is_stale(
    ledger: Ledger, first: str, second: str
) -> None:
    await file(ledger, NEW)
    await ledger.decide(KEY, NEW, first, reviewer="ada")  # type: ignore[arg-type]
    with pytest.raises(StaleDecision, match=f"already {first}"):
        await ledger.decide(KEY, NEW, second, reviewer="bob")  # type: ignore[arg-type]
    assert await ledger.last_decision() == 1


@pytest.mark.parametrize("verdict", ["revoked", "tainted", "expired"])
async def test_narrowing_follows_an_approval(ledger: Ledger, verdict: str) -> None:
    await file(ledger, NEW)
    await ledger.decide(KEY, NEW, "approved", reviewer="ada")
    assert await ledger.decide(KEY, NEW, verdict, reviewer="policy") == 2  # type: ignore[arg-type]
    assert (await ledger.approvals())[KEY][NEW].decision == verdict


async def test_approving_again_names_the_decision_that_it_replaces(ledger: Ledger) -> None:
    await file(ledger, NEW)
    await ledger.decide(KEY, NEW, "rejected", reviewer="ada")
    with pytest.raises(StaleDecision, match="meanwhile"):
        await ledger.decide(KEY, NEW, "approved", reviewer="bob", replaces=0)
    assert await ledger.decide(KEY, NEW, "approved", reviewer="bob", replaces=1) == 2
    with pytest.raises(StaleDecision, match="meanwhile"):
        await ledger.decide(KEY, NEW, "revoked", reviewer="ada", replaces=1)


async def test_unknown_version_needs_the_callers_word_that_the_index_holds_it(
    ledger: Ledger,
) -> None:
    with pytest.raises(StaleDecision):
        await ledger.decide(KEY, NEW, "revoked", reviewer="ada")
    assert await ledger.decide(KEY, NEW, "revoked", reviewer="ada", indexed=True) == 1


@pytest.mark.parametrize("reviewer", ["", "  \n", "\u200b"])
async def test_nobody_can_not_decide(ledger: Ledger, reviewer: str) -> None:
    await file(ledger, NEW)
    with pytest.raises(ConfigurationError, match="reviewer"):
        await ledger.decide(KEY, NEW, "approved", reviewer=reviewer)


async def test_verdict_must_be_known(ledger: Ledger) -> None:
    with pytest.raises(ConfigurationError, match="approved, rejected, revoked, tainted, expired"):
        await ledger.decide(KEY, NEW, "blessed", reviewer="ada")  # type: ignore[arg-type]


async def test_of_many_decisions_at_once_exactly_one_wins(ledger_url: str) -> None:
    async with Ledger(ledger_url) as one, Ledger(ledger_url) as two:
        await file(one, NEW)
        outcomes = await asyncio.gather(
            *(
                ledger.decide(KEY, NEW, verdict, reviewer=f"r{n}")  # type: ignore[arg-type]
                for n in range(4)
                for ledger, verdict in ((one, "approved"), (two, "rejected"))
            ),
            return_exceptions=True,
        )
        assert [type(o) for o in outcomes].count(int) == 1
        assert [type(o) for o in outcomes].count(StaleDecision) == 7
        assert len(await two.decisions_since(0)) == 1


async def test_approvals_of_many_documents_and_of_one_source(ledger: Ledger) -> None:
    paths = [f"{n}.md" for n in range(700)]
    for path in paths[:2] + paths[-1:]:
        await file(ledger, NEW, page(path=path))
        await ledger.decide(("runbooks", "wiki", path), NEW, "approved", reviewer="ada")
    asked = [("runbooks", "wiki", path) for path in paths[1:]]
    assert sorted(key[2] for key in await ledger.approvals(asked)) == ["1.md", "699.md"]
    assert len(await ledger.approvals(source="wiki")) == 3
    assert await ledger.approvals(source="other") == {}
    assert await ledger.approvals([]) == {}


async def test_keys_that_join_alike_are_two_documents(ledger: Ledger) -> None:
    for corpus, path in (("a", "b_c.md"), ("a_b", "c.md"), ("a", "b\nc.md"), ("a", "b\udcffc.md")):
        document = page(path=path).model_copy(update={"corpus": corpus})
        assert await file(ledger, NEW, document) is True
        await ledger.decide((corpus, "wiki", path), NEW, "approved", reviewer="ada")
    assert set(await ledger.approvals()) == {
        ("a", "wiki", "b_c.md"),
        ("a_b", "wiki", "c.md"),
        ("a", "wiki", "b\nc.md"),
        ("a", "wiki", "b\udcffc.md"),
    }


async def test_review_is_found_by_the_id_of_the_list(ledger: Ledger) -> None:
    await file(ledger, OLD, page(path="a b#c.md"))
    await file(ledger, NEW, page(path="a b#c.md"))
    ids = [review.id for review in await ledger.reviews()]
    assert ids == ["wiki:a%20b%23c.md@aaaaaaaaaaaa", "wiki:a%20b%23c.md@bbbbbbbbbbbb"]
    found = await ledger.review(ids[1])
    assert (found.document, found.digest) == (("runbooks", "wiki", "a b#c.md"), NEW)
    with pytest.raises(StaleDecision, match="no such version"):
        await ledger.review("wiki:a%20b%23c.md@cccccccccccc")
    with pytest.raises(KnowledgeError, match="not a version"):
        await ledger.review("a b#c.md")
