"""What the demo prints: passages as people read them, harmless whatever they hold."""

from __future__ import annotations

import json
import shutil
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from orrery_knowledge.cli.terminal import printable

__all__ = ["printable", "show_answer", "show_call", "show_result", "wrapped"]

MAX_WIDTH = 100
FENCE = "<<<RETRIEVED-DATA "
BEGINNING = 3
"""How many lines of a passage are shown that isn't the best one."""


def show_call(name: str, arguments: Mapping[str, Any]) -> None:
    """The model's call of a tool."""
    given = ", ".join(
        f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in arguments.items()
    )
    for line in wrapped(f"agent calls {name}({given})", "", "    "):
        print(line)


def show_result(result: Mapping[str, Any]) -> None:
    """The tool's result as the model got it: screened, redacted, capped, fenced."""
    status = result.get("status")
    confidence = f"confidence {result.get('confidence', 0):.2f}"
    if status != "ok":
        reason = result.get("reason")
        print(printable(f"status {status}" + (f": {reason}" if reason else "")) + "\n")
        return
    sure = "" if result.get("confident") else ": not confident, read with care"
    print(f"status ok, {confidence}{sure}")
    print("The best passage as the model gets it, fenced as data; of the others the beginning.\n")
    for number, passage in enumerate(result.get("passages", []), start=1):
        _show_passage(number, passage)


def show_answer(text: str) -> None:
    """The agent's answer."""
    print("agent:")
    for line in text.split("\n"):
        for piece in wrapped(line, "  ", "    "):
            print(piece)


def wrapped(line: str, first: str, rest: str) -> Iterator[str]:
    """One line of a text as lines that fit the terminal; only spaces are broken at.

    Args:
        line: hostile or not.
        first: what the first of them begins with.
        rest: what the others begin with.
    """
    width = max(40, min(MAX_WIDTH, shutil.get_terminal_size((MAX_WIDTH, 24)).columns))
    clean = printable(line.removesuffix("\r"))
    yield from textwrap.wrap(
        clean,
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [first.rstrip()]


def _show_passage(number: int, passage: Mapping[str, Any]) -> None:
    age = "age unknown" if passage["age_days"] is None else f"{passage['age_days']} days old"
    stale = "; STALE" if passage["stale"] else ""
    lines = f"lines {passage['line_start']}-{passage['line_end']}"
    print(printable(f"{number}. {passage['label']}"))
    print(printable(f"   cite as  {passage['citation']}"))
    print(printable(f"   source   {passage['source']} {lines}, corpus {passage['corpus']}"))
    print(printable(f"   trust    {passage['trust']}; {age}{stale}"))
    print(printable(f"   matched  {', '.join(passage['matched'])}; score {passage['score']:.3f}"))
    text = passage["text"].strip().split("\n")
    if number > 1:
        text = [line for line in text if line.strip()]
        text = text[1:-1] if text[0].startswith(FENCE) else text
    cut = number > 1 and len(text) > BEGINNING
    for line in text[:BEGINNING] if cut else text:
        indent = " " * (len(line) - len(line.lstrip()))
        for piece in wrapped(line, "   | ", f"   | {indent}  "):
            print(piece)
    if cut:
        print("   | ...")
    print()
