"""Assembles the request that an agent would send, with canaries planted, and sends it to nobody."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import Any

from google.adk.agents.invocation_context import InvocationContext
from google.adk.agents.llm_agent import LlmAgent
from google.adk.agents.readonly_context import ReadonlyContext
from google.adk.agents.run_config import RunConfig
from google.adk.events.event import Event
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.sessions import InMemorySessionService
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.tool_context import ToolContext
from google.genai import types
from typing_extensions import override

from orrery_knowledge.adk.checks.seeds import (
    ARTIFACT,
    ARTIFACT_NAME,
    MEMORY,
    STATE,
    SeededArtifacts,
    SeededMemory,
    SeededState,
)

# Tools that search on the server show themselves only to a model of this family.
GEMINI = "gemini-2.5-flash"
QUESTION = "What is on fire?"
SEEDS = {"memory": MEMORY, "artifact": ARTIFACT, "state": STATE}
# The fields of a request's configuration in which a server could look something up by itself.
_TOOLS = "function_declarations"


@dataclass
class Seen:
    """What a request holds beyond what the agent's author and the user wrote.

    Attributes:
        server_tools: fields of `types.Tool` that a server executes.
        options: request options through which a server adds text or tools.
        seeds: the planted places whose canary the request holds.
        text: whether text was added at all.
        model: the id of another model that was put into the request.
        failed: class of the exception that ended the assembly.
    """

    server_tools: set[str] = field(default_factory=set)
    options: set[str] = field(default_factory=set)
    seeds: set[str] = field(default_factory=set)
    text: bool = False
    model: str | None = None
    failed: str | None = None


class SilentLlm(BaseLlm):
    """Has the id of a model and never answers."""

    @override
    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """End the turn."""
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text="")]))


async def context_for(agent: LlmAgent, app_name: str) -> InvocationContext:
    """A turn of its own, with canaries in memory, artifacts and state."""
    sessions = InMemorySessionService()
    session = await sessions.create_session(app_name=app_name, user_id="check")
    user = types.Content(role="user", parts=[types.Part(text=QUESTION)])
    await sessions.append_event(session, Event(author="user", content=user))
    session.state = SeededState(session.state)
    return InvocationContext(
        invocation_id="check",
        agent=agent,
        session=session,
        session_service=sessions,
        artifact_service=SeededArtifacts(),
        memory_service=SeededMemory(),
        user_content=user,
        run_config=RunConfig(),
    )


def as_model(agent: LlmAgent, model: str) -> LlmAgent:
    """A copy of the agent that would ask a model of that id."""
    return agent.model_copy(update={"model": SilentLlm(model=model)})


async def assemble(agent: LlmAgent, context: InvocationContext) -> tuple[LlmRequest, Seen]:
    """Run ADK's own assembly of the request, up to where the model would be asked."""
    request = LlmRequest()
    try:
        async for _ in agent._llm_flow._preprocess_async(context, request):
            pass
    except Exception as error:
        return request, Seen(failed=type(error).__name__)
    return request, look_at(request)


async def tools_of(
    agent: LlmAgent, context: InvocationContext
) -> tuple[list[BaseTool | BaseToolset], dict[str, str]]:
    """The toolsets, and all tools as ADK resolves them, its own replacements made.

    Returns:
        the tools, and the class of the exception by what would not resolve. ADK itself leaves out
        a toolset that fails, so each is asked here first.
    """
    reading = ReadonlyContext(context)
    toolsets = [tool for tool in agent.tools if isinstance(tool, BaseToolset)]
    failed: dict[str, str] = {}
    for toolset in toolsets:
        try:
            await toolset.get_tools_with_prefix(reading)
        except Exception as error:
            failed[f"toolset {type(toolset).__name__}"] = type(error).__name__
    try:
        return [*toolsets, *await agent.canonical_tools(reading)], failed
    except Exception as error:
        return [*toolsets], {**failed, "tools": type(error).__name__}


async def ask_tool(tool: BaseTool | BaseToolset, context: InvocationContext) -> Seen:
    """What one tool, or the toolset as such, adds to a request of its own."""
    name = str(getattr(tool, "name", type(tool).__name__))
    seen = Seen()
    # Twice: some tools do nothing before the second turn.
    for turns in (1, 2):
        before = LlmRequest(model=GEMINI, contents=_turn_after(name) * turns)
        request = before.model_copy(deep=True)
        try:
            await tool.process_llm_request(tool_context=ToolContext(context), llm_request=request)
        except Exception as error:
            seen.failed = type(error).__name__
            break
        found = look_at(request)
        seen.server_tools |= found.server_tools
        seen.options |= found.options
        seen.seeds |= found.seeds
        seen.text = seen.text or text_of(request) != text_of(before)
        seen.model = request.model if request.model != before.model else seen.model
    return seen


def look_at(request: LlmRequest) -> Seen:
    """What a finished request holds that the guard has not seen."""
    seen = Seen()
    for tool in [*(request.config.tools or []), *(request.live_connect_config.tools or [])]:
        if isinstance(tool, types.Tool):
            seen.server_tools |= set(tool.model_dump(exclude_none=True)) - {_TOOLS}
            for declaration in tool.function_declarations or []:
                if declaration.name not in request.tools_dict:
                    seen.server_tools.add(f"{_TOOLS} without a tool: {declaration.name}")
        else:
            seen.server_tools.add(type(tool).__name__)
    if request.config.cached_content:
        seen.options.add("cached_content")
    if request.config.http_options and request.config.http_options.extra_body:
        seen.options.add("http_options.extra_body")
    text = text_of(request)
    seen.seeds = {place for place, canary in SEEDS.items() if canary in text}
    return seen


def _turn_after(name: str) -> list[types.Content]:
    """A turn in which the tool has just answered, naming what it may load into the request."""
    answer = {
        "artifact_names": [ARTIFACT_NAME],
        "resource_names": [ARTIFACT_NAME],
        "status": "ok",
    }
    return [
        types.Content(role="user", parts=[types.Part(text=QUESTION)]),
        types.Content(
            role="model",
            parts=[types.Part(function_call=types.FunctionCall(name=name, args={}))],
        ),
        types.Content(
            role="user",
            parts=[
                types.Part(function_response=types.FunctionResponse(name=name, response=answer))
            ],
        ),
    ]


def text_of(request: LlmRequest) -> str:
    """Instructions and contents of a request."""
    parts: Sequence[Any] = [
        request.config.system_instruction,
        request._dynamic_instructions,
        [content.model_dump(mode="json", exclude_none=True) for content in request.contents],
    ]
    return "\n".join(str(part) for part in parts)
