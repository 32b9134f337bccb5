"""Plays scenarios offline with the real agents, tool, guard and ledger; only the model is a script.

What it proves is that the path works: that tool, guard and evidence do what an agent relies on.
How well a real model heeds its instructions, only a run with that model can tell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from uuid import uuid4

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.cli.utils.agent_loader import AgentLoader
from google.adk.plugins.base_plugin import BasePlugin

from orrery_knowledge.adk.citing import CiteCheckTool
from orrery_knowledge.adk.recording import RecordOutcomeTool
from orrery_knowledge.adk.tool import Searches, SearchKnowledgeTool
from orrery_knowledge.adk.trajectory_inference import calls, final_text, play, trajectory_score
from orrery_knowledge.adk.trajectory_scores import CONFIRMATION, Played, cited, problems
from orrery_knowledge.adk.trajectory_script import PlayedLlm
from orrery_knowledge.adk.trajectory_sets import Scenario, read_scenarios, read_world
from orrery_knowledge.adk.trajectory_world import Fixtures, Stores, open_stores
from orrery_knowledge.errors import ConfigurationError, KnowledgeError
from orrery_knowledge.governance.evidence import parse_citation, resolve
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.governance.records import Evidence
from orrery_knowledge.models import Model
from orrery_knowledge.settings import Settings, default_settings


class Outcome(Model):
    """How one scenario went; it passed when there is no problem."""

    agent: str
    scenario: str
    passed: bool
    problems: tuple[str, ...] = ()


async def evaluate_trajectories(
    paths: Sequence[Path],
    settings: Settings | None = None,
    on_outcome: Callable[[Outcome], None] | None = None,
) -> list[Outcome]:
    """Play every scenario of the eval sets, in an index that nothing else can see.

    Args:
        paths: eval sets, or folders with eval sets.
        settings: whose backend makes that index; the defaults if None.
        on_outcome: told after each scenario.

    Raises:
        ConfigurationError: an eval set, its script, its world or its agent is not right.
        KnowledgeError: the knowledge could not be indexed.
    """
    scenarios = read_scenarios(paths)
    world, folder = read_world(paths)
    apps = load_apps(folder / world.agents, {scenario.agent for scenario in scenarios})
    outcomes = []
    async with open_stores(world, folder, settings or default_settings()) as stores:
        for scenario in scenarios:
            outcome = await play_scenario(scenario, apps[scenario.agent], stores)
            outcomes.append(outcome)
            if on_outcome is not None:
                on_outcome(outcome)
    return outcomes


def load_apps(folder: Path, names: set[str]) -> dict[str, App]:
    """The apps of the named agents, with their plugins.

    Raises:
        ConfigurationError: one isn't there, does not load, or gives no app over one agent with
            tools.
    """
    loader = AgentLoader(str(folder))
    apps = {}
    for name in sorted(names):
        if not (folder / name).is_dir():
            raise ConfigurationError(f"there is no agent {name!r} in {folder}")
        try:
            loaded = loader.load_agent(name)
        except KnowledgeError:
            raise
        except (Exception, SystemExit) as error:  # an agent's own code, which may do anything
            what = type(error).__name__
            raise ConfigurationError(f"agent {name!r} does not load: {what}") from error
        if not isinstance(loaded, App) or not isinstance(loaded.root_agent, LlmAgent):
            raise ConfigurationError(f"agent {name!r} has no app whose root is an LlmAgent")
        apps[name] = loaded
    return apps


async def play_scenario(
    scenario: Scenario,
    app: App,
    stores: Stores,
    *,
    searches: Searches | None = None,
    plugins: Sequence[BasePlugin] | None = None,
) -> Outcome:
    """Play one scenario with an agent of its own, and score it.

    Args:
        scenario: what is played.
        app: the agent's; it is copied.
        stores: where searches go, and where evidence is kept.
        searches: answers the searches instead; tests break the path with it.
        plugins: stand for the app's own; tests take the guard away with it.
    """
    script = scenario.script
    # A scenario that is played twice must not meet its own evidence.
    session = f"{scenario.agent}.{scenario.name}.{uuid4().hex[:8]}"
    fixtures, model = Fixtures(), PlayedLlm(script=script)
    root = app.root_agent
    assert isinstance(root, LlmAgent)  # noqa: S101 - `load_apps` has seen to it
    # Those that stand for the knowledge of this machine; the scenario has its own.
    own = (SearchKnowledgeTool, CiteCheckTool, RecordOutcomeTool)
    kept = [tool for tool in root.tools if not isinstance(tool, own)]
    knowledge = SearchKnowledgeTool(searches or stores.of(script))
    tools = [knowledge, *kept, *fixtures.tools(script.tools)]
    played_app = app.model_copy(
        update={
            "root_agent": root.clone(update={"model": model, "tools": tools}),
            "plugins": list(app.plugins if plugins is None else plugins),
        }
    )
    expected = scenario.case.conversation or []
    actual = await play(played_app, scenario.case, session)
    called = calls(actual)
    answers = [final_text(invocation) for invocation in actual]
    played = Played(
        answers=answers,
        calls=[call.name or "" for call in called if call.name != CONFIRMATION],
        expected=[call.name or "" for call in calls(expected)],
        trajectory=trajectory_score(actual, expected),
        confirmations=[
            str(((call.args or {}).get("originalFunctionCall") or {}).get("name"))
            for call in called
            if call.name == CONFIRMATION
        ],
        executed=fixtures.executed,
        requests=model.requests,
        evidence=await stores.ledger.evidence(session),
        resolved={
            citation: await _issued(stores.ledger, session, citation)
            for citation in cited("\n".join(answers))
        },
    )
    found = problems(played, script.must)
    return Outcome(agent=scenario.agent, scenario=scenario.name, passed=not found, problems=found)


async def _issued(ledger: Ledger, session: str, citation: str) -> Evidence | None:
    """What a citation names; None for one that was not issued, or is none at all."""
    try:
        parse_citation(citation)
    except KnowledgeError:
        return None
    return await resolve(ledger, session, citation)
