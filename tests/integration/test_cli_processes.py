"""The command line as its own process: what a shell, a pipe, a signal and a CI job see of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_support import Desk
from filelock import FileLock

from orrery_knowledge.cli.program import COMMANDS

MakeDistribution = Callable[[str, str, dict[str, str]], Path]
PROGRAM = Path(sys.executable).with_name("orrery-knowledge")

SLOW = '''
import asyncio
from pathlib import Path

from orrery_knowledge.models import Document, SourceEntry
from orrery_knowledge.sources.config import SourceConfig


class SlowConfig(SourceConfig):
    type: str = "slow"


class SlowSource:
    """Yields one document, says so, and then never ends."""

    Config = SlowConfig

    def __init__(self, config, *, root, state):
        self.id, self.corpus, self.trust = config.id, config.corpus, config.trust
        self.settings_key = "slow"
        self.root = root

    async def entries(self):
        yield SourceEntry(path="one.md", revision="1")
        (self.root / "reading").touch()
        await asyncio.sleep(3600)

    async def read(self, entry):
        return Document(
            corpus=self.corpus, source=self.id, path=entry.path, uri="slow:one",
            text="# One\\n\\nquagga\\n", revision=entry.revision,
        )

    async def close(self):
        (self.root / "closed").touch()
'''


def start(desk: Desk, *arguments: str, **options: object) -> subprocess.Popen[str]:
    environment = {**os.environ, **options.pop("env", {})}  # type: ignore[dict-item]
    return subprocess.Popen(
        [PROGRAM, *arguments],
        cwd=desk.folder,
        env=environment,
        text=True,
        encoding="utf-8",
        errors="surrogateescape",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def run(desk: Desk, *arguments: str, env: dict[str, str] | None = None) -> tuple[int, str, str]:
    """Exit code, stdout, stderr of a real run; no run ever shows a traceback."""
    process = start(desk, *arguments, env=env or {})
    out, err = process.communicate(timeout=60)
    assert "Traceback" not in out + err
    return process.returncode, out, err


def wait_for(file: Path, process: subprocess.Popen[str]) -> None:
    for _ in range(600):
        if file.exists():
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    pytest.fail(f"{file.name} never came")


# --- exit codes -----------------------------------------------------------------------------------


def test_0_1_and_5_of_one_index(desk: Desk) -> None:
    desk.write("pool.md", "# Pool\n\nmax_connections\n")
    code, out, err = run(desk, "sync")
    assert (code, err) == (0, "")
    assert out.splitlines()[-1] == (
        "indexed 1 documents as 1 chunks; skipped 0 unchanged; pruned 0 stale chunks; "
        "removed 0 deleted documents; quarantined 0; failed 0"
    )
    code, out, err = run(desk, "search", "max_connections", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["status"] == "ok"
    code, out, err = run(desk, "loads", "rollback", "99")
    assert (code, out) == (5, "")
    assert err == "error: there is no load 99; see `orrery-knowledge loads list`\n"
    os.replace(desk.folder / "docs", desk.folder / "gone")
    code, out, err = run(desk, "sync", "--json")
    assert (code, json.loads(out)["failed"], json.loads(out)["activated"]) == (1, 1, False)
    assert err == ""


def test_2_without_a_configuration(desk: Desk) -> None:
    (desk.folder / "orrery.yaml").unlink()
    code, out, err = run(desk, "sync")
    assert (code, out) == (2, "")
    assert err.startswith("error: knowledge is off: ")
    assert err.count("\n") == 1


def test_the_environment_turns_it_on(desk: Desk) -> None:
    (desk.folder / "orrery.yaml").unlink()
    environment = {"ORRERY_KNOWLEDGE_BACKEND": "sqlite", "ORRERY_KNOWLEDGE_EMBEDDER": "none"}
    code, out, err = run(desk, "search", "pool", env=environment)
    assert (code, out) == (3, "")
    assert err == "unavailable: nothing has been indexed yet; run: orrery-knowledge sync\n"


def test_3_for_an_index_that_can_not_be_read(desk: Desk) -> None:
    state = desk.folder / ".orrery"
    state.mkdir()
    (state / "index.db").write_bytes(b"no database" * 1000)
    for command in (["sync"], ["loads", "list"], ["verify"]):
        code, out, err = run(desk, *command)
        assert (code, out) == (3, ""), command
        assert err.startswith("error: index index.db: the file is damaged;")
        assert err.count("\n") == 1


def test_4_while_another_sync_runs(desk: Desk) -> None:
    (desk.folder / ".orrery").mkdir()
    with FileLock(desk.folder / ".orrery" / "index.db.lock"):
        code, out, err = run(desk, "sync")
    assert (code, out) == (4, "")
    assert err == "error: another sync is running on this index\n"


# --- signals --------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_130_when_interrupted_and_nothing_has_changed(
    desk: Desk, make_distribution: MakeDistribution, number: signal.Signals
) -> None:
    desk.write("pool.md", "# Pool\n\nwalrus\n")
    assert run(desk, "sync")[0] == 0
    before = desk.run("loads", "list", "--json").json
    site = make_distribution("slow_source", SLOW, {"sources.slow": "SlowSource"})
    configuration = (desk.folder / "orrery.yaml").read_text()
    slow = "      - {id: slow, type: slow, trust: reviewed}\n"
    (desk.folder / "orrery.yaml").write_text(configuration + slow)
    desk.write("new.md", "# New\n\nlynx\n")

    process = start(desk, "sync", env={"PYTHONPATH": str(site)})
    wait_for(desk.folder / "reading", process)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err == "interrupted; what was active stays active\n"
    assert (desk.folder / "closed").exists()

    # The lock is free, the load is undone, and what was found before is found.
    with FileLock(desk.folder / ".orrery" / "index.db.lock", timeout=0):
        pass
    (desk.folder / "orrery.yaml").write_text(configuration)
    after = desk.run("loads", "list", "--json").json
    assert [load for load in after if load["status"] == "active"] == before
    assert {load["status"] for load in after} <= {"active", "abandoned"}
    assert desk.run("search", "walrus", "--json").json["status"] == "ok"
    assert desk.run("search", "lynx", "--json").json["status"] == "no_match"
    # And the next sync goes on as if nothing had been.
    done = desk.run("sync", "--json")
    assert (done.code, done.json["documents"], done.json["skipped"]) == (0, 1, 1)


def test_a_third_party_source_is_synced_from_yaml(
    desk: Desk, make_distribution: MakeDistribution
) -> None:
    quick = SLOW.replace("await asyncio.sleep(3600)", "return")
    site = make_distribution("slow_source", quick, {"sources.slow": "SlowSource"})
    (desk.folder / "orrery.yaml").write_text(
        "embedder: {type: none}\ncorpora: {wiki: {sources: [{type: slow, trust: reviewed}]}}\n"
    )
    code, out, err = run(desk, "sync", "--json", env={"PYTHONPATH": str(site)})
    assert (code, err) == (0, "")
    assert json.loads(out)["documents"] == 1
    (passage,) = desk.run("search", "quagga", "--json").json["passages"]
    assert (passage["source"], passage["corpus"]) == ("slow:one", "wiki")
    code, out, err = run(desk, "sync")  # its package is gone
    assert (code, out) == (2, "")
    assert "there is no source of type 'slow'; available: filesystem, git" in err
    assert err.count("\n") == 1


# --- pipes and encodings --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [["chunk", "docs/big.md"], ["chunk", "--json", "docs/big.md"], ["screen", "docs/big.md"],
     ["--help"]],
)  # fmt: skip
def test_a_reader_that_goes_away_is_no_error(desk: Desk, arguments: list[str]) -> None:
    desk.write("big.md", "".join(f"## Section {n}\n\nText.\n\n" for n in range(3000)))
    process = start(desk, *arguments)
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline()
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert (process.wait(timeout=60), err) == (0, "")


CLOSED = pytest.mark.parametrize(
    "closed", ["2>&-", ">&-", "<&-", "<&- >&- 2>&-", "2>/dev/full", "2>&1 | true"]
)


def shell(desk: Desk, line: str) -> int:
    """Exit code of our own program in a line of bash; $P stands for it."""
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line}"],
        cwd=desk.folder, env={**os.environ, "P": str(PROGRAM)},
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert "Traceback" not in done.stdout + done.stderr
    return done.returncode


@CLOSED
def test_who_listens_does_not_change_the_result(desk: Desk, closed: str) -> None:
    desk.write("pool.md", "# Pool\n\nwalrus\n")
    assert shell(desk, f"$P sync {closed}") == 0
    assert shell(desk, f"$P search walrus {closed}") == 0
    assert shell(desk, f"$P loads rollback 9 {closed}") == 5
    desk.write("wrong.md", "---\nstatus: [\n---\nx\n")
    assert shell(desk, f"$P sync --strict {closed}") == 1
    # Nothing was written into the index in place of a closed stream.
    assert desk.run("verify").code == 0
    assert desk.run("search", "walrus", "--json").json["status"] == "ok"


def test_the_index_never_gets_the_number_of_a_standard_stream(desk: Desk) -> None:
    """Else a warning of some library would go into it."""
    desk.write("pool.md", "# Pool\n\nwalrus\n")
    code = (
        "import os; from orrery_knowledge.cli import main as m; m.sys.argv = ['x', '--help']\n"
        "try: m.main()\n"
        "except SystemExit: print([os.readlink(f'/proc/self/fd/{n}') for n in range(3)],"
        " file=open('streams', 'w'))"
    )
    done = subprocess.run(
        ["bash", "-c", f'{sys.executable} -c "$0" <&- >&- 2>&-', code], cwd=desk.folder, check=False
    )
    assert done.returncode == 0
    assert (desk.folder / "streams").read_text() == f"{['/dev/null'] * 3}\n"


def test_screened_text_steers_no_terminal(desk: Desk) -> None:
    leader, follower = os.openpty()
    done = subprocess.run(
        [PROGRAM, "screen"], input="a\x1b]0;owned\x07b\x9b31m\ttab\nline \u202e two\n".encode(),
        stdout=follower, stderr=subprocess.DEVNULL, cwd=desk.folder, check=False,
    )  # fmt: skip
    os.close(follower)
    shown = os.read(leader, 10_000).decode()
    os.close(leader)
    assert done.returncode == 0
    assert not set(shown) & set("\x1b\x07\x9b\u202e")
    assert "\ttab\r\nline" in shown  # the terminal itself adds the carriage return


NOTHING = "nothing has been indexed yet; run: orrery-knowledge sync"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["search", "x"], 3, f"unavailable: {NOTHING}\n"),
        (["search", "x", "--investigation", "I"], 3, f"unavailable: {NOTHING}\n"),
        (["loads", "list"], 0, f"{NOTHING}\n"),
        (["loads", "show", "1"], 3, f"error: {NOTHING}\n"),
        (["loads", "rollback"], 3, f"error: {NOTHING}\n"),
        (["loads", "rollback", "1"], 3, f"error: {NOTHING}\n"),
        (["loads", "resume"], 0, f"{NOTHING}\n"),
        (["loads", "gc"], 0, f"{NOTHING}\n"),
        (["quarantine", "list"], 0, f"{NOTHING}\n"),
        (["verify"], 3, f"error: {NOTHING}\n"),
        (
            ["doctor"],
            3,
            "ok      configuration: backend sqlite, embedder none\n"
            f"FAILED  index: {NOTHING}\n"
            "FAILED  ledger: there is none yet; run orrery-knowledge sync\n"
            "ok      embedder: none: search goes by words alone\n",
        ),
    ],
)
def test_reading_creates_nothing(desk: Desk, arguments: list[str], code: int, said: str) -> None:
    before = sorted(desk.folder.rglob("*"))
    done = run(desk, *arguments)
    assert (done[0], done[1] + done[2]) == (code, said)
    assert sorted(desk.folder.rglob("*")) == before


def test_nor_does_it_in_a_root_that_is_not_there(desk: Desk) -> None:
    gone = desk.folder / "gone"
    environment = {"ORRERY_KNOWLEDGE_ROOT": str(gone)}
    for command in (["search", "x"], ["loads", "list"], ["quarantine", "list"], ["verify"]):
        run(desk, *command, env=environment)
        assert not gone.exists(), command


@pytest.mark.parametrize(
    ("environment", "shown"),
    [
        ({"LC_ALL": "C"}, "→ § 数据"),
        ({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, "→ § 数据"),
        ({"PYTHONIOENCODING": "latin-1"}, "\\u2192 \udca7 \\u6570\\u636e"),
    ],
)
def test_any_locale_can_show_any_document(
    desk: Desk, environment: dict[str, str], shown: str
) -> None:
    desk.write("odd.md", "# Odd\n\n→ § 数据\n")
    code, out, err = run(desk, "chunk", "--text", "docs/odd.md", env=environment)
    assert (code, err) == (0, "")
    assert out.splitlines()[-1] == f"        | {shown}"
    code, out, err = run(desk, "screen", "docs/odd.md", env=environment)
    assert (code, err) == (0, "")
    assert shown in out


def test_output_that_can_not_be_written_is_one_line(desk: Desk) -> None:
    desk.write("a.md", "# A\n\nb\n")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [PROGRAM, "chunk", "docs/a.md"],
            cwd=desk.folder, stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == "error: output: No space left on device\n"


# --- what is imported -----------------------------------------------------------------------------

LOADED = """
import json, sys
from orrery_knowledge.cli.program import cli
code = cli(sys.argv[1:], prog_name="orrery-knowledge", standalone_mode=False)
print(json.dumps([code, sorted(sys.modules)]), file=sys.stderr)
"""
HEAVY = {"google.adk", "google.genai", "torch", "transformers", "onnx", "litellm"}
SLOW_TO_LOAD = {"numpy", "sqlalchemy", "alembic", "onnxruntime", "tokenizers", "pydantic_settings"}


def loaded(desk: Desk, *arguments: str) -> set[str]:
    """Modules that a command leaves imported."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments],
        cwd=desk.folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    code, modules = json.loads(done.stderr.splitlines()[-1])
    assert code in (0, None)
    return set(modules)


def test_help_is_cheap(desk: Desk) -> None:
    found = loaded(desk, "--help")
    assert not found & (HEAVY | SLOW_TO_LOAD)
    assert not any(f"orrery_knowledge.cli.{m.partition(':')[0]}" in found
                   for m, _ in COMMANDS.values())  # fmt: skip


def test_no_command_loads_the_agent_kit_or_what_it_does_not_need(desk: Desk) -> None:
    desk.write("pool.md", "# Pool\n\nwalrus\n")
    (desk.folder / "queries.jsonl").write_text('{"id": "1", "text": "walrus"}\n')
    (desk.folder / "qrels.tsv").write_text("query-id\tdoc\tsection\trelevance\n1\tpool.md\t\t1\n")
    for command in (
        ["sync"],
        ["search", "walrus"],
        ["eval", "retrieval", ".", "--mode", "lexical"],
        ["chunk", "docs/pool.md"],
        ["screen", "docs/pool.md"],
    ):
        found = loaded(desk, *command)
        assert not found & HEAVY, command
        # Configured without an embedder, none is loaded.
        assert not found & {"onnxruntime", "tokenizers"}, command
        if command[0] in ("chunk", "screen"):
            assert not found & {"numpy", "sqlalchemy", "alembic"}, command
