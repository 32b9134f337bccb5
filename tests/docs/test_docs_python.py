"""Every Python block runs as a reader would run it: in a folder with a configuration."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest
from docs_support import ROOT, blocks

CONFIGURATION = """\
backend: {type: sqlite}
embedder: {type: none}
corpora:
  runbooks:
    sources:
      - {id: handbook, type: filesystem, path: ./docs, trust: reviewed}
"""
RUNBOOK = "# Connection slots\n\nWhen `max_connections` is reached, restart the walrus proxy.\n"
# A reader's next step: ask the app of the README one question through ADK's own runner.
ASK = """
import asyncio, json
from google.adk.runners import InMemoryRunner

async def ask():
    runner = InMemoryRunner(app=app)
    events = await runner.run_debug("max_connections", quiet=True)
    await runner.close()
    return [part for event in events for part in event.content.parts]

for part in asyncio.run(ask()):
    if part.function_response:
        print(json.dumps(part.function_response.response))
    elif part.text:
        print(part.text)
"""
PYTHON = blocks("python")
RUNNABLE = [block for block in PYTHON if block.info == "python"]
FRAGMENTS = [block for block in PYTHON if block.info == "python fragment"]


@pytest.fixture(scope="session")
def indexed(tmp_path_factory):
    """A folder with one runbook in an embedded index; copied for each block."""
    folder = tmp_path_factory.mktemp("indexed")
    (folder / "orrery.yaml").write_text(CONFIGURATION)
    (folder / "docs").mkdir()
    (folder / "docs" / "slots.md").write_text(RUNBOOK)
    command_line("sync", folder=folder)
    return folder


@pytest.fixture
def folder(indexed, tmp_path):
    return shutil.copytree(indexed, tmp_path / "project")


def command_line(*arguments: str, folder, code: int = 0) -> str:
    command = [sys.executable, "-m", "orrery_knowledge.cli", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done.stdout


def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ORRERY_")}
    return kept | {
        "ORRERY_MODEL": "offline-scripted",
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'plugins'}",
    }


def run(code: str, folder, answer: str = "") -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        input=answer,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_python_block_is_run_or_marked_as_a_fragment():
    assert [block.name for block in PYTHON if block not in [*RUNNABLE, *FRAGMENTS]] == []
    assert any(block.file.name == "README.md" for block in RUNNABLE)


@pytest.mark.parametrize("block", RUNNABLE, ids=lambda block: block.name)
def test_a_block_runs(block, folder):
    run(block.content, folder)


@pytest.mark.parametrize("block", FRAGMENTS, ids=lambda block: block.name)
def test_a_fragment_compiles(block):
    compile(block.content, block.name, "exec")


def test_the_app_of_the_readme_answers_through_the_guard(folder):
    [attach] = [
        block for block in RUNNABLE if block.file.name == "README.md" and "App(" in block.content
    ]
    printed = run(attach.content + ASK, folder)
    assert "<<<RETRIEVED-DATA" in printed
    assert "restart the walrus proxy" in printed
    assert "kb:slots.md#connection-slots@" in printed


def test_the_app_of_the_readme_has_no_tool_when_knowledge_is_off(tmp_path):
    [attach] = [
        block for block in RUNNABLE if block.file.name == "README.md" and "App(" in block.content
    ]
    assert run(attach.content + "\nprint(root_agent.tools)", tmp_path).strip() == "[]"


def test_the_approval_of_the_guide_lets_a_waiting_text_answer(folder):
    [approve] = [block for block in RUNNABLE if '"approved"' in block.content]
    configuration = CONFIGURATION.replace("trust: reviewed", "trust: review")
    (folder / "orrery.yaml").write_text(configuration)
    (folder / "docs" / "new.md").write_text("# Heron\n\nFeed the heron.\n\nNow \x07.\n")
    command_line("sync", folder=folder)
    asked = run(approve.content, folder, "n\nn\n")
    assert "| Now \\x07.\n" in asked
    assert "\x07" not in asked
    command_line("sync", folder=folder)
    # Nothing at all may be shown yet, so nobody could look.
    assert command_line("search", "heron", folder=folder, code=3) == ""
    run(approve.content, folder, "y\ny\n")
    command_line("sync", folder=folder)
    found = command_line("search", "heron", folder=folder)
    assert "Feed the heron" in found
    assert "reviewed by Kim" in found
