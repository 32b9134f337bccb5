from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_support import Desk

from orrery_knowledge.confidence import read_calibration

CALIBRATE = ("eval", "calibrate")


@pytest.fixture
def dataset(desk: Desk) -> Path:
    """Names that are found, questions that aren't answered, and what is about something else."""
    folder = desk.folder / "set"
    (folder / "docs").mkdir(parents=True)
    names = ["PoolExhausted", "LagGrowing", "DiskAlmostFull", "CertificateExpires"]
    for name in names:
        text = f"# {name}\n\nWhat the alert {name} means and what helps.\n"
        (folder / "docs" / f"{name}.md").write_text(text)
    queries, rows = [], ["query-id\tdoc\tsection\trelevance"]
    for number, name in enumerate(names * 2, start=1):
        queries.append({"id": f"q-{number}", "text": f"{name} fired"})
        rows.append(f"q-{number}\t{name}.md\t\t2")
    for number, text in enumerate(["what helps", "solar panel", "alert gardening", "tea"], start=9):
        queries.append({"id": f"q-{number}", "text": text, "answerable": False, "no_answer": "far"})
    (folder / "queries.jsonl").write_text("".join(json.dumps(q) + "\n" for q in queries))
    (folder / "qrels.tsv").write_text("\n".join(rows) + "\n")
    (desk.folder / "orrery.yaml").write_text("backend: sqlite\nembedder: none\n")
    return folder


def test_a_calibration_is_written_and_can_be_used(desk: Desk, dataset: Path) -> None:
    ran = desk.run(*CALIBRATE, "set", "--output", "own.json")
    assert ran.code == 0
    assert ran.out.splitlines()[0] == "lexical, on 6 queries that were not fitted on:"
    assert ran.out.splitlines()[-1] == (
        "written: own.json; review it, and name it as search.calibration"
    )
    written = read_calibration(desk.folder / "own.json")
    assert written.fitted_on == ("set",)
    assert [(m.mode, m.fingerprint) for m in written.models] == [("lexical", None)]
    (desk.folder / "orrery.yaml").write_text(
        "backend: sqlite\nembedder: none\nsearch: {calibration: own.json}\n"
    )
    again = desk.run("eval", "retrieval", "set", "--json")
    sure = again.json[0]["confidence"]
    assert sure["answerable"] > 0.5 > sure["far"]


def test_the_figures_as_json(desk: Desk, dataset: Path) -> None:
    ran = desk.run(*CALIBRATE, "set", "--json")
    assert ran.code == 0
    assert set(ran.json["calibration"]["models"][0]["weights"]) == {
        "cosine", "coverage", "exact", "named", "words",
    }  # fmt: skip
    (quality,) = ran.json["quality"]
    assert quality["queries"] == 6
    assert quality["auroc"] == {"far": 1.0}


def test_stored_vectors_need_no_embedder(desk: Desk, dataset: Path) -> None:
    (desk.folder / "orrery.yaml").write_text("embedder: {type: minilm}\n")
    filled = desk.run("eval", "retrieval", "set", "--vectors", "v.npz", "--update-vectors")
    assert filled.code == 0
    (desk.folder / "orrery.yaml").write_text("embedder: {type: none}\n")
    ran = desk.run(*CALIBRATE, "set", "--vectors", "v.npz", "--json")
    assert ran.code == 0
    models = ran.json["calibration"]["models"]
    assert [one["mode"] for one in models] == ["lexical", "vector", "hybrid"]
    fingerprints = [one["fingerprint"] for one in models]
    assert fingerprints[0] is None
    assert fingerprints[1] == fingerprints[2]
    assert fingerprints[1].startswith("all-MiniLM-L6-v2.")


def test_the_file_that_is_configured_need_not_be_there_yet(desk: Desk, dataset: Path) -> None:
    (desk.folder / "orrery.yaml").write_text("embedder: none\nsearch: {calibration: own.json}\n")
    assert desk.run(*CALIBRATE, "set", "--output", "own.json").code == 0
    assert desk.run("eval", "retrieval", "set").code == 0


def test_a_set_that_says_nothing_is_refused(desk: Desk, dataset: Path) -> None:
    queries = (dataset / "queries.jsonl").read_text().splitlines()
    (dataset / "queries.jsonl").write_text("\n".join(queries[:8]) + "\n")
    ran = desk.run(*CALIBRATE, "set", "--output", "own.json")
    assert (ran.code, ran.out) == (2, "")
    assert "unrelated (no_answer: far)" in ran.err
    assert not (desk.folder / "own.json").exists()


@pytest.mark.parametrize(
    ("value", "problem"),
    [("nowhere.json", "No such file"), ("orrery.yaml", "is no calibration")],
)
def test_a_calibration_that_is_none_is_refused(desk: Desk, dataset, value, problem) -> None:
    (desk.folder / "orrery.yaml").write_text(
        f"backend: sqlite\nembedder: none\nsearch: {{calibration: {value}}}\n"
    )
    ran = desk.run("search", "pool")
    assert (ran.code, ran.out) == (2, "")
    assert "search.calibration" in ran.err or "orrery.yaml, line 3" in ran.err
    assert problem in ran.err


def test_a_folder_that_is_not_there(desk: Desk, dataset: Path) -> None:
    ran = desk.run(*CALIBRATE, "set", "--output", "nowhere/own.json")
    assert (ran.code, ran.err) == (
        2,
        "error: there is no folder nowhere to write own.json to\n",
    )
