"""`serve` as a process of its own: it says where, answers, and ends when told to."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from alert_payloads import alert, group
from cli_support import Desk


def started(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "orrery_knowledge.cli", "serve", *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_it_is_told_to_stop(desk: Desk, number: signal.Signals) -> None:
    desk.write("DiskFull.md", "# DiskFull\n\nDelete old images.\n")
    assert desk.run("sync").code == 0
    process = started(desk.folder, "--port", "0")
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        found = re.fullmatch(r"serving on (http://127\.0\.0\.1:[0-9]+)\n", line)
        assert found is not None, line
        body = json.dumps(group(alert("DiskFull"))).encode()
        request = urllib.request.Request(f"{found[1]}/alerts/route", body)  # noqa: S310
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310 - our own address
            routes = json.load(answer)["routes"]
        assert routes[0]["matched_by"] == "alert_name"
        request = urllib.request.Request(f"{found[1]}/alerts/route", b"{")  # noqa: S310
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request, timeout=30)  # noqa: S310 - our own address
        assert refused.value.code == 400
        process.send_signal(number)
        _, err = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130
    assert err == "interrupted; what was active stays active\n"


def test_a_port_that_is_taken_is_one_line(desk: Desk) -> None:
    desk.write("DiskFull.md", "# DiskFull\n")
    first = started(desk.folder, "--port", "0")
    try:
        assert first.stderr is not None
        port = first.stderr.readline().strip().rpartition(":")[2]
        second = started(desk.folder, "--port", port)
        _, err = second.communicate(timeout=60)
    finally:
        first.kill()
        first.communicate()
    assert second.returncode == 1
    assert err == f"error: port {port} can't be used: Address already in use\n"
