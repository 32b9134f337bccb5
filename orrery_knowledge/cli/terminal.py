"""What documents say is data: nothing in it may steer the terminal that shows it."""

from __future__ import annotations

import json
import os
import re
import sys
import unicodedata
from contextlib import suppress
from typing import Any

import click

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def printable(text: str) -> str:
    r"""Replace control, formatting and surrogate characters by their visible escapes (``\x1b``).

    Line ends too: a file's name or a title must not be able to add a line of its own.
    """
    return "".join(
        char
        if char == "\t" or unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Zl", "Zp"}
        else char.encode("unicode_escape", "surrogatepass").decode("ascii")
        for char in text
    )


def printable_lines(text: str) -> str:
    """The same for a text of several lines, which keeps its line ends."""
    return "\n".join(map(printable, text.split("\n")))


def say(text: str = "") -> None:
    """Print a line of output."""
    _print(printable(text))


def warn(text: str) -> None:
    """Print a line for people, apart from the output that programs read."""
    # The result counts, whether or not somebody listens to this.
    try:
        _print(printable(text), err=True)
    except OSError:
        discard_output(err=True)


def print_text(text: str) -> None:
    r"""Print a text that is the result itself, line ends and all.

    A terminal sees no character that steers it. A pipe gets the text as it is but for control
    characters (``\x1b``), because somebody may well page through what comes out of it.
    """
    if sys.stdout is not None and sys.stdout.isatty():
        shown = printable_lines(text)
    else:
        shown = _CONTROL.sub(lambda found: printable(found[0]), text)
    click.echo(shown, nl=False)


def print_json(value: Any) -> None:
    """Print a result for programs; ASCII, so control characters are always escaped."""
    _print(json.dumps(value, indent=2, sort_keys=False))


def print_error(code: int, message: str) -> None:
    """Print for programs why there is no result."""
    print_json({"error": {"code": code, "message": message}})


def plural(count: int, noun: str) -> str:
    """A count with its noun: ``1 document``, ``2 documents``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def is_terminal() -> bool:
    """Whether progress is shown to a person."""
    return sys.stderr is not None and sys.stderr.isatty()


def discard_output(*, err: bool = False) -> None:
    """Let nothing more go to stdout or stderr, so that Python's last flush can't fail either."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), (sys.stderr if err else sys.stdout).fileno())


def drop_unwritten() -> None:
    """Forget output that can't be written: Python's last flush would fail on it once more."""
    try:
        sys.stdout.flush()
    except OSError:
        discard_output()


def _print(line: str, *, err: bool = False) -> None:
    try:
        click.echo(line, err=err)
    except BrokenPipeError:
        # Whoever read has seen enough. The command goes on: its exit code tells how it ended.
        discard_output(err=err)
