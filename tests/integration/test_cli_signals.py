"""Ctrl-C and SIGTERM at every stage of a command: one line, 130, no traceback, nothing lost."""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest
from cli_support import Desk

from orrery_knowledge.cli.signals import MESSAGE

SAID = f"{MESSAGE}\n"
BOTH = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["int", "term"])

# A real process that gets the signal at the moment at which it imports a certain module.
AT_IMPORT = """
import os, sys
module, number, *arguments = sys.argv[1:]

class Trap:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == module:
            sys.meta_path.remove(Trap)
            os.kill(os.getpid(), int(number))

sys.meta_path.insert(0, Trap)
sys.argv = ["orrery-knowledge", *arguments]
from orrery_knowledge.cli.main import main
main()
"""

# One that gets it when all is done: modules are emptied after the handlers were given back.
AT_THE_END = """
import os, sys

class Last:
    number, kill, pid = int(sys.argv.pop(1)), os.kill, os.getpid()

    def __del__(self):
        self.kill(self.pid, self.number)

Last.kill = staticmethod(os.kill)
last = Last()
from orrery_knowledge.cli.main import main
main()
"""

# One whose command ignores that it was cancelled, or hangs in a thread that nobody can stop.
STUCK = """
import asyncio, pathlib, sys, threading, time
import orrery_knowledge.cli.signals as signals
signals.GRACE_SECONDS = float(sys.argv.pop(1))
import orrery_knowledge.cli.loads as loads

class Index:
    async def loads(self):
        pathlib.Path("reading").touch()
        {how}
        return []

    async def held(self):
        return False

    async def close(self):
        pass

loads.build_index = lambda settings: Index()
from orrery_knowledge.cli.main import main
main()
"""
# One that must not need to be ended by force.
AT_ONCE = """
import orrery_knowledge.cli.signals as signals
signals.GRACE_SECONDS = 3600
from orrery_knowledge.cli.main import main
main()
"""
THREAD = "await asyncio.to_thread(time.sleep, 3600)"
STUBBORN = """
        while True:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                pathlib.Path("cancelled").touch()
"""


def begin(desk: Desk, code: str, *arguments: str, stdin: int = subprocess.DEVNULL):
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        cwd=desk.folder, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def wait_for(file: Path, process: subprocess.Popen[str]) -> None:
    for _ in range(600):
        if file.exists():
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    pytest.fail(f"{file.name} never came")


def wait_until_it_waits(process: subprocess.Popen[str]) -> None:
    """Until the kernel has found it asleep ten times in a row: it reads what doesn't come."""
    asleep = 0
    for _ in range(1200):
        assert process.poll() is None, process.communicate()
        state = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0]
        asleep = asleep + 1 if state == "S" else 0
        if asleep == 10:
            return
        time.sleep(0.03)
    pytest.fail("it never waited")


@BOTH
@pytest.mark.parametrize(
    "module",
    ["orrery_knowledge.cli.program", "click", "asyncio", "orrery_knowledge.cli.sync", "numpy",
     "pydantic", "sqlalchemy", "orrery_knowledge.sync", "orrery_knowledge.backends.sqlite.index",
     "alembic", "orrery_knowledge.sources.filesystem"],
)  # fmt: skip
def test_from_the_first_import_on(desk: Desk, module: str, number: signal.Signals) -> None:
    """Click took it for an abort (exit 1), and before that Python printed a traceback."""
    desk.write("a.md", "# A\n\nzebra\n")
    process = begin(desk, AT_IMPORT, module, str(int(number)), "sync")
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", SAID)
    assert desk.run("sync", "--json").json["documents"] == 1


@BOTH
@pytest.mark.parametrize(
    "arguments", [["screen"], ["screen", "-"], ["screen", "--jsonl"], ["route", "-"]]
)
def test_while_it_waits_for_standard_input(
    desk: Desk, arguments: list[str], number: signal.Signals
) -> None:
    process = begin(desk, AT_ONCE, *arguments, stdin=subprocess.PIPE)
    wait_until_it_waits(process)
    process.send_signal(number)
    assert process.wait(timeout=60) == 130
    out, err = process.communicate()
    assert (out, err) == ("", SAID)


@BOTH
@pytest.mark.parametrize("arguments", [["chunk", "fifo"], ["screen", "fifo"]])
def test_while_it_waits_for_a_fifo(
    desk: Desk, arguments: list[str], number: signal.Signals
) -> None:
    os.mkfifo(desk.folder / "fifo")
    process = begin(desk, "from orrery_knowledge.cli.main import main; main()", *arguments)
    wait_until_it_waits(process)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", SAID)


@BOTH
def test_a_thread_that_can_not_be_stopped_does_not_keep_it(
    desk: Desk, number: signal.Signals
) -> None:
    process = begin(desk, STUCK.replace("{how}", THREAD), "0.2", "loads", "list")
    wait_for(desk.folder / "reading", process)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", SAID)


def test_a_second_one_ends_it_at_once(desk: Desk) -> None:
    process = begin(desk, STUCK.replace("{how}", STUBBORN), "3600", "loads", "list")
    wait_for(desk.folder / "reading", process)
    process.send_signal(signal.SIGINT)
    wait_for(desk.folder / "cancelled", process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", SAID)


@BOTH
def test_after_the_last_word_there_is_nothing_to_interrupt(
    desk: Desk, number: signal.Signals
) -> None:
    """Python's last act gives handlers back: a signal then killed what had ended well."""
    desk.write("a.md", "# A\n\nzebra\n")
    process = begin(desk, AT_THE_END, str(int(number)), "sync")
    out, err = process.communicate(timeout=60)
    assert (process.returncode, "Traceback" in err) == (0, False)
    assert out.splitlines()[-1].startswith("indexed 1 documents")


def test_ctrl_c_on_a_terminal(desk: Desk) -> None:
    """The line discipline sends it; the terminal shows one line of ours."""
    os.mkfifo(desk.folder / "fifo")
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", "from orrery_knowledge.cli.main import main; main()",
         "chunk", "fifo"],
        cwd=desk.folder, stdin=follower, stdout=follower, stderr=follower,
        start_new_session=True, text=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )  # fmt: skip
    os.close(follower)
    wait_until_it_waits(process)
    os.write(leader, b"\x03")
    assert process.wait(timeout=60) == 130
    assert os.read(leader, 1000).decode().replace("^C", "") == f"{MESSAGE}\r\n"
    os.close(leader)
