"""`cite_check` through ADK's Runner, behind the guard, over a real ledger."""

from __future__ import annotations

from pathlib import Path

import pytest
from adk_support import agent_with, passage, run

from orrery_knowledge.adk import CiteCheckTool, check_agent
from orrery_knowledge.governance.evidence import record
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.models import SearchResult
from orrery_plugins import knowledge_plugins

ISSUED = passage("Delete the rotated logs, then resume the writers.")


@pytest.fixture
async def ledger(tmp_path: Path):
    async with Ledger(tmp_path / "ledger.db") as opened:
        result = SearchResult(
            status="ok", confident=True, confidence=0.9, query="disk", passages=(ISSUED,)
        )
        await record(opened, "INC-1", result)
        yield opened


async def checked(tool: CiteCheckTool, *texts: object) -> list[dict[str, object]]:
    calls = [("cite_check", {"text": text}) for text in texts]
    outcome = await run(agent_with(tool, calls=calls), knowledge_plugins())
    return outcome.responses


async def test_what_an_agent_may_show_and_what_not(ledger: Ledger) -> None:
    tool = CiteCheckTool(ledger, investigation="INC-1")
    good = f'It says "delete the rotated logs" [{ISSUED.citation}].'.replace("delete", "Delete")
    bad = f"Restart it [{ISSUED.citation}] [kb:runbooks/made-up.md#x]."
    ok, rejected = await checked(tool, good, bad)
    assert (ok["status"], ok["cited"], ok["quotes"]) == ("ok", [ISSUED.citation], 1)
    assert (rejected["status"], rejected["cited"]) == ("rejected", [ISSUED.citation])
    assert rejected["problems"] == [
        {
            "reason": "this was not issued in this investigation",
            "citation": "kb:runbooks/made-up.md#x",
            "quote": None,
        }
    ]


async def test_evidence_of_another_session_does_not_count(ledger: Ledger) -> None:
    [found] = await checked(CiteCheckTool(ledger), f"Delete logs [{ISSUED.citation}].")
    assert found["status"] == "rejected"


@pytest.mark.parametrize("text", [7, None, "", ["a"]])
async def test_wrong_arguments_are_a_status(ledger: Ledger, text: object) -> None:
    [found] = await checked(CiteCheckTool(ledger), text)
    assert found["status"] == "invalid"


async def test_a_dead_ledger_is_a_status_without_its_address(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").mkdir()
    [found] = await checked(CiteCheckTool(Ledger(tmp_path / "ledger.db")), "kb:a.md")
    assert found["status"] == "unavailable"
    assert str(tmp_path) not in str(found)


def test_the_check_finds_no_way_round_the_guard(ledger: Ledger) -> None:
    agent = agent_with(CiteCheckTool(ledger), calls=[])
    assert [bypass for bypass in check_agent(agent) if "cite_check" in str(bypass)] == []
