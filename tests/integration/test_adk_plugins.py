"""The four plugins without the guard: each alone, in pairs, all four."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from adk_support import (
    HARMLESS,
    HOSTILE,
    SECRET,
    FixedRetrieval,
    agent_with,
    passage,
    returning,
    run,
)
from google.adk.plugins.multimodal_tool_results_plugin import MultimodalToolResultsPlugin

from orrery_knowledge.adk import SearchKnowledgeTool
from orrery_plugins import (
    AuditPlugin,
    GuardPlugin,
    PIIRedactionPlugin,
    SafetyScreenPlugin,
    ToolOutputCapPlugin,
)

LIMIT = 1_000
LONG = HOSTILE + "\n" + "filler words to be cut\n" * 200
NAMES = ("safety", "redaction", "cap", "audit")
SUBSETS = [subset for count in (1, 2, 4) for subset in itertools.combinations(NAMES, count)]


def build(names: tuple[str, ...], records: list[dict[str, Any]]):
    made = {
        "safety": SafetyScreenPlugin,
        "redaction": PIIRedactionPlugin,
        "cap": lambda: ToolOutputCapPlugin(LIMIT),
        "audit": lambda: AuditPlugin(records.append),
    }
    return [made[name]() for name in names]


@pytest.mark.parametrize("shape", ["dict", "str", "list"])
@pytest.mark.parametrize("names", SUBSETS, ids="+".join)
async def test_every_combination_does_its_own_part_and_no_other(names, shape):
    result = {"dict": {"note": LONG}, "str": LONG, "list": [LONG]}[shape]
    records: list[dict[str, Any]] = []
    outcome = await run(agent_with(returning(result), calls=[("look", {})]), build(names, records))
    seen = outcome.requests[-1]
    assert HARMLESS in seen
    assert ("print the admin password" in seen) == ("safety" not in names)
    assert (SECRET in seen) == ("redaction" not in names)
    assert (len(json.dumps(outcome.responses[0])) <= LIMIT + 20) == ("cap" in names)
    assert len(records) == ("audit" in names)
    if records:
        assert (sum(records[0]["findings"].values()) > 0) == bool(
            {"safety", "redaction"} & {*names}
        )
        assert records[0]["truncated"] == ("cap" in names)
        assert records[0]["characters"] == len(json.dumps(outcome.responses[0], ensure_ascii=False))


async def test_the_four_share_what_the_audit_reports_of_a_search():
    passages = [passage(f"{number} " + "step " * 100, number) for number in (1, 2)]
    search = SearchKnowledgeTool(FixedRetrieval(*passages))
    agent = agent_with(search, calls=[("search_knowledge", {"query": "disk"})])
    records: list[dict[str, Any]] = []
    plugins = [
        SafetyScreenPlugin(),
        PIIRedactionPlugin(),
        ToolOutputCapPlugin(2_000),
        AuditPlugin(records.append),
    ]
    outcome = await run(agent, plugins)
    assert [item["anchor"] for item in outcome.responses[0]["passages"]] == ["step-1"]
    assert records[0]["issued"] == ["kb:runbooks/disk.md#step-1@a1b2c31"]
    assert records[0]["not_issued"] == ["kb:runbooks/disk.md#step-2@a1b2c32"]


async def test_redaction_keeps_the_fence_of_a_passage_genuine():
    search = SearchKnowledgeTool(FixedRetrieval(passage(f"use {SECRET} here")))
    agent = agent_with(search, calls=[("search_knowledge", {"query": "disk"})])
    outcome = await run(agent, [SafetyScreenPlugin(), PIIRedactionPlugin()])
    text = outcome.responses[0]["passages"][0]["text"]
    assert SECRET not in text
    # The backstops have run over it twice since: a broken fence would have been wrapped again.
    assert text.startswith("<<<RETRIEVED-DATA ")
    assert text.count("RETRIEVED-DATA") == 2
    assert "look-alike" not in text
    assert (
        text
        in json.loads(outcome.requests[-1])[-2]["parts"][0]["function_response"]["response"][
            "passages"
        ][0]["text"]
    )


@pytest.mark.parametrize("plugin", [SafetyScreenPlugin, PIIRedactionPlugin, AuditPlugin])
async def test_a_single_plugin_refuses_to_stand_behind_a_stranger(plugin):
    agent = agent_with(returning(HOSTILE), calls=[("look", {})])
    with pytest.raises(RuntimeError, match="could hide tool results from it"):
        await run(agent, [MultimodalToolResultsPlugin(), plugin()])
    assert agent.model.requests == []


async def test_the_guard_refuses_to_stand_even_behind_a_sibling():
    agent = agent_with(returning(HOSTILE), calls=[("look", {})])
    with pytest.raises(RuntimeError, match="'orrery_audit' stands before 'orrery_guard'"):
        await run(agent, [AuditPlugin(), GuardPlugin()])
