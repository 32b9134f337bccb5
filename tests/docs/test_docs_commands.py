"""Commands in the documentation exist, with these options; `cli.md` is what `--help` says."""

from __future__ import annotations

import re

import click
import pytest
from cli_reference import PAGE, all_commands, rendered
from docs_support import REFERENCE, ROOT, commands, names, simple_commands

from orrery_knowledge import errors
from orrery_knowledge.cli.options import INTERRUPTED
from orrery_knowledge.cli.program import cli


def parse(arguments: list[str]) -> None:
    """Let click parse a command line, down to the last subcommand; nothing is run."""
    command: click.Command = cli
    context = None
    name = "orrery-knowledge"
    while True:
        try:
            context = command.make_context(name, list(arguments), parent=context)
        except click.exceptions.Exit:  # --help, --version
            return
        if not isinstance(command, click.Group):
            return
        rest = [*context._protected_args, *context.args]
        found, subcommand, arguments = command.resolve_command(context, rest)
        assert subcommand is not None
        command, name = subcommand, found or name


CALLS = commands("orrery-knowledge")


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with the files that command lines name: click looks whether they are there."""
    for name in ("README.md", "docs/runbook.md", "docs/disk-full.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("# Runbook\n")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    "arguments", [arguments for _, arguments in CALLS], ids=[block.name for block, _ in CALLS]
)
def test_a_documented_command_line_parses(arguments, project):
    parse(arguments)


def test_there_are_command_lines_to_check():
    documented = {arguments[0] for _, arguments in CALLS if arguments}
    assert {"sync", "search", "loads", "verify", "quarantine", "screen", "chunk", "eval"} <= (
        documented
    )


@pytest.mark.parametrize(
    "wrong",
    [["snyc"], ["sync", "--fast"], ["search"], ["loads", "lst"], ["search", "x", "--mode", "both"]],
)
def test_a_wrong_command_line_is_found(wrong):
    with pytest.raises(click.UsageError):
        parse(wrong)


def test_documented_make_targets_exist():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    asked = {arguments[0] for _, arguments in commands("make") if arguments}
    assert {"demo", "test"} <= asked
    assert asked <= targets


def test_the_reference_is_what_help_says():
    """Mend with: python tests/docs/cli_reference.py."""
    assert PAGE.read_text(encoding="utf-8") == rendered(PAGE.read_text(encoding="utf-8"))


HELP = {" ".join(path): context.command.get_help(context) for path, context in all_commands()}
EXAMPLES = [
    line.split("    ")[0]
    for text in HELP.values()
    for line in map(str.strip, text.splitlines())
    if re.match(r"(.*\| )?orrery-knowledge [a-z-]", line) and "Usage:" not in line
]


@pytest.mark.parametrize("name", HELP)
def test_a_help_text_is_laid_out(name):
    """Click takes the control character, not a backslash and a letter, for "don't wrap"."""
    assert "\\b" not in HELP[name]


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_of_a_help_text_parses(example, project):
    for words in simple_commands(example):
        if words[:1] == ["orrery-knowledge"]:
            parse(words[1:])


def test_the_reference_has_every_command():
    page = PAGE.read_text(encoding="utf-8")
    for path, _ in all_commands():
        assert f"\n### {' '.join(path)}\n" in page


def test_every_exit_code_is_documented():
    raised = {
        value.exit_code
        for value in vars(errors).values()
        if isinstance(value, type) and issubclass(value, errors.KnowledgeError)
    }
    documented = {int(code) for code in names(REFERENCE / "cli.md", "Exit codes")}
    assert documented == raised | {0, INTERRUPTED}
