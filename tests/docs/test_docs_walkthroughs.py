"""README and guides followed to the letter: each file is written, each command line is run."""

from __future__ import annotations

import json
from subprocess import CompletedProcess

import pytest
import yaml
from checkout_support import Checkout
from docs_support import ROOT, SHELLS, Block, blocks

# Setting up and what serves for ever: the rest is run. Targets of make have tests of their own.
NOT_RUN = (
    ". .venv/bin/activate",
    "python3 -m venv",
    "pip install",
    "make test",
    "ORRERY_MODEL=offline-scripted make run-web",
)
SECTION = "docs/guides/sources.md § What quarantines a document"


def guide(name: str) -> list[Block]:
    """The blocks of a page, in order."""
    found = blocks(*SHELLS, "yaml", "markdown", "python", "text")
    return [block for block in found if block.file == ROOT / name]


def lines_of(block: Block) -> list[str]:
    """Its command lines."""
    lines = [line.removeprefix("$ ") for line in block.content.splitlines()]
    return [line for line in lines if not line.startswith(NOT_RUN)]


def walk(page: list[Block], checkout: Checkout) -> dict[str, CompletedProcess[str]]:
    """Do what a page says; returns what each command line printed, all of which succeed."""
    done = {}
    for block in page:
        kind = block.info.split()[0]
        if kind == "yaml":
            (checkout.folder / "orrery.yaml").write_text(block.content)
        elif kind == "markdown":
            (checkout.folder / "docs" / "disk-full.md").write_text(block.content)
        elif kind == "python" and "App(" in block.content:
            (checkout.folder / "on_call").mkdir()
            (checkout.folder / "on_call" / "agent.py").write_text(block.content)
        for line in lines_of(block) if kind in SHELLS else ():
            done[line] = ran = checkout.run(line)
            assert ran.returncode == 0, f"{block.name}: {line}: {ran.stderr}"
    return done


@pytest.fixture(scope="module")
def clone(tmp_path_factory) -> Checkout:
    """A clone as the README finds it: its documentation is committed."""
    checkout = Checkout(tmp_path_factory.mktemp("clone"))
    identity = "-c user.name=a -c user.email=a@example.com"
    ready = checkout.run(f"git init -q && git add docs && git {identity} commit -qm docs")
    assert ready.returncode == 0, ready.stderr
    return checkout


@pytest.fixture(scope="module")
def readme(clone) -> dict[str, CompletedProcess[str]]:
    return walk(guide("README.md"), clone)


def only(done: dict[str, CompletedProcess[str]], part: str) -> CompletedProcess[str]:
    [ran] = [ran for line, ran in done.items() if part in line]
    return ran


def test_the_readme_asks_the_folder_that_it_names(readme):
    printed = only(readme, "make demo DOCS=").stdout
    assert "\n1. sources.md § What quarantines a document\n" in printed
    assert "not confident" not in printed


def test_the_search_of_the_readme_finds_the_section_that_it_names(readme):
    assert only(readme, "orrery-knowledge search").stdout.startswith(f"1. {SECTION}\n")


def test_the_agent_of_the_readme_runs(readme):
    answer = only(readme, "adk run").stdout
    assert f"[on_call]: What was written about this:\n- {SECTION} [kb:docs/" in answer


def test_the_agents_of_the_guide_run_as_it_says(readme, clone):
    page = [block for block in guide("docs/guides/agents.md") if block.info in SHELLS]
    answer = only(walk(page, clone), "adk run").stdout
    assert f"[orrery_assistant]: What was written about this:\n- {SECTION} [kb:docs/" in answer
    # It says that nothing stays on disk.
    assert not list((clone.folder / "agents").rglob(".adk"))


def test_getting_started_from_an_empty_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("project")
    checkout = Checkout(folder, contents=False)
    (folder / "docs").mkdir()
    page = guide("docs/guides/getting-started.md")
    done = walk(page, checkout)
    [summary] = [block.content for block in page if block.info == "text"]
    assert done["orrery-knowledge sync"].stdout.endswith(summary)
    label = "disk-full.md § The disk of the build server is full"
    assert only(done, "no space left").stdout.startswith(f"1. {label}\n")
    assert only(done, "BuildDiskFull").stdout.startswith(f"1. {label}\n")
    found = json.loads(only(done, "--json").stdout)
    assert (found["status"], found["confident"]) == ("ok", True)
    assert found["passages"][0]["label"] == label
    assert only(done, "coffee").stdout.startswith("no match:")
    assert only(done, "--older-than").stdout.startswith("1. disk-full.md § Free space\n")


def test_what_is_not_run_is_only_set_up():
    """A new command can't hide among the exceptions, and a stale exception is found."""
    pages = ("README.md", "docs/guides/getting-started.md", "docs/guides/agents.md")
    shown = [
        line.removeprefix("$ ")
        for page in pages
        for block in guide(page)
        if block.info in SHELLS
        for line in block.content.splitlines()
    ]
    for start in NOT_RUN:
        assert any(line.startswith(start) for line in shown)


def test_the_example_file_is_the_readme_s():
    """The README says that the two are the same but for comments (and defaults)."""
    [shown] = [block.content for block in guide("README.md") if block.info == "yaml"]
    example = yaml.safe_load((ROOT / "orrery.example.yaml").read_text())
    assert example["corpora"] == yaml.safe_load(shown)["corpora"]
