"""Everything that an agent reaches: sub-agents, agents behind tools, nodes of workflows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from google.adk.agents.llm_agent import LlmAgent
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.base_tool import BaseTool
from google.adk.workflow._base_node import BaseNode


class Reached(NamedTuple):
    """A node and the way to it from the root."""

    where: str
    node: BaseNode


def reachable(root: BaseNode, where: str, seen: set[int]) -> Iterator[Reached]:
    """Every node once, the root first; a node that several ways lead to is named by the first.

    Args:
        root: where to begin.
        where: the root's place.
        seen: ids of nodes to leave out; what is found is added.
    """
    waiting = [Reached(where, root)]
    while waiting:
        reached = waiting.pop()
        if id(reached.node) in seen:
            continue
        seen.add(id(reached.node))
        yield reached
        waiting.extend(
            Reached(f"{reached.where} > {name}", node)
            for name, node in reversed(list(_children(reached.node)))
        )


def _children(node: BaseNode) -> Iterator[tuple[str, BaseNode]]:
    # ADK's own walk, which leaves out what runs in a runner of its own: agents behind tools.
    for child in node._iter_static_children():
        yield child.name, child
    if isinstance(node, LlmAgent):
        for tool in node.tools:
            if (behind := behind_tool(tool)) is not None:
                yield f"tool {behind.name}", behind
    elif (behind := behind_tool(getattr(node, "tool", None))) is not None:
        yield f"tool {behind.name}", behind
    # A node may wrap another one without counting it as a child.
    if isinstance(inner := getattr(node, "_inner_node", None), BaseNode):
        yield inner.name, inner


def behind_tool(tool: object) -> BaseNode | None:
    """The agent or node that a tool runs, if it runs one."""
    if isinstance(tool, AgentTool):
        return tool.agent
    if isinstance(tool, BaseTool) and isinstance(node := getattr(tool, "node", None), BaseNode):
        return node
    return None
