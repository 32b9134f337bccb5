"""Eval sets and scripts that are not right: one line each; and the command line around them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from orrery_knowledge.adk.trajectory_scores import cited
from orrery_knowledge.adk.trajectory_sets import read_scenarios, read_world
from orrery_knowledge.cli.program import cli
from orrery_knowledge.errors import ConfigurationError

ROOT = Path(__file__).resolve().parents[2]


def case(name: str, *, turns: int = 1) -> dict[str, Any]:
    turn = {"user_content": {"role": "user", "parts": [{"text": "hello"}]}}
    return {"eval_id": name, "conversation": [turn] * turns}


class Folder:
    """A folder with one agent's eval set, beside the sample knowledge."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.sets = root / "orrery_assistant"
        self.sets.mkdir()
        self.world({"agents": str(ROOT / "agents"), "corpora": {"notes": "notes"}})
        (root / "notes").mkdir()
        (root / "notes" / "a.md").write_text("# Notes\n\nVaultSealed: unseal it.\n")

    def world(self, value: Any) -> None:
        (self.root / "world.json").write_text(json.dumps(value))

    def write(self, cases: Any, scripts: Any, name: str = "one") -> Path:
        file = self.sets / f"{name}.evalset.json"
        file.write_text(json.dumps({"eval_set_id": name, "eval_cases": cases}))
        (self.sets / f"{name}.scripts.json").write_text(json.dumps(scripts))
        return file


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    monkeypatch.chdir(tmp_path)
    return Folder(tmp_path)


GOOD = {"turns": [[{"say": "hello"}]]}


def test_a_case_and_its_script_are_read_together(folder: Folder) -> None:
    file = folder.write([case("greeting")], {"greeting": GOOD})
    [scenario] = read_scenarios([file])
    assert (scenario.agent, scenario.name) == ("orrery_assistant", "greeting")
    assert scenario.script.turns[0][0].say == "hello"
    assert [s.name for s in read_scenarios([folder.root, file])] == ["greeting"]


@pytest.mark.parametrize(
    ("cases", "scripts", "said"),
    [
        ([case("a")], {}, "no case or no script for 'a'"),
        ([case("a")], {"a": GOOD, "b": GOOD}, "no case or no script for 'b'"),
        ([case("a", turns=2)], {"a": GOOD}, "a turn for each user message"),
        ([case("a")], {"a": {"turn": []}}, "one.scripts.json: a: turns: Field required"),
        ([case("a")], [], "not an object of scripts"),
        ([{"eval_id": 1}], {"a": GOOD}, "one.evalset.json: eval_cases.0"),
        ([case("a"), case("a")], {"a": GOOD}, "there are two scenarios 'a'"),
    ],
)
def test_what_does_not_meet_is_refused(folder: Folder, cases: Any, scripts: Any, said: str) -> None:
    file = folder.write(cases, scripts)
    with pytest.raises(ConfigurationError) as refused:
        read_scenarios([file])
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_files_that_are_not_there_or_not_json_are_refused(folder: Folder) -> None:
    with pytest.raises(ConfigurationError, match=r"no file \*\.evalset\.json"):
        read_scenarios([folder.sets])
    with pytest.raises(ConfigurationError, match="No such file"):
        read_scenarios([folder.sets / "two.evalset.json"])
    with pytest.raises(ConfigurationError, match=r"is no folder and no \*\.evalset\.json"):
        read_scenarios([folder.root / "notes" / "a.md"])
    (folder.sets / "bad.evalset.json").write_bytes(b"\xff{")
    with pytest.raises(ConfigurationError, match="not JSON in UTF-8"):
        read_scenarios([folder.sets])


