"""From a file on disk to the model: real index, real ledger, real tool, real guard."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from adk_support import agent_with, finished, index_runbook, recorded_spans, run
from google.adk.agents import LlmAgent

from orrery_knowledge.adk import ScriptedLlm, search_knowledge_tool
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.settings import load_settings
from orrery_plugins import knowledge_plugins

CALL = ("search_knowledge", {"query": "PaymentsDiskFull fires, what now?"})


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ORRERY_KNOWLEDGE_BACKEND", raising=False)
    return tmp_path


async def test_a_passage_reaches_the_model_fenced_traced_audited_and_as_evidence(folder):
    index_runbook(folder)
    spans = recorded_spans()
    records: list[dict[str, Any]] = []
    tool = search_knowledge_tool()
    outcome = await run(agent_with(tool, calls=[CALL]), knowledge_plugins(sink=records.append))
    [response] = outcome.responses
    [passage] = response["passages"]
    assert response["status"] == "ok"
    assert passage["label"] == "disk.md § Free the disk"
    assert passage["text"].startswith("<<<RETRIEVED-DATA ")
    assert "delete rotated logs on the payments host" in outcome.requests[-1]

    finished = spans.get_finished_spans()
    [execute] = [span for span in finished if span.name == "execute_tool search_knowledge"]
    [retrieval] = [span for span in finished if span.name == "retrieval"]
    assert retrieval.parent.span_id == execute.context.span_id
    assert retrieval.attributes["orrery.retrieval.result_count"] == 1
    assert "rotated" not in "".join(span.to_json() for span in finished)
    assert "PaymentsDiskFull" not in retrieval.to_json()

    [record] = records
    assert record["issued"] == [passage["citation"]]
    ledger = Ledger(load_settings().ledger_location)
    await ledger.open()
    try:
        [evidence] = await ledger.evidence(record["session_id"])
    finally:
        await ledger.close()
    assert evidence.citation == passage["citation"]


async def test_an_index_that_was_never_filled_is_unavailable_and_not_empty(folder):
    (folder / "orrery.yaml").write_text("embedder: {type: none}\n")
    outcome = await run(agent_with(search_knowledge_tool(), calls=[CALL]), knowledge_plugins())
    assert outcome.responses[0]["status"] == "unavailable"
    assert "orrery-knowledge sync" in outcome.responses[0]["reason"]


async def test_an_index_that_may_show_nothing_is_unavailable_too(folder):
    index_runbook(folder)
    settings = folder / "orrery.yaml"
    settings.write_text(settings.read_text().replace("reviewed", "review"))
    start = "import sys; from orrery_knowledge.cli.main import main; sys.exit(main())"
    assert finished([sys.executable, "-c", start, "sync"], folder).returncode == 0
    scripted = LlmAgent(name="scripted", model=ScriptedLlm(), tools=[search_knowledge_tool()])
    outcome = await run(scripted, knowledge_plugins(), "PaymentsDiskFull fires, what now?")
    [response] = outcome.responses
    assert (response["status"], response["passages"]) == ("unavailable", [])
    assert response["reason"] == "no document may be shown yet: 1 waits for a review"
    assert (
        outcome.events[-1].content.parts[0].text.startswith("The knowledge search is unavailable")
    )


async def test_what_the_cap_drops_is_marked_in_the_evidence(folder):
    index_runbook(folder)
    for number in range(1, 4):
        text = (
            f"# Payments disk full {number}\n\n## Free the disk\n\n"
            + "PaymentsDiskFull step. " * 40
        )
        (folder / "wiki" / f"more-{number}.md").write_text(text)
    start = "import sys; from orrery_knowledge.cli.main import main; sys.exit(main())"
    assert finished([sys.executable, "-c", start, "sync"], folder).returncode == 0
    records: list[dict[str, Any]] = []
    settings = load_settings()
    outcome = await run(
        agent_with(search_knowledge_tool(settings), calls=[CALL]),
        knowledge_plugins(settings, limit=4_000, sink=records.append),
    )
    shown = [passage["citation"] for passage in outcome.responses[0]["passages"]]
    [record] = records
    assert len(shown) >= 1
    assert len(record["not_issued"]) >= 1
    ledger = Ledger(settings.ledger_location)
    await ledger.open()
    try:
        saved = await ledger.evidence(record["session_id"])
    finally:
        await ledger.close()
    assert [row.citation for row in saved if row.issued] == shown == record["issued"]
    assert {row.citation for row in saved if not row.issued} == set(record["not_issued"])
