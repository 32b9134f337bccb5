"""Options that every command shares, and the one place where errors become exit codes."""

from __future__ import annotations

import asyncio
import functools
import traceback
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any, ParamSpec

import click

from orrery_knowledge.cli.signals import INTERRUPTED, MESSAGE, cancelling
from orrery_knowledge.cli.terminal import discard_output, drop_unwritten, print_error, warn
from orrery_knowledge.errors import KnowledgeError

P = ParamSpec("P")

Work = Coroutine[Any, Any, int] | int
"""What a command's body gives: its exit code, at once or when it has run."""

as_json = click.option("--json", "json_", is_flag=True, help="Print the result as JSON.")
config = click.option(
    "--config",
    type=click.Path(path_type=Path),
    default=None,
    help="Configuration file (default: orrery.yaml).",
)
debug = click.option("--debug", is_flag=True, help="Show the traceback of an error.")


def command(work: Callable[P, Work]) -> Callable[P, None]:
    """Run a command body that returns its exit code, with `--config` and `--debug`.

    Options given before the command's name count too. Errors of ours become one line and the exit
    code of their class, with `--json` an object on stdout besides. Ctrl-C and SIGTERM cancel an
    async body, let it clean up, and exit with 130.

    Args:
        work: async when it opens an index or ledger. A plain function may block (on standard
            input, say): a signal ends it at once.
    """

    @config
    @debug
    @click.pass_context
    @functools.wraps(work)
    def run(context: click.Context, /, *args: P.args, **kwargs: P.kwargs) -> None:
        outer = context.find_root().params
        kwargs["config"] = kwargs.get("config") or outer.get("config")
        show = bool(kwargs.pop("debug") or outer.get("debug"))
        in_json = bool(kwargs.get("json_"))
        context.exit(_run(lambda: work(*args, **kwargs), show, in_json))

    return run


def _run(work: Callable[[], Work], show: bool, in_json: bool) -> int:
    try:
        begun = work()
        return begun if isinstance(begun, int) else asyncio.run(_cancellable(begun))
    except asyncio.CancelledError:
        return INTERRUPTED  # the signal's handler has said so
    except KeyboardInterrupt:  # we were called by somebody with handlers of their own
        warn(MESSAGE)
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has gone, and there is no end to what would come.
        discard_output()
        return 0
    except KnowledgeError as error:
        return _failed(str(error), error.exit_code, show, in_json)
    except OSError as error:  # output that can't be written
        what = f"{error.filename or 'output'}: {error.strerror or error}"
        drop_unwritten()
        return _failed(what, 1, show, in_json)


def _failed(what: str, code: int, show: bool, in_json: bool) -> int:
    """Say in one line what went wrong, and once more for programs."""
    if show:
        traceback.print_exc()
    warn(f"error: {what}")
    if in_json:
        with suppress(OSError):
            print_error(code, what)
    return code


async def _cancellable(work: Coroutine[Any, Any, int]) -> int:
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    with cancelling(lambda: loop.call_soon_threadsafe(task.cancel)):
        return await task