def test_the_world_is_the_nearest_above(folder: Folder) -> None:
    file = folder.write([case("a")], {"a": GOOD})
    world, where = read_world([file, folder.sets])
    assert (list(world.corpora), where) == (["notes"], folder.root)
    (folder.sets / "world.json").write_text('{"agents": "x", "corpora": {}}')
    with pytest.raises(ConfigurationError, match=r"more than one world\.json"):
        read_world([file, folder.root])
    folder.world({"agents": "x"})
    with pytest.raises(ConfigurationError, match=r"world\.json: corpora: Field required"):
        read_world([folder.root])


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["eval", "trajectory", *arguments], catch_exceptions=False)


def test_a_scenario_that_falls_is_named_and_exits_1(folder: Folder) -> None:
    folder.write(
        [case("good"), case("bad")],
        {"good": GOOD, "bad": {**GOOD, "must": {"says": ["goodbye"]}}},
    )
    done = run(str(folder.sets))
    assert done.exit_code == 1
    assert done.stdout.splitlines() == [
        "orrery_assistant",
        f"  {'good':<36}passed",
        f"  {'bad':<36}FELL",
        "      does not say 'goodbye'",
        "1 of 2 scenarios passed",
    ]
    in_json = run(str(folder.sets), "--json")
    assert in_json.exit_code == 1
    assert json.loads(in_json.stdout) == [
        {"agent": "orrery_assistant", "scenario": "good", "passed": True, "problems": []},
        {
            "agent": "orrery_assistant",
            "scenario": "bad",
            "passed": False,
            "problems": ["does not say 'goodbye'"],
        },
    ]


def test_all_that_pass_exit_0_and_nothing_is_left_in_the_folder(folder: Folder) -> None:
    folder.write([case("good")], {"good": GOOD})
    before = sorted(folder.root.rglob("*"))
    assert run(str(folder.sets)).exit_code == 0
    assert sorted(folder.root.rglob("*")) == before


def test_an_agent_a_corpus_or_a_tool_that_is_not_there_exits_2(folder: Folder) -> None:
    folder.write([case("a")], {"a": {**GOOD, "tools": {"format_disk": ""}}})
    assert "there is no fixture tool 'format_disk'" in run(str(folder.sets)).stderr
    shutil.rmtree(folder.root / "notes")
    done = run(str(folder.sets))
    assert done.exit_code == 2
    assert "there is no folder" in done.stderr
    folder.sets.rename(folder.root / "nobody")
    done = run(str(folder.root))
    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)
    assert "there is no agent 'nobody'" in done.stderr


@pytest.mark.parametrize(
    ("name", "code", "what"),
    [
        ("raising", "raise RuntimeError('no')", "RuntimeError"),
        ("leaving", "exit(0)", "SystemExit"),
        ("misspelt", "def", "SyntaxError"),
    ],
)
def test_an_agent_that_does_not_load_exits_2_in_one_line(
    folder: Folder, name: str, code: str, what: str
) -> None:
    folder.sets = folder.sets.rename(folder.root / name)
    folder.write([case("a")], {"a": GOOD})
    (folder.root / "agents" / name).mkdir(parents=True)
    (folder.root / "agents" / name / "__init__.py").write_text("")
    (folder.root / "agents" / name / "agent.py").write_text(f"{code}\n")
    folder.world({"agents": "agents", "corpora": {"notes": "notes"}})
    done = run(str(folder.sets))
    assert (done.exit_code, done.stderr) == (2, f"error: agent '{name}' does not load: {what}\n")


def test_the_default_folder_is_named_when_it_is_not_there(folder: Folder) -> None:
    done = run()
    assert done.exit_code == 2
    assert "evals/trajectory" in done.stderr


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("See [kb:a.md#b~2@1a2b3c4], and kb:c.md.", ["kb:a.md#b~2@1a2b3c4", "kb:c.md"]),
        ("(kb:notes:a.md@1a2b3c4) twice kb:notes:a.md@1a2b3c4", ["kb:notes:a.md@1a2b3c4"]),
        ("nothing", []),
    ],
)
def test_citations_are_found_in_text(text: str, found: list[str]) -> None:
    assert cited(text) == found
