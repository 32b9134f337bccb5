"""Ways past the guard that an object shows by what it is, without being asked."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any, NamedTuple

from google.adk.agents.llm_agent import LlmAgent
from google.adk.tools.agent_tool import AgentTool
from google.adk.workflow._base_node import BaseNode
from google.adk.workflow._function_node import FunctionNode
from google.adk.workflow._workflow import Workflow

_COVERED = "google.adk."
_FOREIGN = {
    "ManagedAgent": "runs on a server, with tools of its own",
    "RemoteA2aAgent": "runs elsewhere and answers with text that no tool returned",
    "LangGraphAgent": "runs another framework and answers with text that no tool returned",
    "AntigravityAgent": "runs a harness of its own, with tools of its own",
}
_ASKING = "ClassifierNode"
"""A node of ADK's labs that asks a model about its input; by name, so that it isn't loaded."""
# Options of a model object by which the server gets tools or text, or keeps the conversation.
_MODEL_OPTIONS = ("use_interactions_api", "extra_request_args", "_additional_args")

# What an LlmAgent does as ADK wrote it, unless a subclass says otherwise.
_RUNS = ("_run_async_impl", "_run_live_impl", "_run_impl", "_llm_flow")


class Rule(NamedTuple):
    """Kind, reason and fix of a finding."""

    kind: str
    reason: str
    fix: str


def rules_of_node(node: BaseNode) -> Iterator[Rule]:
    """What a node shows, whatever kind of node it is."""
    for ancestor in type(node).__mro__:
        if ancestor.__name__ in _FOREIGN and ancestor.__module__.startswith(_COVERED):
            yield Rule(
                "foreign_agent",
                f"{ancestor.__name__} {_FOREIGN[ancestor.__name__]}",
                "wrap it in AgentTool, whose answer the guard reads as a tool's result",
            )
            return
    if isinstance(node, LlmAgent):
        yield from _rules_of_llm_agent(node)
        if any(getattr(type(node), name) is not getattr(LlmAgent, name) for name in _RUNS):
            yield Rule(
                "custom_agent",
                f"{type(node).__name__} runs in a way of its own",
                "leave ADK's way of running, or waive it by name with the reason",
            )
    elif not type(node).__module__.startswith(_COVERED):
        yield Rule(
            "custom_agent",
            f"{type(node).__name__} is no agent of ADK and may put any text into the session",
            "let it return text through a tool, or waive it by name with the reason",
        )


def _rules_of_llm_agent(agent: LlmAgent) -> Iterator[Rule]:
    if agent.code_executor is not None:
        yield Rule(
            "code_executor",
            f"what {type(agent.code_executor).__name__} prints goes to the model as text",
            "give the agent a function tool that runs the code",
        )
    if agent.mode == "task":
        yield Rule(
            "task_mode",
            "the result of a task agent is put together after the tools' hooks",
            "use mode='single_turn', or AgentTool",
        )
    for callback, way in {
        "before_model_callback": "runs after the guard has looked at the request",
        "after_tool_callback": "runs after the guard and replaces what it has cleaned",
        "on_tool_error_callback": "answers a failed call after the guard",
    }.items():
        if getattr(agent, callback):
            yield Rule(
                callback,
                f"the agent's own {callback} {way}",
                "make it a plugin that stands behind the guard",
            )
    if agent.planner is not None and not type(agent.planner).__module__.startswith(_COVERED):
        yield Rule(
            "planner",
            f"{type(agent.planner).__name__} writes instructions of its own into each request",
            "use a planner of ADK, or waive it by name, if it writes nothing that was looked up",
        )
    yield from _rules_of_model(agent.model)


def _rules_of_model(model: Any) -> Iterator[Rule]:
    for option in _MODEL_OPTIONS:
        if value := getattr(model, option, None):
            named = f" ({', '.join(sorted(value))})" if isinstance(value, dict) else ""
            yield Rule(
                "model_options",
                f"{type(model).__name__}.{option}{named} can add tools or text on the server",
                f"leave out {option}",
            )


def rules_of_tool(tool: Any) -> Iterator[Rule]:
    """What a tool shows."""
    if isinstance(tool, AgentTool) and not tool.include_plugins:
        yield Rule(
            "without_plugins",
            f"AgentTool({tool.agent.name}, include_plugins=False) runs its agent without the guard",
            "leave out include_plugins=False",
        )
    function = getattr(tool, "func", tool)
    if inspect.isasyncgenfunction(inspect.unwrap(function) if callable(function) else function):
        yield Rule(
            "streaming_tool",
            f"each piece that {getattr(function, '__name__', 'it')} yields goes to a live model "
            "past every hook",
            "collect the pieces and return them once",
        )


def functions_before_models(workflow: Workflow) -> Iterator[tuple[str, Rule]]:
    """Functions of a workflow whose text goes to an agent, by name."""
    if workflow.graph is None:
        return
    after: dict[int, list[BaseNode]] = {}
    for edge in workflow.graph.edges:
        after.setdefault(id(edge.from_node), []).append(edge.to_node)
    for node in workflow.graph.nodes:
        if isinstance(node, FunctionNode) and _leads_to_a_model(node, after):
            yield (
                node.name,
                Rule(
                    "function_node",
                    f"what {node.name} returns goes to a model without being a tool's result",
                    "make the function a tool",
                ),
            )


def _leads_to_a_model(start: BaseNode, after: dict[int, list[BaseNode]]) -> bool:
    seen: set[int] = set()
    waiting = list(after.get(id(start), []))
    while waiting:
        node = waiting.pop()
        if isinstance(node, LlmAgent) or any(
            ancestor.__name__ == _ASKING for ancestor in type(node).__mro__
        ):
            return True
        if id(node) not in seen:
            seen.add(id(node))
            waiting.extend(after.get(id(node), []))
    return False
