from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from alert_payloads import alert, group
from cli_support import Desk


@pytest.fixture
def filled(desk: Desk) -> Desk:
    desk.write("DiskFull.md", "# DiskFull\n\nDelete old images.\n")
    assert desk.run("sync").code == 0
    return desk


def payload(folder: Path, *alerts: dict[str, Any]) -> str:
    file = folder / "alert.json"
    file.write_text(json.dumps(group(*alerts)))
    return str(file)


def test_for_a_person(filled: Desk) -> None:
    ran = filled.run("route", payload(filled.folder, alert("DiskFull"), alert("PrinterOnFire")))
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0] == "DiskFull  [firing]  1 alert"
    assert lines[1].startswith("  matched by alert name; confident (")
    assert lines[2].startswith("  1. DiskFull.md § DiskFull  score ")
    assert lines[3].endswith("DiskFull.md  lines 1-3")
    assert "     | Delete old images." in lines
    after = lines[lines.index("") + 1 :]
    assert after[0] == "PrinterOnFire  [firing]  1 alert"
    assert after[1] == "  -> no runbook matches with confidence: page a human"


def test_for_a_program_from_standard_input(filled: Desk) -> None:
    ran = filled.run("route", "-", "--json", stdin=json.dumps(group(alert("DiskFull"))))
    assert ran.code == 0
    assert sorted(ran.json) == ["routes", "truncated"]
    [route] = ran.json["routes"]
    assert {"status", "confident", "confidence", "passages", "counts", "load"} <= route.keys()
    assert (route["matched_by"], route["advice"]) == ("alert_name", None)


def test_what_was_left_out_is_said(filled: Desk) -> None:
    body = group(alert("DiskFull")) | {"truncatedAlerts": 4}
    ran = filled.run("route", "-", stdin=json.dumps(body))
    assert (ran.code, ran.err) == (0, "4 alerts left out: the payload is truncated\n")


def test_no_alert(filled: Desk) -> None:
    assert filled.run("route", "-", stdin=json.dumps(group())).out == "the payload holds no alert\n"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "the payload is no JSON"),
        (b"\xff", "the payload is no JSON"),
        (b"[1]", "the payload is no JSON object"),
        (b"x" * (9 * 1024 * 1024), "the payload is larger than 8 MiB"),
    ],
)
def test_what_is_no_webhook_exits_2(filled: Desk, body: bytes, reason: str) -> None:
    ran = filled.run("route", "-", stdin=body)
    assert (ran.code, ran.out, ran.err) == (2, "", f"error: {reason}\n")


def test_a_huge_file_is_not_read(filled: Desk) -> None:
    file = filled.folder / "huge.json"
    with file.open("wb") as out:
        out.truncate(200 * 1024 * 1024)
    ran = filled.run("route", str(file), "--json")
    assert ran.code == 2
    assert ran.json["error"]["message"] == "the payload is larger than 8 MiB"


def test_a_file_that_is_not_there(filled: Desk) -> None:
    ran = filled.run("route", "nowhere.json")
    assert (ran.code, ran.err) == (2, "error: nowhere.json: No such file or directory\n")


def test_before_the_first_sync_exits_3(desk: Desk) -> None:
    ran = desk.run("route", "-", stdin=json.dumps(group(alert("DiskFull"))))
    assert ran.code == 3
    assert "unavailable: nothing has been indexed yet" in ran.err
    assert "page a human" in ran.out


def test_hostile_names_do_not_steer_the_terminal(filled: Desk) -> None:
    name = "\x1b[2J\x07A\nconfident (1.00)"
    ran = filled.run("route", "-", stdin=json.dumps(group(alert(name, summary="\x1b]0;x"))))
    assert ran.code == 0
    assert "\x1b" not in ran.out + ran.err
    assert not any(line.startswith("confident") for line in ran.out.splitlines())


def test_serving_beyond_this_machine_is_refused(filled: Desk) -> None:
    for host in ("0.0.0.0", "::", "192.0.2.1", "example.com"):  # noqa: S104 - refused
        ran = filled.run("serve", "--host", host)
        assert ran.code == 2
        assert ran.err.startswith(f"error: host '{host}' is not loopback")
