"""`record_outcome` through ADK's Runner, over a real ledger."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from adk_support import agent_with, run

from orrery_knowledge.adk import RecordOutcomeTool
from orrery_knowledge.governance.ledger import Ledger
from orrery_plugins import knowledge_plugins


@pytest.fixture
async def ledger(tmp_path: Path):
    async with Ledger(tmp_path / "ledger.db") as opened:
        yield opened


async def recorded(ledger: Ledger, *calls: dict[str, Any]) -> list[dict[str, Any]]:
    tool = RecordOutcomeTool(ledger, investigation="INC-1")
    agent = agent_with(tool, calls=[("record_outcome", args) for args in calls])
    return (await run(agent, knowledge_plugins())).responses


async def test_what_was_tried_is_kept_as_said_by_the_agent(ledger: Ledger) -> None:
    secret = "hunter" + "2!Xk9qQ"
    done = await recorded(
        ledger,
        {"text": f"psql password={secret}", "result": "failed", "service": "payments"},
        {"text": "error rate back to normal", "result": "observed"},
    )
    assert [(one["status"], one["result"]) for one in done] == [
        ("ok", "failed"),
        ("ok", "observed"),
    ]
    # ADK runs the calls of a turn side by side.
    kept = sorted(await ledger.outcomes("INC-1"), key=lambda one: one.result)
    assert [(one.kind, one.result, one.service, one.recorded_by, one.verified) for one in kept] == [
        ("remedy", "failed", "payments", "agent operator", False),
        ("recovery", "observed", None, "agent operator", False),
    ]
    assert secret not in kept[0].text
    # It is nobody's advice before a report of it is approved.
    assert await ledger.failed_remedies(["payments"]) == []
    assert await ledger.reviews() == []


@pytest.mark.parametrize(
    "args",
    [
        {},
        {"text": " ", "result": "failed"},
        {"text": "x", "result": "approved"},
        {"text": "x" * 1_001, "result": "failed"},
        {"text": "x", "result": "failed", "verified": True},
        {"text": "x", "result": "failed", "service": 7},
    ],
)
async def test_wrong_arguments_are_a_status(ledger: Ledger, args: dict[str, Any]) -> None:
    [found] = await recorded(ledger, args)
    assert found["status"] == "invalid"
    assert await ledger.outcomes("INC-1") == []


async def test_an_investigation_holds_so_many_and_no_more(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("orrery_knowledge.governance.outcomes.MAX_OUTCOMES", 2)
    said = [{"text": f"try {n}", "result": "failed"} for n in range(3)]
    done = await recorded(ledger, *said)
    assert sorted(one["status"] for one in done) == ["invalid", "ok", "ok"]


async def test_a_dead_ledger_is_a_status_without_its_address(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").mkdir()
    [found] = await recorded(Ledger(tmp_path / "ledger.db"), {"text": "x", "result": "failed"})
    assert found["status"] == "unavailable"
    assert str(tmp_path) not in str(found)
