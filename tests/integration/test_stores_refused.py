"""Stores that can't be used: every command says why in one line, and exits with 3."""

from __future__ import annotations

import os
import random
import subprocess
import sys

import pytest
from cli_support import Desk

COMMANDS = (
    ["sync"],
    ["verify"],
    ["quarantine", "list"],
    ["loads", "list"],
    ["search", "zebra"],
)
LIMITED = """\
import resource, runpy, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
sys.argv[:2] = ["orrery-knowledge"]
runpy.run_module("orrery_knowledge.cli", run_name="__main__")
"""
# Root may write everything, whatever a mode says; without its capabilities it is an owner.
POWERLESS = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []


def run(desk: Desk, command: list[str]) -> tuple[int, str]:
    """Exit code and standard error of a process of its own."""
    path = os.pathsep.join(one for one in sys.path if one)
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        command, cwd=desk.folder, env=environment, capture_output=True, text=True, timeout=120
    )
    return done.returncode, done.stderr


@pytest.fixture
def filled(desk: Desk) -> Desk:
    desk.write("zebra.md", "# Zebra\n\nA zebra crosses the road.\n")
    assert desk.run("sync").code == 0
    return desk


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_folder_that_can_not_be_written(filled: Desk, words: list[str]) -> None:
    state = filled.folder / ".orrery"
    for file in state.iterdir():
        file.chmod(0o444)
    state.chmod(0o555)
    try:
        code, err = run(filled, [*POWERLESS, sys.executable, "-m", "orrery_knowledge.cli", *words])
    finally:
        state.chmod(0o755)
    assert (code, err.count("\n")) == (3, 1), err
    assert "it is read-only; make its folder writable, or set `state`" in err


@pytest.mark.parametrize("limit", [0, 40_000, 87_040])
def test_a_ledger_that_may_not_grow(desk: Desk, limit: int) -> None:
    desk.write("zebra.md", "# Zebra\n\nA zebra crosses the road.\n")
    code, err = run(desk, [sys.executable, "-c", LIMITED, str(limit), "sync"])
    assert (code, err) == (
        3,
        f"error: the ledger {desk.folder}/.orrery/ledger.db can't grow: this process may write "
        f"files of at most {limit} bytes; raise that limit (ulimit -f)\n",
    )


def test_an_index_that_may_not_grow(filled: Desk) -> None:
    for number in range(20):
        text = " ".join(f"word{number}x{n}" for n in range(3_000))
        filled.write(f"long-{number}.md", f"# Long {number}\n\n{text}\n")
    code, err = run(filled, [sys.executable, "-c", LIMITED, "200000", "sync"])
    assert (code, err) == (
        3,
        "error: index index.db: this process may write files of at most 200000 bytes; raise that "
        "limit (ulimit -f); what was active stays active\n",
    )
    assert "crosses" in filled.run("search", "zebra", "--json").json["passages"][0]["text"]
    assert filled.run("sync").code == 0


@pytest.mark.parametrize("words", [one for one in COMMANDS if one[0] != "loads"], ids=" ".join)
def test_a_ledger_whose_first_bytes_are_gone(filled: Desk, words: list[str]) -> None:
    ledger = filled.folder / ".orrery" / "ledger.db"
    for rest in ledger.parent.glob("ledger.db-*"):
        rest.unlink()
    data = bytearray(ledger.read_bytes())
    data[:100] = random.Random(11).randbytes(100)
    ledger.write_bytes(data)
    ran = filled.run(*words)
    assert (ran.code, ran.err.count("\n")) == (3, 1), ran
    assert "is damaged, or is no ledger: restore it from your backup" in ran.err
    assert "never delete it to get going" in ran.err
    assert ledger.read_bytes() == data


@pytest.mark.parametrize("blocks", [100, 110, 120, 200])
def test_a_first_sync_under_a_limit_says_which(desk: Desk, blocks: int) -> None:
    """SQLite rolls back a failed migration by itself: doing so again hid the reason (up to 130)."""
    size = blocks * 1024
    for number in range(20):
        desk.write(f"{number}.md", f"# Zebra {number}\n\n" + "A zebra crosses the road.\n\n" * 400)
    code, err = run(desk, [sys.executable, "-c", LIMITED, str(size), "sync"])
    assert code == 3
    assert err.splitlines()[-1].startswith("error: index index.db: ")
    assert f"may write files of at most {size} bytes; raise that limit (ulimit -f)" in err


@pytest.mark.parametrize("text", ["", "embedder: none\n", "corpora: {a: {sources: []}}\n"])
def test_a_configuration_without_sources_says_what_to_add(desk: Desk, text: str) -> None:
    (desk.folder / "orrery.yaml").write_text(text)
    ran = desk.run("sync")
    place = "orrery.yaml, line 1" if "corpora" in text else "orrery.yaml"
    assert (ran.code, ran.err) == (
        2,
        f"error: {place}: there are no documents to index: name them under corpora, for example "
        "`corpora: {runbooks: {sources: [{type: git, url: ., trust: reviewed}]}}`\n",
    )


def test_a_root_that_is_not_there_is_not_made(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORRERY_KNOWLEDGE_ROOT", str(desk.folder / "nope"))
    ran = desk.run("sync")
    assert (ran.code, ran.err) == (
        2,
        f"error: environment, ORRERY_KNOWLEDGE_ROOT: root is {desk.folder}/nope, and there is no "
        "such folder\n",
    )
    assert not (desk.folder / "nope").exists()
