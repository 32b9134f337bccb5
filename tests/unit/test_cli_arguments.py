"""Every option and argument of every command, with values that nobody should give it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import click
import pytest
from cli_support import Desk

from orrery_knowledge.cli.program import cli

NUMBERS = [
    "99999999999999999999", "-99999999999999999999", "9" * 5000, "99999999999999", "4294967296",
    "2147483648", "-1", "0", "nan", "inf", "1e3", "1.5", "0x10", "1_0", "\u0663", "\u00b2", " 3 ",
    "", "one", "-0", "+1",
]  # fmt: skip
WORDS = [
    "", " ", "\u0663", "../..", "/", "/nope/nope", ".", "x" * 5000, "a\nb\x1b[2J", "\udcff",
    "-", "--", "'; DROP TABLE load; --", "%s%n", "\u202e", "\U0001f600", "a" * 300,
]  # fmt: skip
NEEDED = {
    "search": ["zebra"], "chunk": ["docs/a.md"], "loads show": ["1"], "screen": ["docs/a.md"],
    "eval retrieval": ["nothing"],
}  # fmt: skip
"""What a command needs beside the option that is tried out."""


def commands(
    group: click.Group = cli, names: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, (*names, name))
        else:
            yield (*names, name), command


def cases() -> Iterator[tuple[list[str], str]]:
    """The words before the value, and which kind of value; one for each parameter."""
    for names, command in commands():
        if names == ("serve",):
            continue  # a port that is fit opens a socket; see the rows below
        needed = NEEDED.get(" ".join(names), [])
        for parameter in command.params:
            kind = "number" if isinstance(parameter.type, click.types.IntParamType) else "word"
            if isinstance(parameter, click.Argument):
                yield [*names, "--"], kind
            elif isinstance(parameter, click.Option) and not parameter.is_flag:
                yield [*names, *needed, parameter.opts[0]], kind


CASES = list(cases())


def test_there_is_something_to_try() -> None:
    tried = [" ".join(words) for words, _ in CASES]
    for expected in (
        "search zebra --top-k", "search zebra --per-document", "loads gc --keep",
        "loads gc --min-age", "loads rollback --", "loads show --", "chunk docs/a.md --size",
        "search --", "search zebra --service", "search zebra --investigation", "screen --",
        "sync --config", "sync --source", "eval retrieval nothing --run-file",
    ):  # fmt: skip
        assert expected in tried


@pytest.mark.parametrize(("words", "kind"), CASES, ids=lambda case: str(case)[:60])
def test_no_value_ends_in_a_traceback(desk: Desk, words: list[str], kind: str) -> None:
    """`Desk.run` lets every exception through that the command line doesn't handle."""
    desk.write("a.md", "# A\n\nzebra\n")
    assert desk.run("sync").code == 0
    for value in NUMBERS if kind == "number" else WORDS:
        ran = desk.run(*words, value, stdin="")
        assert ran.code in (0, 1, 2, 5), (value, ran)
        assert not set(ran.out + ran.err) & set("\x1b\x07\r\u202e"), value
        if ran.code:
            assert ran.err or ran.out, value


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["serve", "--port", "99999999999999999999"], 2),
        (["serve", "--port", "-1"], 2),
        (["serve", "--port", "nan"], 2),
        (["serve", "--port", ""], 2),
        (["serve", "--host", "a\nb\x1b[2J"], 2),
        (["loads", "rollback", "99999999999999999999"], 5),
        (["loads", "rollback", "2147483648"], 5),
        (["loads", "show", "99999999999999999999"], 5),
        (["loads", "gc", "--min-age", "99999999999999"], 2),
        (["loads", "gc", "--keep", "99999999999999999999"], 2),
        (["search", "x", "--top-k", "99999999999999999999"], 2),
        (["search", "x", "--per-document", "99999999999999999999"], 2),
        (["search", "x", "--service", "\udcff"], 2),
        (["search", "x", "--corpus", ""], 2),
        (["search", "x", "--investigation", "\udcff"], 2),
        (["loads", "list", "--config", "x" * 5000], 2),
    ],
)  # fmt: skip
def test_it_is_the_right_code_in_one_line_and_in_json(
    desk: Desk, arguments: list[str], code: int
) -> None:
    desk.write("a.md", "# A\n\nx\n")
    assert desk.run("sync").code == 0
    ran = desk.run(*arguments)
    assert (ran.code, ran.out) == (code, "")
    assert "rror: " in ran.err.splitlines()[-1] or ran.err.startswith("invalid: ")
    said = json.loads(desk.run(*arguments, "--json").out)
    assert said.get("error", {}).get("code", code) == code
    assert "error" in said or said["status"] == "invalid"
