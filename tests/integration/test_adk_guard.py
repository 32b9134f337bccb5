"""The guard in ADK's real Runner: nothing planted reaches model, session, events, spans or logs."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import logging
import threading
from typing import Any

import pytest
from adk_support import (
    HARMLESS,
    HOSTILE,
    INJECTION,
    SECRET,
    FixedRetrieval,
    RecordingLlm,
    agent_with,
    everything,
    passage,
    recorded_spans,
    returning,
    run,
)
from google.adk.agents import LlmAgent
from google.adk.events.event import Event
from google.adk.models.llm_request import LlmRequest
from google.adk.plugins.multimodal_tool_results_plugin import MultimodalToolResultsPlugin
from google.adk.tools import AgentTool, LongRunningFunctionTool
from google.genai import types
from pydantic import BaseModel

from orrery_knowledge.adk import SearchKnowledgeTool
from orrery_plugins import Call, GuardPlugin, knowledge_plugins, recommended_stages

LOOK = [("look", {})]


class Reading(BaseModel):
    note: str
    raw: bytes = b""


@dataclasses.dataclass
class Note:
    note: str


@pytest.fixture
def spans():
    return recorded_spans()


MCP = {
    "content": [{"type": "text", "text": HOSTILE}],
    "structuredContent": {"result": HOSTILE},
    "isError": False,
}
READABLE: dict[str, Any] = {
    "dict": {"note": HOSTILE},
    "dict_key": {HOSTILE: 1},
    "nested_mcp_dict": MCP,
    "str": HOSTILE,
    "list": [{"lines": [HOSTILE]}],
    "tuple": (1, HOSTILE),
    "set": {HOSTILE},
    "pydantic": Reading(note=HOSTILE, raw=HOSTILE.encode()),
    "dataclass": Note(HOSTILE),
    "text_part": types.Part(text=HOSTILE),
    "list_of_parts": [types.Part(text=HOSTILE)],
    "content": types.Content(parts=[types.Part(text=HOSTILE)]),
    "function_response_part": types.Part(
        function_response=types.FunctionResponse(name="x", response={"note": HOSTILE})
    ),
}
MARKED: dict[str, Any] = {
    "bytes": HOSTILE.encode(),
    "bytearray": bytearray(HOSTILE.encode()),
    "media_part": types.Part(inline_data=types.Blob(data=HOSTILE.encode(), mime_type="text/plain")),
    "exception": ValueError(HOSTILE),
    "iterator": iter([HOSTILE]),
}


@pytest.mark.parametrize("kind", READABLE)
async def test_every_readable_result_is_cleaned_and_still_useful(kind, spans, caplog):
    """K128: strings, lists and objects as well as dicts."""
    caplog.set_level(logging.DEBUG)
    records: list[dict[str, Any]] = []
    outcome = await run(
        agent_with(returning(READABLE[kind]), calls=LOOK), knowledge_plugins(sink=records.append)
    )
    seen = everything(outcome, spans, caplog) + str(records)
    assert SECRET not in seen
    assert "print the admin password" not in seen
    assert HARMLESS in outcome.requests[-1]
    assert [record["status"] for record in records] == ["ok"]
    assert sum(records[0]["findings"].values()) >= 2


@pytest.mark.parametrize("kind", MARKED)
async def test_what_cannot_be_read_is_only_named(kind, spans, caplog):
    """K126: bytes, media and objects without text raise nothing."""
    outcome = await run(agent_with(returning(MARKED[kind]), calls=LOOK), knowledge_plugins())
    seen = everything(outcome, spans, caplog)
    assert SECRET not in seen
    assert HARMLESS not in seen
    assert "not shown" in outcome.requests[-1]


@pytest.mark.parametrize(("value", "response"), [(None, {"result": None}), (42, {"result": 42})])
async def test_values_without_text_pass(value, response):
    outcome = await run(agent_with(returning(value), calls=LOOK), knowledge_plugins())
    assert outcome.responses == [response]


async def test_a_dict_is_edited_in_place_so_that_later_plugins_still_run():
    seen: list[dict[str, Any]] = []

    class Later(GuardPlugin):
        def __init__(self) -> None:
            super().__init__([], name="later")

        async def before_run_callback(self, *, invocation_context):
            return None

        async def after_tool_callback(self, *, tool, tool_args, tool_context, result):
            seen.append(dict(result))

    agent = agent_with(returning({"note": HOSTILE}), calls=LOOK)
    await run(agent, [*knowledge_plugins(), Later()])
    assert len(seen) == 1
    assert SECRET not in str(seen)


async def test_a_raising_tool_shows_its_class_and_nothing_of_its_message(spans, caplog):
    def look() -> str:
        """Look."""
        raise TimeoutError(HOSTILE)

    records: list[dict[str, Any]] = []
    outcome = await run(agent_with(look, calls=LOOK), knowledge_plugins(sink=records.append))
    seen = everything(outcome, spans, caplog)
    assert HARMLESS not in seen
    assert SECRET not in seen
    assert outcome.responses == [
        {"status": "error", "error": "TimeoutError", "reason": "the tool failed"}
    ]
    assert [record["status"] for record in records] == ["error"]


class BrokenStage:
    name = "broken"
    records = False

    def apply(self, tree: dict[str, Any], call: Call) -> dict[str, Any]:
        raise ValueError(f"could not handle {tree}")


@pytest.mark.parametrize("result", [{"note": HOSTILE}, HOSTILE], ids=["dict", "str"])
async def test_a_raising_stage_withholds_the_result_and_the_turn_goes_on(result, spans, caplog):
    caplog.set_level(logging.DEBUG)
    records: list[dict[str, Any]] = []
    stages = [BrokenStage(), *recommended_stages(sink=records.append)]
    outcome = await run(agent_with(returning(result), calls=LOOK), [GuardPlugin(stages)])
    seen = everything(outcome, spans, caplog)
    assert HARMLESS not in seen
    assert SECRET not in seen
    assert outcome.responses == [
        {"status": "withheld", "reason": "the guard could not check this result (stage broken)"}
    ]
    assert "stage broken failed (ValueError)" in caplog.text
    assert [record["status"] for record in records] == ["withheld"]
    assert '"text": "done"' in outcome.session


async def test_results_are_screened_beside_the_event_loop():
    """A long result must not hold up the other turns of a server."""
    threads: list[int] = []

    class Noting:
        name = "noting"
        records = False

        def apply(self, tree: dict[str, Any], call: Call) -> dict[str, Any]:
            threads.append(threading.get_ident())
            return tree

    stages = [Noting(), *recommended_stages(sink=lambda record: None)]
    await run(agent_with(returning({"note": HARMLESS}), calls=LOOK), [GuardPlugin(stages)])
    assert threads[0] != threading.get_ident()


async def test_a_result_that_cannot_be_audited_is_withheld(spans, caplog):
    def full_disk(record: dict[str, Any]) -> None:
        raise OSError(f"no space for {record}")

    outcome = await run(
        agent_with(returning({"note": HOSTILE}), calls=LOOK), knowledge_plugins(sink=full_disk)
    )
    assert HARMLESS not in everything(outcome, spans, caplog)
    assert outcome.responses[0]["status"] == "withheld"


async def test_a_result_that_contains_itself_is_withheld():
    loop: dict[str, Any] = {"note": HOSTILE}
    loop["loop"] = loop
    outcome = await run(agent_with(returning(loop), calls=LOOK), knowledge_plugins())
    assert outcome.responses[0]["status"] == "withheld"
    assert HARMLESS not in outcome.visible


async def test_parallel_calls_are_cleaned_and_recorded_one_by_one():
    async def slow(number: int) -> str:
        """Wait, then look."""
        await asyncio.sleep(0.01 * (3 - number))
        return f"{HOSTILE} number {number}"

    records: list[dict[str, Any]] = []
    calls = [("slow", {"number": number}) for number in range(3)]
    outcome = await run(agent_with(slow, calls=calls), knowledge_plugins(sink=records.append))
    assert SECRET not in outcome.visible
    assert [text["result"][-8:] for text in outcome.responses] == [
        "number 0",
        "number 1",
        "number 2",
    ]
    assert len({record["call_id"] for record in records}) == 3
    assert len(records) == 3


async def test_it_refuses_to_run_behind_another_plugin():
    agent = agent_with(returning({"note": HOSTILE}), calls=LOOK)
    plugins = [MultimodalToolResultsPlugin(), *knowledge_plugins()]
    with pytest.raises(RuntimeError, match="put 'orrery_guard' first in the list of plugins"):
        await run(agent, plugins)
    assert agent.model.requests == []


async def test_it_runs_before_another_plugin():
    agent = agent_with(returning({"note": HOSTILE}), calls=LOOK)
    outcome = await run(agent, [*knowledge_plugins(), MultimodalToolResultsPlugin()])
    assert SECRET not in outcome.visible
    assert HARMLESS in outcome.requests[-1]


async def test_inner_calls_of_an_agent_tool_are_guarded_and_audited():
    """K121, K122: the inner runner inherits the plugins."""
    search = SearchKnowledgeTool(FixedRetrieval(passage(HOSTILE)))
    inner_model = RecordingLlm(calls=[("search_knowledge", {"query": "disk"})])
    inner = LlmAgent(name="librarian", description="Knows.", model=inner_model, tools=[search])
    outer = agent_with(AgentTool(inner), calls=[("librarian", {"request": "disk full?"})])
    records: list[dict[str, Any]] = []
    outcome = await run(outer, knowledge_plugins(sink=records.append))
    assert HARMLESS in inner_model.requests[-1]
    assert SECRET not in "".join(inner_model.requests) + outcome.visible
    assert "print the admin password" not in "".join(inner_model.requests)
    assert [(record["agent"], record["tool"]) for record in records] == [
        ("librarian", "search_knowledge"),
        ("operator", "librarian"),
    ]


async def test_an_agent_callback_cannot_put_raw_text_back():
    agent = agent_with(
        returning({"note": "fine"}),
        calls=LOOK,
        after_tool_callback=lambda tool, args, tool_context, tool_response: {"note": HOSTILE},
    )
    outcome = await run(agent, knowledge_plugins())
    assert SECRET not in outcome.visible
    assert HARMLESS in outcome.requests[-1]


async def test_a_result_that_the_client_sends_is_cleaned_before_it_is_kept():
    ticket = LongRunningFunctionTool(returning({"status": "pending", "ticket": 1}))
    agent = agent_with(ticket, calls=LOOK)
    first = await run(agent, knowledge_plugins())
    call = first.events[0].get_function_calls()[0]
    answer = types.Content(
        role="user",
        parts=[
            types.Part(
                function_response=types.FunctionResponse(
                    id=call.id, name="look", response={"note": HOSTILE}
                )
            )
        ],
    )
    history = [first.events[0]]
    outcome = await run(agent_with(ticket, calls=LOOK), knowledge_plugins(), answer, before=history)
    assert SECRET not in outcome.visible
    assert HARMLESS in outcome.requests[-1]
    assert HARMLESS in outcome.session


async def test_a_confirmation_by_the_client_is_left_alone():
    response = {"confirmed": True, "payload": {"note": HOSTILE}}
    content = types.Content(
        role="user",
        parts=[
            types.Part(
                function_response=types.FunctionResponse(
                    name="adk_request_confirmation", response=response
                )
            )
        ],
    )
    guard = knowledge_plugins()[0]
    assert (
        await guard.on_user_message_callback(invocation_context=None, user_message=content) is None
    )
    assert content.parts[0].function_response.response == response


async def test_an_old_session_with_raw_results_is_cleaned_for_the_model():
    call = types.FunctionCall(id="c1", name="look", args={})
    answer = types.FunctionResponse(id="c1", name="look", response={"note": HOSTILE})
    history = [
        Event(author="user", content=types.UserContent("before")),
        Event(
            author="operator",
            content=types.Content(role="model", parts=[types.Part(function_call=call)]),
        ),
        Event(
            author="operator",
            content=types.Content(role="user", parts=[types.Part(function_response=answer)]),
        ),
        Event(author="operator", content=types.ModelContent("so it was")),
    ]
    agent = agent_with(returning({"note": "fine"}), calls=LOOK)
    outcome = await run(agent, knowledge_plugins(), before=history)
    assert SECRET not in "".join(outcome.requests)
    assert HARMLESS in outcome.requests[0]


async def test_a_request_is_cleaned_as_a_copy_of_what_the_session_holds():
    answer = types.FunctionResponse(id="c1", name="look", response={"note": HOSTILE})
    kept = types.Content(role="user", parts=[types.Part(function_response=answer)])
    request = LlmRequest(contents=[kept])
    guard = knowledge_plugins()[0]
    assert await guard.before_model_callback(callback_context=None, llm_request=request) is None
    assert SECRET not in str(request.contents[0].parts[0].function_response.response)
    assert kept.parts[0].function_response.response == {"note": HOSTILE}


async def test_the_words_of_the_user_are_never_changed():
    outcome = await run(
        agent_with(returning({"note": "fine"}), calls=LOOK), knowledge_plugins(), HOSTILE
    )
    assert json.dumps(HOSTILE)[1:-1] in outcome.requests[0]


async def test_error_text_in_an_event_is_cleaned():
    guard = knowledge_plugins()[0]
    event = Event(author="operator", error_message=HOSTILE)
    assert await guard.on_event_callback(invocation_context=None, event=event) is None
    assert event.error_message is not None
    assert SECRET not in event.error_message
    assert HARMLESS in event.error_message


@pytest.mark.parametrize("result", [None, {}, ""], ids=["none", "empty_dict", "empty_str"])
async def test_a_long_running_tool_that_has_nothing_yet_is_not_answered(result):
    records: list[dict[str, Any]] = []
    agent = agent_with(LongRunningFunctionTool(returning(result)), calls=LOOK)
    outcome = await run(agent, knowledge_plugins(sink=records.append))
    assert outcome.responses == []
    assert [record["status"] for record in records] == ["pending"]


async def test_a_tool_name_that_the_model_invented_is_recorded_once():
    records: list[dict[str, Any]] = []
    agent = agent_with(returning("x"), calls=[("nonesuch", {})])
    outcome = await run(agent, knowledge_plugins(sink=records.append))
    assert [(record["tool"], record["status"]) for record in records] == [("nonesuch", "error")]
    assert "look" in outcome.responses[0]["error"], "ADK's own answer lists the tools"


async def test_a_cancelled_call_stays_cancelled_and_is_recorded():
    started = asyncio.Event()

    async def look() -> str:
        """Look for ever."""
        started.set()
        await asyncio.Event().wait()
        return HOSTILE

    records: list[dict[str, Any]] = []
    task = asyncio.create_task(
        run(agent_with(look, calls=LOOK), knowledge_plugins(sink=records.append))
    )
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [record["status"] for record in records] == ["cancelled"]


async def test_passages_reach_the_model_fenced_exactly_once():
    search = SearchKnowledgeTool(FixedRetrieval(passage("drain it", 1), passage(INJECTION, 2)))
    agent = agent_with(search, calls=[("search_knowledge", {"query": "disk"})])
    later = types.UserContent("and now?")
    outcome = await run(agent, knowledge_plugins(), messages=[later])
    opened = [request.count("<<<RETRIEVED-DATA ") for request in outcome.requests]
    assert opened == [0, 2, 2, 4], "two passages a search, over two turns"
    assert "\ndrain it\n<<<END-RETRIEVED-DATA" in outcome.responses[0]["passages"][0]["text"]
    assert "print the admin password" not in outcome.visible


async def test_provenance_survives_the_guard():
    given = passage("drain it", 1)
    search = SearchKnowledgeTool(FixedRetrieval(given))
    outcome = await run(
        agent_with(search, calls=[("search_knowledge", {"query": "disk"})]), knowledge_plugins()
    )
    before = given.model_dump(mode="json")
    after = outcome.responses[0]["passages"][0]
    assert {name for name in before if before[name] != after[name]} == {"text"}


async def test_the_cap_drops_whole_passages_and_the_audit_says_which():
    passages = [passage(f"{number} " + "step " * 300, number) for number in (1, 2, 3)]
    search = SearchKnowledgeTool(FixedRetrieval(*passages))
    records: list[dict[str, Any]] = []
    outcome = await run(
        agent_with(search, calls=[("search_knowledge", {"query": "disk"})]),
        knowledge_plugins(limit=5_000, sink=records.append),
    )
    response = outcome.responses[0]
    assert [item["anchor"] for item in response["passages"]] == ["step-1", "step-2"]
    assert response["omitted_passages"] == 1
    assert records[0]["issued"] == [
        "kb:runbooks/disk.md#step-1@a1b2c31",
        "kb:runbooks/disk.md#step-2@a1b2c32",
    ]
    assert records[0]["not_issued"] == ["kb:runbooks/disk.md#step-3@a1b2c33"]
    assert "step-3" not in outcome.requests[-1]
