"""Every path on which ADK brings a tool's result to a model: nothing planted arrives anywhere.

What no hook can cover, `check_agent` refuses; see `test_adk_check.py`.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from adk_support import (
    APP,
    HARMLESS,
    HOSTILE,
    INJECTION,
    SECRET,
    USER,
    KeptSessions,
    Outcome,
    RecordingLlm,
    dump,
    everything,
    recorded_spans,
    returning,
    run,
)
from google.adk.agents import BaseAgent, LlmAgent, LoopAgent, ParallelAgent, SequentialAgent
from google.adk.agents.live_request_queue import LiveRequestQueue
from google.adk.agents.run_config import RunConfig, ToolThreadPoolConfig
from google.adk.apps import App
from google.adk.apps.app import EventsCompactionConfig
from google.adk.apps.llm_event_summarizer import LlmEventSummarizer
from google.adk.code_executors.unsafe_local_code_executor import UnsafeLocalCodeExecutor
from google.adk.events.event import Event
from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.models.base_llm_connection import BaseLlmConnection
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.tools import AgentTool, FunctionTool, load_memory
from google.adk.tools.mcp_tool import McpToolset, StdioConnectionParams
from google.adk.tools.model_consult import ModelConsultTool
from google.adk.workflow import START, Workflow
from google.genai import types
from mcp import StdioServerParameters

from orrery_plugins import knowledge_plugins

LOOK = [("look", {})]


@pytest.fixture(autouse=True)
def watched(caplog):
    caplog.set_level(logging.DEBUG)
    return recorded_spans()


def looking(name: str = "helper", **options: Any) -> LlmAgent:
    """An agent that calls a tool with a hostile result, once."""
    tools = options.pop("tools", [returning(HOSTILE)])
    model = RecordingLlm(calls=options.pop("calls", LOOK))
    return LlmAgent(name=name, description="Looks.", model=model, tools=tools, **options)


def root(*, calls: list[tuple[str, dict[str, Any]]], **options: Any) -> LlmAgent:
    return LlmAgent(name="root", model=RecordingLlm(calls=calls), **options)


def nothing_arrived(outcome: Outcome, watched: Any, caplog: Any, *, seen: int = 1) -> None:
    """The harmless part reached as many models as said; what was planted is nowhere."""
    left = everything(outcome, watched, caplog)
    assert SECRET not in left
    assert INJECTION not in left
    assert sum(HARMLESS in request for request in outcome.requests) >= seen


async def test_in_a_pool_of_threads(watched, caplog):
    config = RunConfig(tool_thread_pool_config=ToolThreadPoolConfig(max_workers=2))
    outcome = await run(looking("root"), knowledge_plugins(), run_config=config)
    nothing_arrived(outcome, watched, caplog)


async def test_of_a_tool_that_yields_pieces(watched, caplog):
    """Outside of a live session ADK collects them."""

    async def look() -> AsyncGenerator[str, None]:
        """Look."""
        yield HOSTILE
        yield HOSTILE

    outcome = await run(looking("root", tools=[look]), knowledge_plugins())
    nothing_arrived(outcome, watched, caplog, seen=0)


async def test_after_a_transfer_to_a_sub_agent(watched, caplog):
    helper = looking()
    agent = root(calls=[("transfer_to_agent", {"agent_name": "helper"})], sub_agents=[helper])
    outcome = await run(agent, knowledge_plugins(), models=[helper.model])
    nothing_arrived(outcome, watched, caplog)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("kind", [SequentialAgent, ParallelAgent, LoopAgent])
async def test_in_the_older_workflow_agents(kind, watched, caplog):
    helper = looking()
    options = {"max_iterations": 1} if kind is LoopAgent else {}
    agent = kind(name="root", sub_agents=[helper], **options)
    outcome = await run(agent, knowledge_plugins(), models=[helper.model])
    nothing_arrived(outcome, watched, caplog)


async def test_in_agents_behind_agents_as_tools(watched, caplog):
    deep = looking("deep")
    middle = looking("middle", tools=[AgentTool(deep)], calls=[("deep", {"request": "look"})])
    agent = root(calls=[("middle", {"request": "look"})], tools=[AgentTool(middle)])
    outcome = await run(agent, knowledge_plugins(), models=[middle.model, deep.model])
    nothing_arrived(outcome, watched, caplog)


@pytest.mark.parametrize("mode", ["single_turn", "task"])
async def test_in_an_agent_that_answers_once(mode, watched, caplog):
    helper = looking(mode=mode)
    agent = root(calls=[("helper", {"request": "look"})], sub_agents=[helper])
    outcome = await run(agent, knowledge_plugins(), models=[helper.model])
    nothing_arrived(outcome, watched, caplog)


async def test_of_a_tool_as_a_node_of_a_workflow(watched, caplog):
    reader = LlmAgent(name="reader", model=RecordingLlm(calls=[]))
    flow = Workflow(name="root", edges=[(START, FunctionTool(returning(HOSTILE)), reader)])
    outcome = await run(flow, knowledge_plugins(), "{}", models=[reader.model])
    nothing_arrived(outcome, watched, caplog)


async def test_between_functions_of_a_workflow_values_stay_what_they_are(watched, caplog):
    """Only what is kept is cleaned; a program's next step gets what the last one gave it."""
    got = []

    def take(node_input: str) -> str:
        got.append(node_input)
        return "taken"

    flow = Workflow(name="root", edges=[(START, returning(HOSTILE), take)])
    outcome = await run(flow, knowledge_plugins())
    assert got == [HOSTILE]
    nothing_arrived(outcome, watched, caplog, seen=0)
    assert HARMLESS in outcome.session


