"""What a probe saw, as rules: the findings that behaviour shows."""

from __future__ import annotations

from collections.abc import Iterator

from google.adk.agents.llm.task._finish_task_tool import FinishTaskTool
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.load_memory_tool import LoadMemoryTool

from orrery_knowledge.adk.checks.probe import Seen
from orrery_knowledge.adk.checks.rules import Rule

# Tools of ADK that add a sentence of ADK's own, and nothing that was looked up. By class, never by
# subclass: a subclass may do anything.
FIXED_TEXT = frozenset({FinishTaskTool, LoadMemoryTool})

_PLACES = {
    "memory": ("memory", "give the agent load_memory, whose findings are a tool's result"),
    "artifact": ("an artifact", "let a tool return the artifact's text as its result"),
    "state": (
        "the session's state",
        "leave {names} of what tools may have written out of the instruction",
    ),
}


def of_tool(tool: BaseTool | BaseToolset, seen: Seen) -> Iterator[Rule]:
    """What a tool adds to a request beside its declaration."""
    if seen.failed:
        yield unprobed(f"what it adds to a request ({seen.failed})")
    yield from _of_server(seen)
    yield from _of_seeds(seen)
    if seen.text and not seen.seeds and type(tool) not in FIXED_TEXT:
        yield Rule(
            "request_text",
            f"{type(tool).__name__} writes text into the request, past the hooks of tools",
            "return the text as the tool's result",
        )
    if seen.model:
        yield Rule(
            "other_model",
            f"{type(tool).__name__} sends the request to {seen.model}",
            "name the model in the agent",
        )


def of_request(seen: Seen) -> Iterator[Rule]:
    """What a whole request holds that no tool returned."""
    if seen.failed:
        yield unprobed(f"its request ({seen.failed})")
    yield from _of_server(seen)
    yield from _of_seeds(seen)


def unprobed(what: str) -> Rule:
    """Something that would not be looked at; it may hide anything."""
    return Rule(
        "unprobed",
        f"{what} could not be checked",
        "make it work without a service, or waive it by name with the reason",
    )


def _of_server(seen: Seen) -> Iterator[Rule]:
    for name in sorted(seen.server_tools):
        yield Rule(
            "server_tool",
            f"{name} is executed on the server, whose findings no hook sees",
            "use a tool that searches on the client, such as search_knowledge or "
            "DiscoveryEngineSearchTool",
        )
    for name in sorted(seen.options):
        yield Rule(
            "request_option",
            f"{name} adds text or tools on the server",
            f"leave {name} out of generate_content_config",
        )


def _of_seeds(seen: Seen) -> Iterator[Rule]:
    for seed in sorted(seen.seeds):
        place, fix = _PLACES[seed]
        yield Rule(
            f"{seed}_text",
            f"text from {place} comes into the request without having been a tool's result",
            fix,
        )
