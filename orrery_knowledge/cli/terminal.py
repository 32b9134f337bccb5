"""What documents say is data: nothing in it may steer the terminal that shows it."""

from __future__ import annotations

import json
import sys
import unicodedata
from typing import Any

import click


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


def say(text: str = "") -> None:
    """Print a line of output."""
    click.echo(printable(text))


def warn(text: str) -> None:
    """Print a line for people, apart from the output that programs read."""
    click.echo(printable(text), err=True)


def print_json(value: Any) -> None:
    """Print a result for programs; ASCII, so control characters are always escaped."""
    click.echo(json.dumps(value, indent=2, sort_keys=False))


def is_terminal() -> bool:
    """Whether progress is shown to a person."""
    return sys.stderr.isatty()
