from __future__ import annotations

import pytest
from cli_support import CONFIGURATION, Desk


@pytest.fixture
def desk(desk: Desk) -> Desk:
    desk.write("pool.md", "# Pool\n\nRestart the zebra proxy.\n")
    assert desk.run("sync").code == 0
    return desk


def ask(desk: Desk, question: str, *options: str) -> None:
    assert desk.run("search", question, "--investigation", "inc-1", *options).code == 0


def test_what_an_investigation_asks_in_vain_is_a_gap(desk: Desk) -> None:
    ask(desk, "solar yield of node1")
    ask(desk, "Solar yield of node23")
    ran = desk.run("gaps")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("     2  question  solar yield of node1  (2")
    found = desk.run("gaps", "--json").json
    assert found["evicted"] == 0
    [gap] = found["gaps"]
    assert (gap["kind"], gap["count"], gap["unsure"]) == ("question", 2, 0)


def test_a_trial_of_a_person_and_an_answer_are_none(desk: Desk) -> None:
    assert desk.run("search", "solar yield").code == 0
    ask(desk, "Pool")
    assert desk.run("search", "x", "--corpus", "nope", "--investigation", "i").code == 2
    ran = desk.run("gaps")
    assert (ran.code, ran.out) == (0, "no gaps: nothing was asked in vain\n")


def test_a_doubtful_answer_is_a_gap(desk: Desk) -> None:
    question = "replace the solar zebra of the converter"
    found = desk.run("search", question, "--investigation", "i", "--json").json
    assert (found["status"], found["confident"]) == ("ok", False)
    [gap] = desk.run("gaps", "--json").json["gaps"]
    assert (gap["count"], gap["unsure"]) == (1, 1)


def test_switched_off_nothing_is_counted(desk: Desk) -> None:
    (desk.folder / "orrery.yaml").write_text(CONFIGURATION + "gaps: {record: false}\n")
    ask(desk, "solar yield")
    ran = desk.run("gaps")
    assert (ran.code, ran.out) == (0, "no gaps: nothing was asked in vain\n")
    assert ran.err == "gaps.record is off: nothing new is counted\n"


def test_a_job_can_fail_on_what_is_asked_often(desk: Desk) -> None:
    ask(desk, "solar yield")
    assert desk.run("gaps", "--fail-on", "2").code == 0
    ask(desk, "solar yield")
    assert desk.run("gaps", "--fail-on", "2").code == 1
    assert desk.run("gaps", "--fail-on", "2", "--since", "2999-01-01").code == 0


def test_stubs_are_written_once_and_found_by_nobody_as_drafts(desk: Desk) -> None:
    ask(desk, "solar yield")
    ran = desk.run("gaps", "--stub", "docs/drafts")
    assert ran.code == 0
    [file] = (desk.folder / "docs" / "drafts").iterdir()
    assert file.name.startswith("solar-yield-")
    assert f"wrote docs/drafts/{file.name}\n" in ran.out
    file.write_text(file.read_text() + "mine")
    again = desk.run("gaps", "--stub", "docs/drafts", "--json")
    assert again.json["stubs"] == []
    assert file.read_text().endswith("mine")
    assert desk.run("sync").code == 0
    assert desk.run("search", "solar yield", "--json").json["status"] == "no_match"


def test_a_look_creates_nothing(desk: Desk) -> None:
    (desk.folder / "orrery.yaml").write_text("state: other\n")
    ran = desk.run("gaps")
    assert (ran.code, ran.out) == (0, "no gaps: nothing was asked in vain\n")
    assert not (desk.folder / "other").exists()


def test_without_a_configuration_knowledge_is_off(desk: Desk) -> None:
    (desk.folder / "orrery.yaml").unlink()
    assert desk.run("gaps").code == 2


@pytest.mark.parametrize(
    ("setting", "code"),
    [
        ("ledger: nonsense://x\n", 2),
        ("gaps: {recrod: true}\n", 2),
        ("ledger: sqlite+aiosqlite:///docs/pool.md\n", 3),
    ],
)
def test_what_can_not_be_looked_at_ends_in_one_line(desk: Desk, setting: str, code: int) -> None:
    (desk.folder / "orrery.yaml").write_text(CONFIGURATION + setting)
    ran = desk.run("gaps")
    assert (ran.code, ran.out, ran.err.count("\n")) == (code, "", 1)
    assert ran.err.startswith("error: ")
