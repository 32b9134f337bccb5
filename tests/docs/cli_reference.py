"""Writes the help text of every command into docs/reference/cli.md.

Run it after a change of a command: ``python tests/docs/cli_reference.py``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from orrery_knowledge.cli.program import cli

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "cli.md"
MARK = "<!-- Written by tests/docs/cli_reference.py; what stands below is replaced. -->\n"
WIDTH = 90


def all_commands() -> Iterator[tuple[tuple[str, ...], click.Context]]:
    """Every command with its context, groups before what is in them."""
    root = click.Context(
        cli,
        info_name="orrery-knowledge",
        terminal_width=WIDTH,
        max_content_width=WIDTH,
        **cli.context_settings,
    )
    yield from _below(("orrery-knowledge",), root)


def _below(
    path: tuple[str, ...], context: click.Context
) -> Iterator[tuple[tuple[str, ...], click.Context]]:
    yield path, context
    group = context.command
    if isinstance(group, click.Group):
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            child = click.Context(command, info_name=name, parent=context)
            yield from _below((*path, name), child)


def rendered(page: str) -> str:
    """The page with its generated part renewed."""
    head, mark, _ = page.partition(MARK)
    assert mark, f"{PAGE.name} has lost the comment that marks its generated part"
    parts = [
        f"### {' '.join(path)}\n\n```text\n{context.command.get_help(context)}\n```\n"
        for path, context in all_commands()
    ]
    return head + mark + "\n" + "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(rendered(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