async def test_of_a_workflow_as_a_tool(watched, caplog):
    flow = Workflow(name="flow", description="Looks.", edges=[(START, returning(HOSTILE))])
    outcome = await run(root(calls=[("flow", {})], tools=[flow]), knowledge_plugins())
    nothing_arrived(outcome, watched, caplog)


SERVER = """
from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, TextContent
server = MCPServer("hostile")
@server.tool()
def look() -> str:
    "Look."
    return {text!r}
@server.tool()
def fail() -> CallToolResult:
    "Fail."
    return CallToolResult(content=[TextContent(type="text", text={text!r})], is_error=True)
server.run()
"""


@pytest.mark.parametrize("tool", ["look", "fail"])
async def test_of_a_real_mcp_server(tool, watched, caplog):
    parameters = StdioServerParameters(
        command=sys.executable, args=["-c", SERVER.format(text=HOSTILE)]
    )
    toolset = McpToolset(
        connection_params=StdioConnectionParams(server_params=parameters, timeout=30)
    )
    try:
        outcome = await run(root(calls=[(tool, {})], tools=[toolset]), knowledge_plugins())
    finally:
        await toolset.close()
    nothing_arrived(outcome, watched, caplog)


class HostileMemory(BaseMemoryService):
    async def add_session_to_memory(self, session: Any) -> None:
        pass

    async def search_memory(self, **asked: Any) -> SearchMemoryResponse:
        content = types.Content(role="user", parts=[types.Part(text=HOSTILE)])
        return SearchMemoryResponse(memories=[MemoryEntry(content=content, author="somebody")])


async def test_of_memory(watched, caplog):
    agent = root(calls=[("load_memory", {"query": "disk"})], tools=[load_memory])
    outcome = await run(agent, knowledge_plugins(), memory=HostileMemory())
    nothing_arrived(outcome, watched, caplog)


