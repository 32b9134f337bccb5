"""The command `orrery-knowledge` itself. Its subcommands are imported when they are called."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from orrery_knowledge import __version__
from orrery_knowledge.cli import options
from orrery_knowledge.cli.terminal import discard_output, print_error, printable_lines, warn

COMMANDS = {
    "sync": ("sync:sync", "Bring the index up to date with its sources."),
    "search": ("search:search", "Find passages, with where they come from."),
    "route": ("route:route", "Find the runbook sections for an alert."),
    "chunk": ("chunk:chunk", "Show how Markdown files are cut."),
    "screen": ("screen:screen", "Screen text for injections, credentials and personal data."),
    "loads": ("loads:loads", "List, roll back, resume and clean up loads."),
    "review": ("review:review", "Decide which texts may answer."),
    "quarantine": ("quarantine:quarantine", "Show what is kept out of search, and why."),
    "evidence": (
        "evidence:evidence",
        "Show what an investigation was told; check a text against it.",
    ),
    "report": ("report:report", "Write down what an incident has taught."),
    "gaps": ("gaps:gaps", "Show what was asked and nobody has written."),
    "verify": ("verify:verify", "Compare sources, ledger and index."),
    "doctor": ("doctor:doctor", "Say whether all is healthy, and whether agents are guarded."),
    "eval": ("evaluate:evaluate", "Measure how well the right passage comes back."),
    "serve": ("serve:serve", "Answer alerts and searches over HTTP."),
    "token": ("token:token", "Make a token by which somebody is known."),
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

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        with _written():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        with _written():
            return self._invoke(ctx)

    def _invoke(self, ctx: click.Context) -> Any:
        words = ctx.args
        in_json = "--json" in (words[: words.index("--")] if "--" in words else words)
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            said = error.format_message()
            # Whoever asked for JSON reads JSON, also when the command was never reached.
            if in_json:
                print_error(error.exit_code, said)
            if (shown := printable_lines(said)) != said:  # it repeats what was given
                raise click.UsageError(shown, error.ctx) from None
            raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@contextmanager
def _written() -> Iterator[None]:
    """What click itself prints (help, the version) ends like what a command prints."""
    try:
        yield
    except BrokenPipeError:
        discard_output()  # whoever read our output has seen enough
        raise click.exceptions.Exit(0) from None
    except OSError as error:
        discard_output()
        warn(f"error: output: {error.strerror or error}")
        raise click.exceptions.Exit(1) from None


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
