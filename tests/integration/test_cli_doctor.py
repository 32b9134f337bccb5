"""`orrery-knowledge doctor`: the installation, and agents in a folder as ADK loads them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from adk_support import finished, index_runbook

AGENT = """\
from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.plugins.multimodal_tool_results_plugin import MultimodalToolResultsPlugin
from google.adk.tools.url_context_tool import UrlContextTool

from orrery_plugins import SafetyScreenPlugin, knowledge_plugins


def look() -> str:
    '''Look.'''
    return "nothing"


root_agent = LlmAgent(name="{name}", model="gemini-2.5-flash", tools=[{tools}])
app = App(name="{name}", root_agent=root_agent, plugins=[{plugins}])
"""
GUARD = "*knowledge_plugins()"


def write(folder: Path, name: str, *, tools: str = "look", plugins: str = GUARD) -> Path:
    package = folder / "agents" / name
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("from . import agent\n")
    (package / "agent.py").write_text(AGENT.format(name=name, tools=tools, plugins=plugins))
    return package


def doctor(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    start = "import sys; from orrery_knowledge.cli.main import main; sys.exit(main())"
    return finished([sys.executable, "-c", start, "doctor", *arguments], folder)


def agents(done: subprocess.CompletedProcess[str]) -> list[tuple[str, bool, str]]:
    """What the JSON says of the agents: name, whether it is well, and the finding's id."""
    return [
        (
            check["name"].removeprefix("agent "),
            check["ok"],
            ": ".join(check["detail"].split(": ")[:2]),
        )
        for check in json.loads(done.stdout)["checks"]
        if check["name"].startswith("agent ")
    ]


def test_a_healthy_installation_with_a_guarded_agent(tmp_path: Path) -> None:
    index_runbook(tmp_path)
    write(tmp_path, "on_call")
    done = doctor(tmp_path, "agents")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "ok      configuration: backend sqlite, embedder none",
        "ok      index: load 1 answers, with documents: 1",
        "ok      ledger: answers, with documents in quarantine: 0",
        "ok      embedder: none: search goes by words alone",
        "ok      agent on_call: no way past the guard; the canaries did not get through it",
    ]


def test_one_agent_folder_is_enough(tmp_path: Path) -> None:
    index_runbook(tmp_path)
    done = doctor(tmp_path, str(write(tmp_path, "on_call")))
    assert done.returncode == 0
    assert "agent on_call: no way past the guard" in done.stdout


def test_what_was_never_indexed_is_no_health(tmp_path: Path) -> None:
    index_runbook(tmp_path)
    (tmp_path / ".orrery" / "index.db").unlink()
    done = doctor(tmp_path, "--json")
    assert done.returncode == 3
    checks = {check["name"]: check["ok"] for check in json.loads(done.stdout)["checks"]}
    assert checks == {"configuration": True, "index": False, "ledger": True, "embedder": True}


def test_an_index_that_may_show_nothing_is_no_health(tmp_path: Path) -> None:
    index_runbook(tmp_path)
    settings = tmp_path / "orrery.yaml"
    settings.write_text(settings.read_text().replace("reviewed", "review"))
    start = "import sys; from orrery_knowledge.cli.main import main; sys.exit(main())"
    assert finished([sys.executable, "-c", start, "sync"], tmp_path).returncode == 0
    done = doctor(tmp_path)
    assert done.returncode == 3
    assert "FAILED  index: no document may be shown yet: 1 waits for a review\n" in done.stdout


def test_without_knowledge_the_agents_can_be_checked_all_the_same(tmp_path: Path) -> None:
    write(tmp_path, "on_call")
    done = doctor(tmp_path, "agents")
    assert done.returncode == 0
    assert done.stdout.startswith("ok      configuration: knowledge is off (")
    assert doctor(tmp_path).returncode == 2


def test_every_kind_of_hole_is_named(tmp_path: Path) -> None:
    write(tmp_path, "bare").joinpath("__init__.py").write_text("from .agent import root_agent\n")
    write(tmp_path, "grounded", tools="UrlContextTool()")
    write(tmp_path, "half", plugins="SafetyScreenPlugin()")
    write(tmp_path, "second", plugins=f"MultimodalToolResultsPlugin(), {GUARD}")
    write(tmp_path, "unguarded", plugins="")
    done = doctor(tmp_path, "agents", "--json")
    assert done.returncode == 1
    assert agents(done) == [
        ("bare", False, "bare: no_app"),
        ("grounded", False, "grounded > tool url_context: server_tool"),
        ("half", False, "app half: no_guard"),
        ("half", False, "app half > live proof: access_key_in_model"),
        ("half", False, "app half > live proof: access_key_in_session"),
        ("second", False, "app second: guard_not_first"),
        (
            "second",
            False,
            "app second > plugin multimodal_tool_results_plugin: before_model_callback",
        ),
        ("second", False, "app second > live proof: proof_failed"),
        ("unguarded", False, "app unguarded: no_guard"),
        ("unguarded", False, "app unguarded > live proof: instruction_in_model"),
        ("unguarded", False, "app unguarded > live proof: access_key_in_model"),
        ("unguarded", False, "app unguarded > live proof: instruction_in_session"),
        ("unguarded", False, "app unguarded > live proof: access_key_in_session"),
        ("unguarded", False, "app unguarded > live proof: proof_failed"),
    ]
    assert "Traceback" not in done.stderr


