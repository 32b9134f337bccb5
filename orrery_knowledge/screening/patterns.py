"""Compiles every pattern of the screening, so that the engine behaves the same way for all."""

from __future__ import annotations

import re2


def compiled(pattern: str, *, memory: int | None = None, capture: bool = True) -> re2._Regexp:
    """A pattern that says nothing on standard error.

    The engine would log where a text takes its memory, and go on in a slower way: that is for the
    writer of the text to decide, who could fill a log with it.

    Args:
        pattern: in RE2's syntax.
        memory: bytes that its automaton may take; the engine's 8 MB by default.
        capture: whether groups are wanted.
    """
    options = re2.Options()
    options.log_errors = False
    options.never_capture = not capture
    if memory is not None:
        options.max_mem = memory
    return re2.compile(pattern, options)
