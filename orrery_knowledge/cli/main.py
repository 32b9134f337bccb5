"""Entry point of the ``orrery-knowledge`` script; nothing is imported before signals are heeded."""

from __future__ import annotations

import io
import os
import sys

from orrery_knowledge.cli.signals import leave_when_interrupted


def main() -> None:
    """Run the command line and exit with its code."""
    leave_when_interrupted()
    _open_what_is_closed()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Documents hold characters that the terminal's encoding may not have.
        sys.stdout.reconfigure(errors="backslashreplace")
    from orrery_knowledge.cli.program import cli
    from orrery_knowledge.cli.terminal import discard_output

    try:
        cli(prog_name="orrery-knowledge")
    except BrokenPipeError:
        # Click could not say what is wrong with the arguments: nobody reads standard error.
        discard_output(err=True)
        sys.exit(2)


def _open_what_is_closed() -> None:
    """Put the null device where a standard stream is closed (``2>&-``).

    Else the index would be opened under that number, and a warning of some library written into it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number: this one
    # Python has left out the streams that it found closed; these stay open to the end.
    sys.stdin = sys.stdin or os.fdopen(0, encoding="utf-8")
    sys.stdout = sys.stdout or os.fdopen(1, "w", encoding="utf-8")
    sys.stderr = sys.stderr or os.fdopen(2, "w", encoding="utf-8")
