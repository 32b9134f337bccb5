"""A folder of agents: loaded as ADK's own commands load them, checked, and proved live."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from google.adk.apps import App
from google.adk.cli.utils.agent_loader import AgentLoader
from google.adk.workflow._base_node import BaseNode

from orrery_knowledge.adk.checks.apart import TIMEOUT_SECONDS, Ended, run_apart
from orrery_knowledge.adk.checks.bypasses import Bypass
from orrery_knowledge.adk.checks.check import check_agent
from orrery_knowledge.adk.checks.proof import prove
from orrery_knowledge.errors import ConfigurationError
from orrery_knowledge.screening import screen


def examine(
    folder: Path, waivers: Mapping[str, Mapping[str, str]], *, timeout: float = TIMEOUT_SECONDS
) -> dict[str, list[Bypass]]:
    """Check every agent of a folder, and prove its guard live.

    Args:
        folder: holds agents as `adk web` takes them, or is one.
        waivers: by agent the waivers of `check_agent`.
        timeout: in seconds, for each of the two.

    Returns:
        the findings by agent.

    Raises:
        ConfigurationError: an agent does not load, or a waiver names none or gives no reason.
    """
    loaded = load_agents(folder)
    if strangers := sorted(set(waivers) - set(loaded)):
        raise ConfigurationError(
            f"the waivers name agents that are not there: {', '.join(strangers)} "
            f"(there are: {', '.join(sorted(loaded))})"
        )
    return {
        name: [
            *check_agent(agent, waivers=waivers.get(name), timeout=timeout),
            *(_proved(agent, timeout) if isinstance(agent, App) else [_bare(name)]),
        ]
        for name, agent in loaded.items()
    }


def _proved(app: App, timeout: float) -> list[Bypass]:
    found: list[Bypass] = []

    async def work() -> None:
        found.extend(await prove(app))

    try:
        run_apart(work, timeout)
    except Ended as ended:
        fix = "let no plugin end or hold up a turn"
        found.append(Bypass(f"app {app.name} > live proof", "proof_failed", str(ended), fix))
    return found


def _bare(name: str) -> Bypass:
    return Bypass(
        name,
        "no_app",
        "it loads as a bare agent, so no plugin of an App runs, the guard neither",
        "export `app` from agent.py and write `from . import agent` into __init__.py",
    )


def load_agents(folder: Path) -> dict[str, App | BaseNode]:
    """Load the agents below a folder, or the one that the folder is, by name.

    Raises:
        ConfigurationError: there is none, or one of them does not load.
    """
    if not folder.is_dir():
        raise ConfigurationError(f"{folder}: no such folder; name one that holds agents")
    loader = AgentLoader(str(folder))
    names = [loader.single_agent_name] if loader.is_single_agent else loader.list_agents()
    loaded: dict[str, App | BaseNode] = {}
    for name in names:
        assert name is not None  # noqa: S101 - a single agent has a name
        try:
            loaded[name] = loader.load_agent(name)
        except (Exception, SystemExit) as error:
            # An agent is anybody's code and may raise anything, with anything in its message. The
            # first line: the rest is ADK's advice on where it looks for agents.
            what = screen((str(error).strip().splitlines() or [""])[0]).text
            raise ConfigurationError(
                f"agent {name!r} does not load: {type(error).__name__}: {what}"
            ) from error
    if not loaded:
        raise ConfigurationError(
            f"{folder}: holds no agent (a folder with agent.py and root_agent)"
        )
    return loaded
