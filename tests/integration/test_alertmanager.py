"""A real Alertmanager posts to a real server of ours, configured as the guide says."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from checkout_support import ROOT

pytestmark = pytest.mark.services

PATIENCE = 60.0
GUIDE = ROOT / "docs" / "guides" / "alert-routing.md"


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def ask(url: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})  # noqa: S310
    with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310 - our own address
        text = answer.read()
    return json.loads(text) if text else None


def wait_for(what: Callable[[], Any], meaning: str) -> Any:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            if found := what():
                return found
        except (urllib.error.URLError, ConnectionError):
            pass
        time.sleep(0.1)
    raise AssertionError(f"{meaning}: not within {PATIENCE:.0f} s")


class Stack(NamedTuple):
    """Both programs, and what the second one was asked and said."""

    server: str
    alertmanager: str
    heard: Path

    def send(self, name: str, *, resolved: bool = False, **annotations: str) -> None:
        now = datetime.now(UTC)
        one = {
            "labels": {"alertname": name, "severity": "critical", "instance": "10.0.0.7:9100"},
            "annotations": annotations,
            "startsAt": (now - timedelta(minutes=5)).isoformat(),
        }
        if resolved:
            one["endsAt"] = (now - timedelta(seconds=1)).isoformat()
        ask(f"{self.alertmanager}/api/v2/alerts", [one])

    def routed(self, status: str, name: str) -> list[dict[str, Any]]:
        """Routes that our server has answered with, in order."""
        lines = self.heard.read_text().splitlines() if self.heard.exists() else []
        routes = [route for line in lines for route in json.loads(line)["routes"]]
        return [r for r in routes if (r["alert"]["status"], r["alert"]["name"]) == (status, name)]


# The application as `serve` runs it, with a note of each answer: nobody else sees them.
RECORDER = """\
import asyncio, sys
from pathlib import Path
from orrery_knowledge.runtime import build_retrieval
from orrery_knowledge.settings import load_settings
from orrery_knowledge.web.app import create_app
from orrery_knowledge.web.server import run

heard = Path(sys.argv[1])

def recording(app):
    async def answer(scope, receive, send):
        async def keep(message):
            if scope["type"] == "http" and scope["path"] == "/alerts/route":
                if body := message.get("body"):
                    with heard.open("ab") as out:
                        out.write(body + b"\\n")
            await send(message)
        await app(scope, receive, keep)
    return answer

retrieval = build_retrieval(load_settings(None))
asyncio.run(run(recording(create_app(retrieval)), "127.0.0.1", int(sys.argv[2]), print))
"""


def receiver_of_the_guide() -> str:
    """The configuration that people copy."""
    found = re.search(r"```yaml\n(route:.*?)```", GUIDE.read_text(), re.DOTALL)
    assert found is not None
    return found[1]


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[Stack]:
    # The second folder is where `make ci-services` puts it, on the path or not.
    path = f"{os.environ.get('PATH', os.defpath)}:/usr/local/bin"
    program = shutil.which("prometheus-alertmanager", path=path)
    assert program is not None, "prometheus-alertmanager is missing; run: make ci-services"
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "DiskFull.md").write_text("# DiskFull\n\nDelete old images.\n")
    (docs / "disk-cleaning.md").write_text("# Disks\n\n## Clean up\n\nPrune.\n")
    (tmp_path / "orrery.yaml").write_text(
        "embedder: {type: none}\ncorpora:\n  runbooks:\n    sources:\n"
        "      - {id: book, type: filesystem, path: docs, trust: reviewed}\n"
    )
    command = [sys.executable, "-m", "orrery_knowledge.cli"]
    subprocess.run([*command, "sync"], cwd=tmp_path, check=True, capture_output=True)
    ports = [free_port(), free_port()]
    given = receiver_of_the_guide()
    assert "127.0.0.1:8085" in given
    assert "group_wait: 30s" in given
    (tmp_path / "alertmanager.yml").write_text(
        given.replace("127.0.0.1:8085", f"127.0.0.1:{ports[0]}")
        .replace("group_wait: 30s", "group_wait: 0s")
        .replace("group_interval: 5m", "group_interval: 1s")
        .replace("repeat_interval: 4h", "repeat_interval: 2s")
    )
    (tmp_path / "recorder.py").write_text(RECORDER)
    heard = tmp_path / "heard.jsonl"
    server = [sys.executable, "recorder.py", str(heard), str(ports[0])]
    manager = [
        program,
        "--config.file=alertmanager.yml",
        f"--storage.path={tmp_path / 'manager'}",
        f"--web.listen-address=127.0.0.1:{ports[1]}",
        "--cluster.listen-address=",
        "--log.level=error",
    ]
    with (tmp_path / "log").open("w") as log:
        started = [
            subprocess.Popen(one, cwd=tmp_path, stdout=log, stderr=log) for one in (server, manager)
        ]
    made = Stack(f"http://127.0.0.1:{ports[0]}", f"http://127.0.0.1:{ports[1]}", heard)
    try:
        wait_for(lambda: ask(f"{made.server}/readyz"), "our server is ready")
        wait_for(lambda: ask(f"{made.alertmanager}/api/v2/status"), "Alertmanager is ready")
        yield made
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait(timeout=30)


def test_firing_repeated_and_resolved(stack: Stack) -> None:
    stack.send("DiskFull", summary="Disk at 93.4%")
    first = wait_for(lambda: stack.routed("firing", "DiskFull"), "the alert arrives")[0]
    assert (first["matched_by"], first["confident"], first["advice"]) == ("alert_name", True, None)
    assert first["passages"][0]["label"] == "DiskFull.md § DiskFull"
    assert first["alert"]["count"] == 1

    again = wait_for(lambda: stack.routed("firing", "DiskFull")[1:], "it is repeated")[0]
    assert (first["duplicate"], again["duplicate"]) == (False, True)
    assert again["passages"] == first["passages"]

    stack.send("DiskFull", resolved=True, summary="Disk at 93.4%")
    resolved = wait_for(lambda: stack.routed("resolved", "DiskFull"), "it is resolved")[0]
    assert resolved["alert"]["fingerprints"] == first["alert"]["fingerprints"]
    assert resolved["advice"].startswith("resolved")
    assert resolved["duplicate"] is False


def test_a_group_of_different_alerts(stack: Stack) -> None:
    url = "https://github.com/acme/ops/blob/main/docs/disk-cleaning.md#clean-up"
    stack.send("SpaceLow", runbook_url=url)
    stack.send("PrinterOnFire", summary="Paper tray ablaze")
    linked = wait_for(lambda: stack.routed("firing", "SpaceLow"), "the first one arrives")[0]
    assert linked["matched_by"] == "runbook_url"
    assert linked["passages"][0]["label"] == "disk-cleaning.md § Clean up"
    unknown = wait_for(lambda: stack.routed("firing", "PrinterOnFire"), "the other one arrives")[0]
    assert unknown["confident"] is False
    assert "page a human" in unknown["advice"]