def test_a_waiver_is_read_from_a_file(tmp_path: Path) -> None:
    write(tmp_path, "grounded", tools="UrlContextTool()")
    waivers = tmp_path / "waivers.yaml"
    waivers.write_text(
        "grounded:\n  'grounded > tool url_context: server_tool': only pages of our own\n"
    )
    done = doctor(tmp_path, "agents", "--waivers", "waivers.yaml")
    assert done.returncode == 0
    assert "agent grounded: no way past the guard but for waivers: 1; the canaries" in done.stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("grounded:\n  x: ''\n", "waiver 'x' gives no reason; say why the way is safe"),
        ("other:\n  x: y\n", "the waivers name agents that are not there: other (there are: gr"),
        ("- x\n", "waivers.yaml: waivers are given as agent name, then finding, then reason"),
        ("a: [\n", "waivers.yaml, line 2: is no YAML"),
    ],
)
def test_wrong_waivers_are_refused(tmp_path: Path, text: str, message: str) -> None:
    write(tmp_path, "grounded", tools="UrlContextTool()")
    (tmp_path / "waivers.yaml").write_text(text)
    done = doctor(tmp_path, "agents", "--waivers", "waivers.yaml")
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_an_agent_that_does_not_load_is_said_in_one_line(tmp_path: Path) -> None:
    (write(tmp_path, "broken") / "agent.py").write_text("import nowhere_to_be_found\n")
    done = doctor(tmp_path, "agents")
    assert done.returncode == 1
    [line] = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
    assert "agent broken: broken: not_loaded: it does not load" in line
    assert "nowhere_to_be_found" in line
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("leave", "kind"),
    [("import sys\nsys.exit(0)\n", "not_loaded"), ("import os\nos._exit(0)\n", "unprobed")],
)
def test_an_agent_that_ends_the_program_hides_no_other(
    tmp_path: Path, leave: str, kind: str
) -> None:
    """Else whoever writes such an agent has a green build."""
    write(tmp_path, "bad", plugins="")
    (write(tmp_path, "away") / "agent.py").write_text(leave)
    done = doctor(tmp_path, "agents", "--json")
    assert done.returncode == 1
    found = agents(done)
    assert found[0] == ("away", False, f"away: {kind}")
    assert ("bad", False, "app bad: no_guard") in found


LEAVING = """\
import os
import sys
from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.plugins.base_plugin import BasePlugin
from orrery_plugins import knowledge_plugins


class Leaving(BasePlugin):
    async def before_run_callback(self, *, invocation_context):
        sys.exit(0)


def instruction(context):
    print("asked for the instruction")
    os.write(1, b"asked past Python\\n")
    return "Help."


root_agent = LlmAgent(name="leaving", model="gemini-2.5-flash", instruction=instruction)
app = App(
    name="leaving", root_agent=root_agent, plugins=[*knowledge_plugins(), Leaving("leaving")]
)
"""


def test_a_plugin_that_ends_the_program_and_one_that_prints(tmp_path: Path) -> None:
    (write(tmp_path, "leaving") / "agent.py").write_text(LEAVING)
    done = doctor(tmp_path, "agents", "--json")
    assert done.returncode == 1
    assert agents(done) == [
        ("leaving", False, "leaving: unprobed"),
        ("leaving", False, "app leaving > live proof: proof_failed"),
    ]
    assert "asked for the instruction" in done.stderr
    assert "asked past Python" in done.stderr


def test_a_secret_in_the_message_of_an_agent_is_not_printed(tmp_path: Path) -> None:
    password = "hunter2" + "Zq9vLw"
    agent = write(tmp_path, "broken") / "agent.py"
    agent.write_text(f"raise RuntimeError('postgresql://u:{password}@h/db is gone')\n")
    done = doctor(tmp_path, "agents", "--json")
    assert done.returncode == 1
    assert "does not load: RuntimeError" in done.stdout
    assert password not in done.stdout + done.stderr


@pytest.mark.parametrize("kind", ["missing", "empty"])
def test_a_folder_without_agents(tmp_path: Path, kind: str) -> None:
    (tmp_path / "empty").mkdir()
    done = doctor(tmp_path, kind)
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert {"missing": "no such folder", "empty": "holds no agent"}[kind] in line
