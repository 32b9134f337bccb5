"""`orrery-knowledge eval trajectory`. ADK is imported when it runs: it takes seconds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from orrery_knowledge.cli import options
from orrery_knowledge.cli.labelled import evaluation_settings
from orrery_knowledge.cli.terminal import print_json, say
from orrery_knowledge.errors import MissingExtra

if TYPE_CHECKING:
    from orrery_knowledge.adk.trajectory import Outcome

DEFAULT = Path("evals/trajectory")


@click.command(
    epilog="""\b
Examples:
  orrery-knowledge eval trajectory
  orrery-knowledge eval trajectory evals/trajectory/incident_triage --json"""
)
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@options.as_json
@options.command
async def trajectory(config: Path | None, files: tuple[Path, ...], json_: bool) -> int:
    """Play the scenarios of FILES (eval sets or folders) with a scripted model.

    The default is evals/trajectory. Agents, tool and guard are the real ones. Exits with 1 when a
    scenario falls.
    """
    settings = evaluation_settings(config)
    try:
        from orrery_knowledge.adk.trajectory import evaluate_trajectories
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "google":
            raise
        raise MissingExtra("adk", "google-adk") from None
    show = None if json_ else _Table()
    outcomes = await evaluate_trajectories(files or (DEFAULT,), settings, show)
    fallen = sum(not outcome.passed for outcome in outcomes)
    if json_:
        print_json([outcome.model_dump(mode="json") for outcome in outcomes])
    else:
        say(f"{len(outcomes) - fallen} of {len(outcomes)} scenarios passed")
    return 1 if fallen else 0


class _Table:
    """Prints outcomes as they come, under the name of their agent."""

    def __init__(self) -> None:
        self._agent = ""

    def __call__(self, outcome: Outcome) -> None:
        if outcome.agent != self._agent:
            self._agent = outcome.agent
            say(outcome.agent)
        say(f"  {outcome.scenario:<36}{'passed' if outcome.passed else 'FELL'}")
        for problem in outcome.problems:
            say(f"      {problem}")
