"""A folder of agents, each loaded, checked and proved live in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from google.adk.cli.utils.agent_loader import AgentLoader

from orrery_knowledge.adk.checks.apart import TIMEOUT_SECONDS
from orrery_knowledge.adk.checks.bypasses import Bypass
from orrery_knowledge.errors import ConfigurationError

CHILD = "orrery_knowledge.adk.checks.child"
STARTING_SECONDS = 60.0
"""How long a process may take to start and to import an agent."""


def examine(
    folder: Path, waivers: Mapping[str, Mapping[str, str]], *, timeout: float = TIMEOUT_SECONDS
) -> dict[str, list[Bypass]]:
    """Check every agent of a folder, and prove its guard live.

    Args:
        folder: holds agents as `adk web` takes them, or is one.
        waivers: by agent the waivers of `check_agent`.
        timeout: in seconds, for the check of an agent and for its turn.

    Returns:
        the findings by agent; `not_loaded` or `unprobed` where it could not be looked at.

    Raises:
        ConfigurationError: there is no agent, or a waiver names none or gives no reason.
    """
    names = agents_of(folder)
    if strangers := sorted(set(waivers) - set(names)):
        raise ConfigurationError(
            f"the waivers name agents that are not there: {', '.join(strangers)} "
            f"(there are: {', '.join(sorted(names))})"
        )
    return {name: _in_a_process(folder, name, waivers.get(name, {}), timeout) for name in names}


def agents_of(folder: Path) -> list[str]:
    """Names of the agents in a folder, or of the one that it is; none of them is loaded.

    Raises:
        ConfigurationError: there is none.
    """
    if not folder.is_dir():
        raise ConfigurationError(f"{folder}: no such folder; name one that holds agents")
    loader = AgentLoader(str(folder))
    if loader.is_single_agent and loader.single_agent_name:
        return [loader.single_agent_name]
    names: list[str] = loader.list_agents()
    if not names:
        raise ConfigurationError(
            f"{folder}: holds no agent (a folder with agent.py and root_agent)"
        )
    return names


def _in_a_process(
    folder: Path, name: str, waivers: Mapping[str, str], timeout: float
) -> list[Bypass]:
    with tempfile.TemporaryDirectory(prefix="orrery-doctor-") as place:
        answer = Path(place) / "found.json"
        process = subprocess.Popen(  # noqa: S603 - our own module, and no shell
            [sys.executable, "-m", CHILD, str(folder), name, str(timeout), str(answer)],
            stdin=subprocess.PIPE,
            stdout=2,  # whatever an agent prints goes where our messages go
        )
        try:
            given = json.dumps(dict(waivers)).encode()
            process.communicate(given, timeout=STARTING_SECONDS + 2 * timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        except BaseException:
            process.kill()
            raise
        text = answer.read_text(encoding="utf-8") if answer.exists() else ""
    try:
        result = json.loads(text)
    except ValueError:
        return [
            Bypass(
                name,
                "unprobed",
                "it ended the process that looked at it, or held it up",
                "let no code of an agent end its process or wait for ever",
            )
        ]
    if "refused" in result:
        raise ConfigurationError(result["refused"])
    return [Bypass(*found) for found in result["found"]]
