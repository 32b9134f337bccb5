"""Ctrl-C and SIGTERM: one line, exit code 130 and no traceback, whenever they come."""

from __future__ import annotations

import atexit
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

INTERRUPTED = 130
"""Exit code of a command that was interrupted; the shell's for Ctrl-C."""

GRACE_SECONDS = 5.0
"""How long interrupted work may take to undo what it began; a kill harms no index either."""

MESSAGE = "interrupted; what was active stays active"

_NUMBERS = (signal.SIGINT, signal.SIGTERM)


def leave_when_interrupted() -> None:
    """From now on a signal ends the process at once; for as long as nothing is open.

    A handler that raises would not do: an import, a finaliser or click may swallow the exception,
    and what is read in one blocking call would go on.
    """
    for number in _NUMBERS:
        signal.signal(number, _leave)
    # The first one registered is the last one called.
    atexit.register(_done)


@contextmanager
def cancelling(cancel: Callable[[], object]) -> Iterator[None]:
    """Inside, the first signal calls `cancel`; a second one, or `GRACE_SECONDS`, ends the process.

    Args:
        cancel: stops the work; runs in a signal handler.
    """

    def first(*_: object) -> None:
        for number in _NUMBERS:
            signal.signal(number, _give_up)
        signal.signal(signal.SIGALRM, _give_up)
        signal.setitimer(signal.ITIMER_REAL, GRACE_SECONDS)
        _say()
        cancel()

    before = {number: signal.signal(number, first) for number in _NUMBERS}
    try:
        yield
    finally:
        for number, handler in before.items():
            # One that was interrupted has said so: it must not say it again.
            if signal.getsignal(number) is first:
                signal.signal(number, handler)


def _done() -> None:
    """All is done and said: a signal has nothing left to interrupt.

    Python's last act restores the handlers that it found, by which a signal would kill what has
    just ended well.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()  # may wait for whoever reads it: the last thing that can be interrupted
    signal.setitimer(signal.ITIMER_REAL, 0)
    for number in (*_NUMBERS, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)


def _leave(*_: object) -> None:
    _say()
    _give_up()


def _give_up(*_: object) -> None:
    os._exit(INTERRUPTED)


def _say() -> None:
    # Not through the stream: the signal may have come while that one was being written to.
    with suppress(OSError):
        os.write(2, f"{MESSAGE}\n".encode())
