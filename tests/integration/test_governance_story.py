"""Governance from the first sync to a rollback, told by the command line and a real agent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from adk_support import agent_with, run
from sync_support import SOURCE, Place

from orrery_knowledge.adk import CiteCheckTool, RecordOutcomeTool, SearchKnowledgeTool
from orrery_knowledge.governance.identities import new_token, token_digest
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.governance.reports import TO_WRITE
from orrery_knowledge.protocols import KnowledgeIndex
from orrery_knowledge.retrieval import Retrieval
from orrery_plugins import knowledge_plugins

pytest_plugins = ["engine_fixtures"]

REVIEW = {"id": SOURCE, "type": "filesystem", "path": SOURCE, "trust": "review"}
TOKENS = {name: new_token() for name in ("ada", "bot")}
IDENTITIES = [
    {"name": "ada", "role": "approver", "token_sha256": token_digest(TOKENS["ada"])},
    {"name": "triage", "agent": True, "token_sha256": token_digest(TOKENS["bot"])},
]
POOL = "---\nservice: payments\n---\n# Pool\n\nWhen PoolExhausted fires, {0}.\n"
OLD, NEW = "restart the primary", "raise max_connections to 200"


@pytest.fixture
def place(empty_place: Place) -> Place:
    empty_place.configure(REVIEW, identities=IDENTITIES)
    return empty_place


def agent_says(place: Place, investigation: str, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    """Tool results of a turn in which a model calls these tools."""

    async def work(index: KnowledgeIndex, ledger: Ledger) -> list[Any]:
        retrieval = Retrieval(index, ledger, place.embedder)
        tools = (
            SearchKnowledgeTool(retrieval, investigation=investigation),
            CiteCheckTool(ledger, investigation=investigation),
            RecordOutcomeTool(ledger, investigation=investigation),
        )
        outcome = await run(agent_with(*tools, calls=calls), knowledge_plugins())
        return outcome.responses

    return place.run(work)


def ok(place: Place, *arguments: str) -> Any:
    ran = place.cli(*arguments)
    assert ran.code == 0, ran.err
    return json.loads(ran.out) if "--json" in arguments else ran.out


def waiting(place: Place) -> str:
    [one] = ok(place, "review", "list", "--status", "pending", "--json")
    return str(one["id"])


def test_the_story(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    why = ("--reason", "tried on staging")
    search = ("search_knowledge", {"query": "PoolExhausted"})

    # A runbook is synced, read and approved.
    monkeypatch.setenv("ORRERY_KNOWLEDGE_TOKEN", TOKENS["ada"])
    place.write("pool.md", POOL.format(OLD))
    ok(place, "sync")
    assert agent_says(place, "INC-0", search)[0]["status"] == "unavailable"
    first = waiting(place)
    ok(place, "review", "approve", first, *why)

    # An incident: the agent finds it, cites it, and the remedy fails.
    [found] = agent_says(place, "INC-1", search)
    [passage] = found["passages"]
    assert OLD in passage["text"]
    assert passage["trust"] == "reviewed by ada"
    proposal = f'The runbook says "{OLD}" [{passage["citation"]}].'
    answers = agent_says(
        place,
        "INC-1",
        ("cite_check", {"text": proposal}),
        ("cite_check", {"text": f"Reboot all [{passage['citation']}] [kb:invented.md]."}),
        ("record_outcome", {"text": OLD, "result": "failed", "service": "payments"}),
        ("record_outcome", {"text": NEW, "result": "worked", "service": "payments"}),
    )
    assert [one["status"] for one in answers] == ["ok", "rejected", "ok", "ok"]
    evidence = ok(place, "evidence", "show", "INC-1", "--json")

    # The runbook is edited; the edit waits while the old text answers.
    place.write("pool.md", POOL.format(NEW))
    ok(place, "sync")
    edit = waiting(place)
    assert OLD in agent_says(place, "INC-2", search)[0]["passages"][0]["text"]

    # The agent tries to approve the edit, and its report.
    monkeypatch.setenv("ORRERY_KNOWLEDGE_TOKEN", TOKENS["bot"])
    report = tmp_path / "report.md"
    ok(place, "report", "draft", "INC-1", "--output", str(report))
    report.write_text(report.read_text().replace(TO_WRITE, "The pool ran dry after a release."))
    assert place.cli("review", "approve", edit, "--reason", "I am sure").code == 1
    assert place.cli("report", "file", "INC-1", str(report)).code == 1
    assert waiting(place) == edit

    # A person does both.
    monkeypatch.setenv("ORRERY_KNOWLEDGE_TOKEN", TOKENS["ada"])
    ok(place, "review", "approve", edit, *why)
    filed = ok(place, "report", "file", "INC-1", str(report), "--json")["id"]
    ok(place, "review", "approve", filed, *why)

    # The next incident finds the new text, the report and what failed.
    [found] = agent_says(place, "INC-3", search)
    shown = {one["corpus"]: one for one in found["passages"]}
    assert NEW in shown["runbooks"]["text"]
    assert shown["reports"]["trust"] == "reviewed by ada"
    assert [(one["remedy"], one["investigation"]) for one in found["failed_remedies"]] == [
        (OLD, "INC-1")
    ]

    # The new text turns out to be wrong: it is taken back, and the index goes back a load or two.
    ok(place, "review", "revoke", edit, *why)
    loads = ok(place, "loads", "list", "--json")
    begun = next(load["number"] for load in reversed(loads) if load["documents"] == 1)
    ok(place, "loads", "rollback", str(begun))
    [found] = agent_says(place, "INC-4", search)
    assert [one["corpus"] for one in found["passages"]] == ["runbooks"]
    assert OLD in found["passages"][0]["text"]
    assert not any(NEW in one["text"] for one in found["passages"])

    # Whatever happened to the texts, what the agent was told stands on record.
    assert ok(place, "evidence", "show", "INC-1", "--json") == evidence
    [kept] = ok(place, "evidence", "show", "INC-1", passage["citation"], "--json")
    assert kept["excerpt"] in passage["text"]  # the guard has put a fence around it
    actions = [
        (one.action, one.actor, one.details.get("verified"))
        for one in reversed(place.run(lambda _, ledger: ledger.audit()))
    ]
    assert actions == [
        ("review.approved", "ada", True),
        ("outcome.remedy", "agent operator", False),
        ("outcome.remedy", "agent operator", False),
        ("review.approved", "ada", True),
        ("report.filed", "ada", True),
        ("review.approved", "ada", True),
        ("review.revoked", "ada", True),
    ]
