"""`orrery-knowledge`: the command line. Commands are imported when they are called."""

from __future__ import annotations

import io
import sys
from importlib import import_module
from typing import Any

import click

from orrery_knowledge import __version__
from orrery_knowledge.cli import options

COMMANDS = {
    "sync": ("sync:sync", "Bring the index up to date with its sources."),
    "search": ("search:search", "Find passages, with where they come from."),
    "chunk": ("chunk:chunk", "Show how Markdown files are cut."),
    "screen": ("screen:screen", "Screen text for injections, credentials and personal data."),
    "loads": ("loads:loads", "List, roll back, resume and clean up loads."),
    "quarantine": ("quarantine:quarantine", "Show what is kept out of search, and why."),
    "verify": ("verify:verify", "Compare sources, ledger and index."),
    "eval": ("evaluate:evaluate", "Measure how well the right passage comes back."),
}
"""Command name -> (module:function in this package, one line for ``--help``)."""


class _Commands(click.Group):
    """Lists commands without importing them: `--help` stays fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, function = COMMANDS[cmd_name][0].partition(":")
        command = getattr(import_module(f"orrery_knowledge.cli.{module}"), function)
        assert isinstance(command, click.Command)  # noqa: S101 - a slip in the table above
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.command(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="""\b
Examples:
  orrery-knowledge sync
  orrery-knowledge search "remaining connection slots are reserved"
  orrery-knowledge search CrashLoopBackOff --service payments --json

Exit codes: 0 done; 1 done with failures; 2 configuration, or knowledge is off; 3 backend
unreachable; 4 another sync is running, or this one was superseded; 5 a decision named something
that isn't current; 130 interrupted.""",
)
@options.config
@options.debug
@click.version_option(__version__, prog_name="orrery-knowledge")
def cli(**_: Any) -> None:
    """Governed retrieval over what humans wrote: runbooks, postmortems, ADRs, schemas."""


def main() -> None:
    """Entry point of the ``orrery-knowledge`` script."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Documents hold characters that the terminal's encoding may not have.
        sys.stdout.reconfigure(errors="backslashreplace")
    cli(prog_name="orrery-knowledge")
