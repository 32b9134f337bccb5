from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from orrery_knowledge import __version__
from orrery_knowledge.cli.program import COMMANDS, cli

NO_SETTINGS = {"chunk", "screen", "eval retrieval", "eval calibrate", "eval trajectory", "token"}
"""These work where knowledge is off."""

NO_RESULT = {"loads resume", "report draft", "serve"}

ARGUMENTS = {
    "search": ["pool"],
    "chunk": ["a.md"],
    "loads show": ["1"],
    "eval retrieval": ["set"],
    "eval replay": ["incident-7"],
    "route": ["payload.json"],
    "review show": ["docs:a.md@0123456789ab"],
    "review approve": ["docs:a.md@0123456789ab", "--reviewer", "ada", "--reason", "read it"],
    "review reject": ["docs:a.md@0123456789ab", "--reviewer", "ada", "--reason", "read it"],
    "review revoke": ["docs:a.md@0123456789ab", "--reviewer", "ada", "--reason", "read it"],
    "evidence show": ["incident-7"],
    "evidence check": ["incident-7"],
    "report outcome": ["incident-7", "--failed", "restart", "--reviewer", "ada"],
    "report draft": ["incident-7"],
    "report file": ["incident-7", "report.md", "--reviewer", "ada"],
    "token": ["ada"],
}
"""What a command needs beside its name."""


def commands(group: click.Group = cli, prefix: str = "") -> Iterator[tuple[str, click.Command]]:
    """Every command with its full name, groups left out."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, f"{prefix}{name} ")
        else:
            yield f"{prefix}{name}", command


ALL = dict(commands())


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()
    return lambda *arguments: runner.invoke(cli, list(arguments), prog_name="orrery-knowledge")


def test_help_lists_what_there_is_and_no_more(run) -> None:
    result = run("--help")
    assert result.exit_code == 0
    listed = result.output.partition("Commands:\n")[2].partition("\n\n")[0]
    assert re.findall(r"^  (\w+)  ", listed, re.MULTILINE) == list(COMMANDS)
    assert "Exit codes: 0 done; 1 done with failures; 2 configuration" in result.output
    assert "Examples:\n    orrery-knowledge sync\n" in result.output


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_names_what_exists(name: str) -> None:
    module, _, function = COMMANDS[name][0].partition(":")
    command = getattr(import_module(f"orrery_knowledge.cli.{module}"), function)
    assert command.name == name
    assert COMMANDS[name][1].endswith(".")


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_every_command_helps(run, name: str, flag: str) -> None:
    result = run(*name.split(), flag)
    assert result.exit_code == 0
    assert result.output.startswith(f"Usage: orrery-knowledge {name} ")
    assert result.stderr == ""
    for shared in ("--config", "--debug"):
        assert shared in result.output


@pytest.mark.parametrize("name", COMMANDS)
def test_every_top_level_command_helps(run, name: str) -> None:
    assert run(name, "--help").exit_code == 0


@pytest.mark.parametrize("name", ["sync", "search", "chunk", "screen", "eval retrieval"])
def test_examples_are_shown_as_they_are_written(run, name: str) -> None:
    output = run(*name.split(), "--help").output
    examples = output.partition("Examples:\n")[2].strip().splitlines()
    assert len(examples) >= 2
    assert all(f"orrery-knowledge {name}" in line for line in examples)


@pytest.mark.parametrize("name", ALL)
def test_what_prints_a_result_prints_it_as_json_too(name: str) -> None:
    """`screen` has its own format."""
    options = {option for p in ALL[name].params for option in p.opts}
    assert ("--json" in options) is (name not in {"screen", *NO_RESULT})


@pytest.mark.parametrize("name", sorted(set(ALL) - NO_SETTINGS))
@pytest.mark.parametrize("extra", [[], ["--json"]])
def test_where_knowledge_is_off_it_says_how_to_turn_it_on(
    run, tmp_path: Path, name: str, extra: list[str]
) -> None:
    if name in NO_RESULT:
        extra = []
    result = run(*name.split(), *ARGUMENTS.get(name, []), *extra)
    reason = (
        "knowledge is off: there is no orrery.yaml and no ORRERY_KNOWLEDGE_BACKEND; "
        "copy orrery.example.yaml to orrery.yaml and name your documents there"
    )
    assert (result.exit_code, result.stderr) == (2, f"error: {reason}\n")
    if extra:
        assert json.loads(result.stdout) == {"error": {"code": 2, "message": reason}}
    else:
        assert result.stdout == ""
    assert list(tmp_path.iterdir()) == []


# `doctor` shows it among its findings.
@pytest.mark.parametrize("name", sorted(set(ALL) - NO_SETTINGS - {"loads resume", "doctor"}))
def test_a_wrong_file_is_2_wherever_it_is_named(run, tmp_path: Path, name: str) -> None:
    (tmp_path / "wrong.yaml").write_text("nope: 1\n")
    command = [*name.split(), *ARGUMENTS.get(name, [])]
    before = run("--config", "wrong.yaml", *command)
    after = run(*command, "--config", "wrong.yaml")
    for result in (before, after):
        assert result.exit_code == 2
        assert re.fullmatch(r"error: wrong\.yaml\b.*unknown key 'nope'.*\n", result.stderr)


def test_the_nearer_config_wins(run, tmp_path: Path) -> None:
    (tmp_path / "wrong.yaml").write_text("nope: 1\n")
    result = run("--config", "missing.yaml", "loads", "list", "--config", "wrong.yaml")
    assert result.stderr.startswith("error: wrong.yaml")


@pytest.mark.parametrize("place", ["before", "after"])
def test_debug_adds_the_traceback(run, place: str) -> None:
    command = ["loads", "list"]
    result = run(*(["--debug", *command] if place == "before" else [*command, "--debug"]))
    assert result.exit_code == 2
    assert "Traceback (most recent call last)" in result.stderr
    assert result.stderr.splitlines()[-1].startswith("error: knowledge is off")


def test_the_version(run) -> None:
    assert run("--version").output == f"orrery-knowledge, version {__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [["nope"], ["loads", "nope"], ["search"], ["search", "a", "b"], ["sync", "--nope"], ["chunk"],
     ["search", "x", "--top-k", "0"], ["search", "x", "--mode", "fuzzy"], ["loads", "show", "x"],
     ["--nope"]],
)  # fmt: skip
def test_wrong_usage_is_2(run, arguments: list[str]) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Error: " in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["search", "--json"], "Missing argument 'QUERY'."),
        (["search", "x", "--top-k", "0", "--json"],
         "Invalid value for '--top-k': 0 is not in the range 1<=x<=50."),
        (["loads", "show", "--json", "x"],
         "Invalid value for 'NUMBER': 'x' is not a valid integer."),
        (["nope", "--json"], "No such command 'nope'."),
    ],
)  # fmt: skip
def test_wrong_usage_is_json_for_those_who_asked_for_json(
    run, arguments: list[str], message: str
) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert json.loads(result.stdout) == {"error": {"code": 2, "message": message}}
    assert f"Error: {message}" in result.stderr


def test_json_behind_the_end_of_options_is_a_word(run) -> None:
    result = run("search", "--top-k", "0", "--", "--json")
    assert (result.exit_code, result.stdout) == (2, "")
