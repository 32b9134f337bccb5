"""Runs somebody's code where it can neither end this program nor hold it up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from threading import Thread
from typing import Any

TIMEOUT_SECONDS = 60.0
"""How long one agent may take to be looked at."""


class Ended(Exception):
    """The code did not come to its end; holds what ended it: a class's name, or a time."""


def run_apart(work: Callable[[], Coroutine[Any, Any, None]], timeout: float) -> None:
    """Run a coroutine in a thread and an event loop of its own.

    An agent may call `sys.exit`, raise what only a signal should raise, or wait for ever. The
    thread is left behind then; it ends with the program.

    Args:
        work: makes the coroutine.
        timeout: in seconds.

    Raises:
        Ended: it raised, or it is not done in time.
    """
    ended: list[str] = []

    def run() -> None:
        try:
            asyncio.run(work())
        except BaseException as error:
            ended.append(type(error).__name__)

    thread = Thread(target=run, name="orrery-check", daemon=True)
    thread.start()
    thread.join(timeout)
    if thread.is_alive():
        raise Ended(f"it is not done after {timeout:g} s")
    if ended:
        raise Ended(f"it ended with {ended[0]}")