class Coding(RecordingLlm):
    """Writes a program on its first turn."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        async for response in super().generate_content_async(llm_request, stream):
            if len(self.requests) == 1:
                # In pieces: the program itself is the model's own text.
                pieces = [HOSTILE[at : at + 5] for at in range(0, len(HOSTILE), 5)]
                code = f"```python\nprint(''.join({pieces!r}))\n```"
                response = LlmResponse(content=types.ModelContent(code))
            yield response


async def test_of_a_program_that_adk_runs(watched, caplog):
    agent = LlmAgent(name="root", model=Coding(calls=[]), code_executor=UnsafeLocalCodeExecutor())
    outcome = await run(agent, knowledge_plugins())
    nothing_arrived(outcome, watched, caplog)


class Foreign(BaseAgent):
    """Says something that no model and no tool of ours said."""

    async def _run_async_impl(self, ctx: Any) -> AsyncGenerator[Event, None]:
        yield Event(
            invocation_id=ctx.invocation_id,
            author=self.name,
            branch=ctx.branch,
            content=types.ModelContent(HOSTILE),
        )


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
async def test_what_another_agent_said_is_cleaned_where_it_is_quoted():
    reader = LlmAgent(name="reader", model=RecordingLlm(calls=[]))
    agent = SequentialAgent(name="root", sub_agents=[Foreign(name="foreign"), reader])
    outcome = await run(agent, knowledge_plugins(), models=[reader.model])
    [request] = outcome.requests
    assert SECRET not in request
    assert INJECTION not in request
    assert HARMLESS in request
    # ADK's own words around the quotation are what they were.
    assert "quoted between <<<BEGIN_QUOTED_AGENT_CONTENT>>>" in request
    assert request.count("<<<END_QUOTED_AGENT_CONTENT>>>") == 2


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
async def test_a_cleaned_result_that_is_quoted_is_not_cleaned_again():
    first, second = looking("first"), LlmAgent(name="second", model=RecordingLlm(calls=[]))
    agent = SequentialAgent(name="root", sub_agents=[first, second])
    outcome = await run(agent, knowledge_plugins(), models=[second.model])
    [request] = second.model.requests
    [response] = outcome.responses
    for line in response["result"].splitlines():
        assert line in request


class Connection(BaseLlmConnection):
    """A live connection that calls the tool once and then says that it is done."""

    def __init__(self, model: Live) -> None:
        self.model = model

    async def send_history(self, history: list[types.Content]) -> None:
        self.model.sent += [content.model_dump_json() for content in history]

    async def send_content(self, content: types.Content) -> None:
        self.model.sent.append(content.model_dump_json())
        self.model.answered = any(part.function_response for part in content.parts or [])

    async def send_realtime(self, blob: Any) -> None:
        pass

    async def receive(self) -> AsyncGenerator[LlmResponse, None]:
        call = types.FunctionCall(id="c1", name="look", args={})
        yield LlmResponse(
            content=types.Content(role="model", parts=[types.Part(function_call=call)])
        )
        while not self.model.answered:
            await self.model.beat()
        yield LlmResponse(content=types.ModelContent("done"), turn_complete=True)

    async def close(self) -> None:
        pass


class Live(RecordingLlm):
    sent: list[str] = []  # noqa: RUF012 - pydantic copies it
    answered: bool = False

    async def beat(self) -> None:
        import asyncio

        await asyncio.sleep(0.01)

    @asynccontextmanager
    async def connect(self, llm_request: LlmRequest) -> AsyncGenerator[Connection, None]:
        yield Connection(self)


async def test_in_a_live_session(watched, caplog):
    model = Live(calls=[])
    agent = LlmAgent(name="root", model=model, tools=[returning(HOSTILE)])
    sessions = KeptSessions()
    app = App(name=APP, root_agent=agent, plugins=knowledge_plugins())
    runner = Runner(app=app, session_service=sessions)
    session = await sessions.create_session(app_name=APP, user_id=USER)
    queue = LiveRequestQueue()
    queue.send_content(types.UserContent("look"))
    events = []
    async for event in runner.run_live(
        user_id=USER, session_id=session.id, live_request_queue=queue
    ):
        events.append(event)
        if event.turn_complete:
            queue.close()
            break
    outcome = Outcome(events=events, session=dump(sessions.kept), requests=model.sent)
    nothing_arrived(outcome, watched, caplog)


async def test_of_an_advisor_that_reads_the_conversation(watched, caplog):
    """A tool that asks another model shows it what the session holds."""
    advisor = RecordingLlm(calls=[])
    consult = ModelConsultTool(model=advisor, executor_instruction="")
    agent = looking(
        tools=[returning(HOSTILE), consult],
        calls=[*LOOK, ("model_consult", {"question": "Is it so?"})],
    )
    messages = [types.UserContent("and then?")]
    outcome = await run(agent, knowledge_plugins(), messages=messages, models=[advisor])
    assert any(HARMLESS in request for request in advisor.requests)
    nothing_arrived(outcome, watched, caplog, seen=2)


async def test_of_a_summary_of_earlier_turns(watched, caplog):
    """ADK asks a model for it past every hook; what it reads was cleaned when it was kept."""
    summing = RecordingLlm(calls=[])
    compaction = EventsCompactionConfig(
        summarizer=LlmEventSummarizer(llm=summing), compaction_interval=1, overlap_size=0
    )
    sessions = KeptSessions()
    app = App(
        name=APP,
        root_agent=looking(),
        plugins=knowledge_plugins(),
        events_compaction_config=compaction,
    )
    runner = Runner(app=app, session_service=sessions)
    session = await sessions.create_session(app_name=APP, user_id=USER)
    message = types.UserContent("what now?")
    async for _ in runner.run_async(user_id=USER, session_id=session.id, new_message=message):
        pass
    kept = await sessions.get_session(app_name=APP, user_id=USER, session_id=session.id)
    left = "\n".join([dump(kept.events), *summing.requests, caplog.text])
    assert HARMLESS in summing.requests[0]
    assert SECRET not in left
    assert INJECTION not in left


@pytest.mark.filterwarnings("ignore::UserWarning")  # ADK calls the option experimental
async def test_a_run_in_which_the_server_runs_code_is_refused(watched, caplog):
    model = Live(calls=[], model="gemini-2.5-flash")
    agent = LlmAgent(name="root", model=model, tools=[returning(HOSTILE)])
    with pytest.raises(Exception, match="support_cfc=True"):
        await run(agent, knowledge_plugins(), run_config=RunConfig(support_cfc=True))
    assert model.sent == []
    assert model.requests == []
