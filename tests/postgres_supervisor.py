"""Runs a test server in a process of its own, and cleans up after it and after killed tests.

Its standard input closes when the test process goes away, killed or not; then it stops the server
and removes the folder. It is started with ``python -I`` and needs the standard library only.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def unprivileged() -> pwd.struct_passwd | None:
    """Whom the server runs as: PostgreSQL refuses root. None for whoever we are."""
    return pwd.getpwnam("nobody") if os.geteuid() == 0 else None


def as_user(account: pwd.struct_passwd | None) -> dict[str, Any]:
    """Arguments of `subprocess` that start a process as somebody else."""
    if account is None:
        return {}
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


def signal_all(postmaster: int, number: signal.Signals) -> None:
    """Signal a server's processes; each has a process group of its own."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            with contextlib.suppress(OSError):
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                if postmaster in (int(folder.name), int(fields[1])):
                    os.kill(int(folder.name), number)


def _supervise(folder: Path, server: Sequence[str]) -> int:
    """Run the server until it ends or standard input closes; then clean up after both."""
    account = unprivileged()
    # Signals wake the wait below through this pipe: a server that ends, a runner that is stopped.
    wake, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    process = subprocess.Popen(
        server, **as_user(account), cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    stop = False
    while process.poll() is None and not stop:
        ready, _, _ = select.select([sys.stdin.fileno(), wake], [], [], 5)
        if wake in ready:
            stop = any(number != signal.SIGCHLD for number in os.read(wake, 64))
        if sys.stdin.fileno() in ready:
            stop = stop or not os.read(sys.stdin.fileno(), 64)
    if not stop:
        return process.returncode
    process.send_signal(signal.SIGQUIT)  # at once: the data is thrown away
    signal_all(process.pid, signal.SIGCONT)  # a test may have left it stopped
    process.wait()
    shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(_supervise(Path(sys.argv[1]), sys.argv[2:]))
