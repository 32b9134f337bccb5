from __future__ import annotations

import pytest
from cli_support import CONFIGURATION, Desk

RULES = """\
groups:
  - name: pool
    rules:
      - alert: PoolExhausted
        expr: x
      - alert: SolarYieldLow
        expr: x
        annotations: {summary: "yield of {{ $labels.instance }} is low, password=hunter2hunter2"}
      - alert: Linked
        expr: x
        annotations: {runbook_url: "https://git.test/org/repo/blob/main/docs/lag/consumer-lag.md#remedy"}
      - alert: PoolExhausted
        expr: x
        annotations: {runbook_url: "https://git.test/org/repo/blob/main/docs/gone.md"}
      - alert: PoolExhausted
        expr: x
        annotations: {runbook_url: "https://runbooks.test/{{ $labels.service }}"}
      - record: a:b
        expr: x
"""


@pytest.fixture
def desk(desk: Desk) -> Desk:
    desk.write("pool.md", "# Pool\n\nIntro.\n\n## PoolExhausted\n\nRestart the zebra proxy.\n")
    desk.write("lag/consumer-lag.md", "# Consumer lag\n\nBehind.\n\n## Remedy\n\nAdd consumers.\n")
    (desk.folder / "rules.yaml").write_text(RULES)
    assert desk.run("sync").code == 0
    return desk


def test_rules_without_a_runbook_are_listed_and_fail(desk: Desk) -> None:
    ran = desk.run("gaps", "--rules", "rules.yaml")
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.splitlines() == [
        "rules.yaml:6: SolarYieldLow: no runbook is found",
        "rules.yaml:12: PoolExhausted: runbook_url leads to no indexed section; "
        "by other evidence: pool.md § PoolExhausted",
        "rules.yaml:15: PoolExhausted: runbook_url holds a template, so it can't be checked; "
        "by other evidence: pool.md § PoolExhausted",
        "2 of 5 alert rules without a runbook",
    ]


def test_as_json(desk: Desk) -> None:
    ran = desk.run("gaps", "--rules", "rules.yaml", "--json")
    assert ran.code == 1
    assert ran.json["rules"] == 5
    first, second, third = ran.json["findings"]
    assert first == {
        "file": "rules.yaml",
        "line": 6,
        "group": "pool",
        "alert": "SolarYieldLow",
        "problem": "no_runbook",
        "runbook_url": None,
        "found": None,
    }
    assert (second["problem"], third["problem"]) == ("unresolved", "not_checkable")
    assert third["runbook_url"] == "https://runbooks.test/{{ $labels.service }}"


def test_rules_that_all_have_a_runbook_pass(desk: Desk) -> None:
    rules = "groups: [{rules: [{alert: PoolExhausted}]}]\n"
    ran = desk.run("gaps", "--rules", "-", stdin=rules)
    assert (ran.code, ran.out) == (0, "0 of 1 alert rule without a runbook\n")


def test_files_may_follow_and_all_are_read(desk: Desk) -> None:
    for name in ("a", "b"):
        text = f"groups: [{{rules: [{{alert: Nothing{name.upper()}}}]}}]\n"
        (desk.folder / f"{name}.yaml").write_text(text)
    ran = desk.run("gaps", "--rules", "a.yaml", "b.yaml", "--json")
    assert [one["file"] for one in ran.json["findings"]] == ["a.yaml", "b.yaml"]


def test_a_check_counts_no_gap(desk: Desk) -> None:
    assert desk.run("gaps", "--rules", "rules.yaml").code == 1
    assert desk.run("gaps", "--json").json["gaps"] == []


def test_stubs_are_written_for_what_has_none(desk: Desk) -> None:
    ran = desk.run("gaps", "--rules", "rules.yaml", "--stub", "drafts", "--json")
    assert ran.json["stubs"] == ["drafts/SolarYieldLow.md"]
    text = (desk.folder / "drafts" / "SolarYieldLow.md").read_text()
    assert '\ntitle: "SolarYieldLow"\nstatus: draft\n' in text
    assert r"- yield of \{\{ \$labels.instance \}\} is low" in text
    assert "hunter2" not in text
    assert r"- Rule\: rules.yaml, line 6." in text


def test_a_stub_that_is_filled_in_is_found(desk: Desk) -> None:
    desk.run("gaps", "--rules", "rules.yaml", "--stub", "docs/drafts")
    stub = desk.folder / "docs" / "drafts" / "SolarYieldLow.md"
    assert desk.run("sync").code == 0
    assert "SolarYieldLow: no runbook" in desk.run("gaps", "--rules", "rules.yaml").out
    stub.write_text(stub.read_text().replace("status: draft\n", ""))
    assert desk.run("sync").code == 0
    assert "SolarYieldLow" not in desk.run("gaps", "--rules", "rules.yaml").out


def test_hostile_rules_reach_no_terminal(desk: Desk) -> None:
    rules = 'groups: [{rules: [{alert: "Zq\\e[2J\\nrules.yaml:1: x"}]}]\n'
    ran = desk.run("gaps", "--rules", "-", stdin=rules)
    assert ran.code == 1
    assert "\x1b" not in ran.out
    assert len(ran.out.splitlines()) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--rules", "no.yaml"], "error: no.yaml: No such file or directory\n"),
        (["--rules", "docs"], "error: docs: Is a directory\n"),
        (["--rules", "orrery.yaml"], "error: rules: orrery.yaml: holds no rules: neither groups"),
        (["--rules", "rules.yaml", "--stub", "rules.yaml"], "error: folder rules.yaml for stubs: "),
        (["rules.yaml"], "Error: files are named behind --rules\n"),
        (["--rules", "rules.yaml", "--fail-on", "1"], "Error: --since and --fail-on are about"),
    ],
)
def test_what_is_refused(desk: Desk, arguments: list[str], message: str) -> None:
    ran = desk.run("gaps", *arguments)
    assert ran.code == 2
    assert message in ran.err
    assert "Traceback" not in ran.err


def test_without_an_index_nothing_is_said_about_rules(desk: Desk) -> None:
    (desk.folder / "orrery.yaml").write_text(CONFIGURATION + "state: other\n")
    ran = desk.run("gaps", "--rules", "rules.yaml")
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.startswith("error: nothing has been indexed yet")
    assert not (desk.folder / "other").exists()


def test_without_a_configuration_knowledge_is_off(desk: Desk) -> None:
    (desk.folder / "orrery.yaml").unlink()
    assert desk.run("gaps", "--rules", "rules.yaml").code == 2


@pytest.mark.parametrize(
    ("annotations", "problems"),
    [
        ("runbook: https://git.test/gone.md", ["unresolved"]),
        ("runbook: ask the team of the zebra", []),
        ("runbook_url: ''", []),
        ("runbook_url: '{{ $labels.a }}/pool.md', runbook: 'docs/pool.md'", []),
        ("runbook_url: '{{ $labels.a }}/pool.md', runbook: 'docs/gone.md'", ["unresolved"]),
        ("runbook_url: '{{ $labels.a }}/pool.md'", ["not_checkable"]),
    ],
)
def test_what_is_an_address(desk: Desk, annotations: str, problems: list[str]) -> None:
    rules = f"groups: [{{rules: [{{alert: PoolExhausted, annotations: {{{annotations}}}}}]}}]\n"
    ran = desk.run("gaps", "--rules", "-", "--json", stdin=rules)
    assert [one["problem"] for one in ran.json["findings"]] == problems
    assert ran.code == int("unresolved" in problems)
