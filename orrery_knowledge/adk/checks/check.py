"""`check_agent`: every way in which text reaches the model past the guard, found by behaviour."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile

from google.adk.agents.invocation_context import InvocationContext
from google.adk.agents.llm_agent import LlmAgent
from google.adk.apps import App
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.workflow import Workflow
from google.adk.workflow._base_node import BaseNode

from orrery_knowledge.adk.checks import probe, verdicts
from orrery_knowledge.adk.checks.apart import TIMEOUT_SECONDS, Ended, run_apart
from orrery_knowledge.adk.checks.bypasses import Bypass, waive
from orrery_knowledge.adk.checks.hooks import rules_of_callbacks, rules_of_plugin
from orrery_knowledge.adk.checks.rules import (
    Rule,
    functions_before_models,
    rules_of_node,
    rules_of_tool,
)
from orrery_knowledge.adk.checks.walk import behind_tool, reachable
from orrery_knowledge.errors import ConfigurationError

# The stages without which text reaches the model as it is; a missing cap or audit lets none past.
NEEDED = frozenset({"safety", "redaction"})


def check_agent(
    agent_or_app: BaseNode | App,
    *,
    waivers: Mapping[str, str] | None = None,
    timeout: float = TIMEOUT_SECONDS,
) -> list[Bypass]:
    """List the ways in which retrieved text could reach the model past the guard.

    Everything that the root reaches is walked; each agent's real request is assembled for a model
    that is never asked, with canaries in memory, artifacts and state; each tool is asked what it
    adds; hooks of other plugins and of agents are called twice. No tool is called and nothing is
    sent. Of a bare agent, whose plugins can't be seen, only the agents and tools are checked; of an
    App the guard's place and the other plugins too.

    Args:
        agent_or_app: an App, or an agent or workflow.
        waivers: the reason by the id of a finding (`Bypass.id`) that is meant to be.
        timeout: seconds after which the rest counts as unprobed.

    Returns:
        The findings in the order of the walk; empty is good.

    Raises:
        ConfigurationError: it is neither an agent nor an App, or a waiver gives no reason.
    """
    if isinstance(agent_or_app, App):
        inspection = _Inspection(agent_or_app.name, agent_or_app.plugins)
        root = agent_or_app.root_agent
        inspection.note(f"app {agent_or_app.name}", _rules_of_plugins(agent_or_app.plugins))
    else:
        inspection = _Inspection("check", [])
        root = agent_or_app
    if not isinstance(root, BaseNode):
        raise ConfigurationError(
            f"an agent or an App can be checked, not {type(agent_or_app).__name__}"
        )
    try:
        run_apart(lambda: inspection.look_into(root.name, root), timeout)
    except Ended as ended:
        inspection.note(root.name, [verdicts.unprobed(f"all that it reaches, since {ended}, and")])
    return waive(inspection.found, waivers or {})


class _Inspection:
    """One walk through an app, and what it has found so far."""

    def __init__(self, app_name: str, plugins: Sequence[BasePlugin]) -> None:
        self.app_name = app_name
        self.plugins = plugins
        self.found: list[Bypass] = []
        self._seen: set[int] = set()

    def note(self, where: str, rules: Iterable[Rule]) -> None:
        self.found += [Bypass(where, *rule) for rule in rules]

    async def look_into(self, where: str, root: BaseNode) -> None:
        for place, node in reachable(root, where, self._seen):
            self.note(place, rules_of_node(node))
            if isinstance(node, LlmAgent):
                for model in _models_of(node):
                    await self._assemble(place, node, model)
            elif isinstance(node, Workflow):
                for name, rule in functions_before_models(node):
                    self.note(f"{place} > {name}", [rule])
            elif isinstance(tool := getattr(node, "tool", None), BaseTool):
                self.note(f"{place} > tool {tool.name}", rules_of_tool(tool))

    async def _assemble(self, where: str, agent: LlmAgent, model: str) -> None:
        """Look at the agent's tools one by one, then at its whole request, for one model."""
        probed = probe.as_model(agent, model)
        context = await probe.context_for(probed, self.app_name)
        explained = await self._look_at_tools(where, probed, context)
        request, seen = await probe.assemble(probed, context)
        seen.server_tools -= explained
        seen.seeds -= explained
        self.note(where, verdicts.of_request(seen))
        for plugin in self.plugins:
            self.note(
                f"app {self.app_name} > plugin {plugin.name}",
                [] if _stages_of(plugin) else await rules_of_plugin(plugin, request, context),
            )
        self.note(where, await rules_of_callbacks(agent, context))

    async def _look_at_tools(
        self, where: str, agent: LlmAgent, context: InvocationContext
    ) -> set[str]:
        explained: set[str] = set()
        tools, failed = await probe.tools_of(agent, context)
        for name, error in failed.items():
            self.note(f"{where} > {name}", [verdicts.unprobed(f"its tools ({error})")])
        for tool in tools:
            kind = "toolset" if isinstance(tool, BaseToolset) else "tool"
            place = f"{where} > {kind} {getattr(tool, 'name', type(tool).__name__)}"
            seen = await probe.ask_tool(tool, context)
            explained |= seen.server_tools | seen.seeds
            self.note(place, rules_of_tool(tool))
            self.note(place, verdicts.of_tool(tool, seen))
            # ADK puts agents of its own in the place of some tools.
            if (behind := behind_tool(tool)) is not None:
                await self.look_into(place, behind)
        return explained


def _models_of(agent: LlmAgent) -> list[str]:
    """The ids to assemble for: the agent's own, and one to which every tool shows itself."""
    try:
        own = agent.canonical_model.model
    except Exception:
        # A provider's package or key may be missing here; the other id shows what there is to see.
        own = probe.GEMINI
    return list(dict.fromkeys((own, probe.GEMINI)))


def _rules_of_plugins(plugins: Sequence[BasePlugin]) -> Iterator[Rule]:
    first = list(takewhile(_stages_of, plugins))
    missing = NEEDED - {name for plugin in first for name in _stages_of(plugin)}
    later = {name for plugin in plugins for name in _stages_of(plugin)}
    if missing and missing <= later:
        yield Rule(
            "guard_not_first",
            f"{plugins[len(first)].name!r} stands before the guard and could hide results from it",
            "put *knowledge_plugins() first in the list of plugins",
        )
    elif missing:
        yield Rule(
            "no_guard",
            f"no plugin of this App does this part of the guard: {', '.join(sorted(missing))}",
            "put *knowledge_plugins() first in the list of plugins",
        )


def _stages_of(plugin: BasePlugin) -> tuple[str, ...]:
    # A marker, so that the library need not know the plugins.
    return getattr(plugin, "orrery_stages", ())
