from __future__ import annotations

from datetime import UTC, datetime
from itertools import product
from typing import Any

import pytest

from orrery_knowledge.governance.eligibility import Eligibility, eligibility
from orrery_knowledge.governance.records import Decision


def decided(verdict: str) -> Decision:
    fields: dict[str, Any] = {"decision": verdict}
    return Decision(
        number=1,
        corpus="c",
        source="s",
        path="p",
        digest="a" * 64,
        reviewer="ada",
        reason="",
        decided_at=datetime(2026, 1, 31, tzinfo=UTC),
        **fields,
    )


ELIGIBLE = {
    ("stable", False, "reviewed", None),
    ("stable", False, "reviewed", "approved"),
    ("stable", False, "review", "approved"),
}


@pytest.mark.parametrize(
    "case",
    list(
        product(
            ("stable", "draft", "deprecated", "unheard-of", ""),
            (False, True),
            ("reviewed", "review", "unheard-of"),
            (None, "approved", "rejected", "revoked", "tainted", "expired"),
        )
    ),
)
def test_only_these_combinations_are_eligible(case: tuple[str, bool, Any, str | None]) -> None:
    status, tainted, trust, verdict = case
    found = eligibility(
        status=status,
        tainted=tainted,
        trust=trust,
        decision=None if verdict is None else decided(verdict),
    )
    # An approval counts whatever the source's trust is called.
    assert found.eligible is (
        case in ELIGIBLE or case == ("stable", False, "unheard-of", "approved")
    )
    assert found.reason
    assert found.trust_words


@pytest.mark.parametrize(
    ("trust", "verdict", "words", "reason"),
    [
        ("reviewed", None, "from a reviewed source", "its source is reviewed"),
        ("review", None, "not reviewed", "it waits for a review"),
        ("review", "approved", "reviewed by ada", "approved by ada"),
        ("reviewed", "revoked", "revoked by ada", "revoked by ada"),
    ],
)
def test_words_for_people(trust: Any, verdict: str | None, words: str, reason: str) -> None:
    decision = None if verdict is None else decided(verdict)
    found = eligibility(status="stable", tainted=False, trust=trust, decision=decision)
    assert found == Eligibility(eligible=found.eligible, reason=reason, trust_words=words)


def test_status_and_taint_are_named() -> None:
    approved = decided("approved")
    draft = eligibility(status="draft", tainted=False, trust="reviewed", decision=approved)
    tainted = eligibility(status="stable", tainted=True, trust="reviewed", decision=approved)
    assert (draft.reason, tainted.reason) == ("its status is draft", "it is tainted")
