"""Options that every command shares, and the one place where errors become exit codes."""

from __future__ import annotations

import asyncio
import functools
import os
import signal
import traceback
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, ParamSpec

import click

from orrery_knowledge.cli.terminal import warn
from orrery_knowledge.errors import KnowledgeError

P = ParamSpec("P")

INTERRUPTED = 130

as_json = click.option("--json", "json_", is_flag=True, help="Print the result as JSON.")
config = click.option(
    "--config",
    type=click.Path(path_type=Path),
    default=None,
    help="Configuration file (default: orrery.yaml).",
)
debug = click.option("--debug", is_flag=True, help="Show the traceback of an error.")


def command(work: Callable[P, Coroutine[Any, Any, int]]) -> Callable[P, None]:
    """Run an async command body that returns its exit code, with `--config` and `--debug`.

    Options given before the command's name count too. Errors of ours become one line and the exit
    code of their class; Ctrl-C cancels the work, lets it clean up, and exits with 130.
    """

    @config
    @debug
    @click.pass_context
    @functools.wraps(work)
    def run(context: click.Context, /, *args: P.args, **kwargs: P.kwargs) -> None:
        outer = context.find_root().params
        kwargs["config"] = kwargs.get("config") or outer.get("config")
        show = bool(kwargs.pop("debug") or outer.get("debug"))
        context.exit(_run(lambda: work(*args, **kwargs), show))

    return run


def _run(work: Callable[[], Coroutine[Any, Any, int]], show: bool) -> int:
    try:
        return asyncio.run(_interruptible(work()))
    except (KeyboardInterrupt, asyncio.CancelledError):
        warn("interrupted; what was active stays active")
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has gone; python would complain again when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except KnowledgeError as error:
        if show:
            traceback.print_exc()
        warn(f"error: {error}")
        return error.exit_code
    except OSError as error:  # output that can't be written
        if show:
            traceback.print_exc()
        warn(f"error: {error.filename or 'output'}: {error.strerror or error}")
        return 1


async def _interruptible(work: Coroutine[Any, Any, int]) -> int:
    """Cancel the work on SIGTERM as on Ctrl-C."""
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, task.cancel)
    return await task
