"""Checks one agent in a process of its own: ``python -m orrery_knowledge.adk.checks.child``.

Arguments: the folder, the agent's name, the timeout in seconds, the file for the result. Waivers
come in as JSON. An agent is anybody's code: it may end its process, print, or hang.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from contextlib import suppress
from dataclasses import astuple
from pathlib import Path

from google.adk.apps import App
from google.adk.cli.utils.agent_loader import AgentLoader

from orrery_knowledge.adk.checks.apart import Ended, run_apart
from orrery_knowledge.adk.checks.bypasses import Bypass
from orrery_knowledge.adk.checks.check import check_agent
from orrery_knowledge.adk.checks.proof import prove
from orrery_knowledge.errors import ConfigurationError
from orrery_knowledge.screening import screen


def main() -> None:
    """Write what was found, or why nothing could be looked at."""
    folder, name, timeout, answer = sys.argv[1:]
    # ADK reports what it can't load with a traceback; what matters of it is in the findings.
    logging.getLogger("google_adk").setLevel(logging.CRITICAL)
    try:
        found = examined(Path(folder), name, json.load(sys.stdin), float(timeout))
        result: object = {"found": [astuple(bypass) for bypass in found]}
    except ConfigurationError as error:
        result = {"refused": str(error)}
    Path(answer).write_text(json.dumps(result), encoding="utf-8")
    with suppress(OSError):
        sys.stdout.flush()  # what the agent has printed
    # What an agent has begun (threads, loops) must not keep this process.
    os._exit(0)


def examined(folder: Path, name: str, waivers: dict[str, str], timeout: float) -> list[Bypass]:
    """The findings of one agent, those of the turn with canaries last."""
    try:
        agent = AgentLoader(str(folder)).load_agent(name)
    except (Exception, SystemExit) as error:
        # Its message may hold anything. The first line: the rest is ADK's advice on where it looks.
        what = screen((str(error).strip().splitlines() or [""])[0]).text
        return [
            Bypass(
                name,
                "not_loaded",
                f"it does not load: {type(error).__name__}: {what}",
                "mend it; nothing could be checked",
            )
        ]
    found = check_agent(agent, waivers=waivers, timeout=timeout)
    return found + (_proved(agent, timeout) if isinstance(agent, App) else [_bare(name)])


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


if __name__ == "__main__":
    main()
