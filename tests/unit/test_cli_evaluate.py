from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_support import Desk

HEADER = "query-id\tdoc\tsection\trelevance\n"


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    folder = tmp_path / "set"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "pool.md").write_text(
        "# Pool\n\nWait.\n\n## Remedy\n\nRaise max_connections.\n"
    )
    payload = {"alerts": [{"labels": {"alertname": "Pool"}, "annotations": {"summary": "Wait"}}]}
    queries = [
        {"id": "q1", "text": "max_connections", "kind": "name", "answerable": True},
        {"id": "q2", "text": "x", "kind": "alert", "answerable": True, "payload": payload},
        {"id": "q3", "text": "zanzibar", "kind": "none", "answerable": False, "no_answer": "far"},
    ]
    (folder / "queries.jsonl").write_text("".join(json.dumps(q) + "\n" for q in queries))
    # The same label twice (K145).
    (folder / "qrels.tsv").write_text(
        HEADER + "q1\tpool.md\tremedy\t2\nq1\tpool.md\tremedy\t2\nq2\tpool.md\tpool\t2\n"
    )
    return folder


RETRIEVAL = ("eval", "retrieval")


def test_a_run(desk: Desk, dataset: Path) -> None:
    ran = desk.run(*RETRIEVAL, "set", "--mode", "lexical")
    assert (ran.code, ran.err.splitlines()) == (
        0,
        ["  warning: qrels.tsv, line 3: the label of line 2 again; it counts once, at its highest"],
    )
    lines = ran.out.splitlines()
    assert lines[0].startswith("set (lexical): indexed 1 documents as 2 chunks; ")
    assert lines[1].split() == ["kind", "n", "R@5", "P@5", "MRR", "nDCG", "doc@1", "doc@5"]
    assert lines[2].split() == ["all", "2", "1.000", "0.200", "1.000", "1.000", "1.000", "1.000"]
    assert [line.split()[0] for line in lines[3:5]] == ["alert", "name"]
    assert lines[-1].startswith("  mean confidence: answerable ")
    assert not (desk.folder / ".orrery").exists()


def test_files_for_other_programs(desk: Desk, dataset: Path) -> None:
    ran = desk.run(
        *RETRIEVAL, "set", "--mode", "lexical", "--run-file", "run.tsv",
        "--confidence-file", "confidence.tsv", "--json",
    )  # fmt: skip
    assert ran.code == 0
    (result,) = ran.json
    assert result["scores"]["all"]["recall_5"] == 1.0
    assert (result["mode"], result["sync"]["documents"]) == ("lexical", 1)
    rows = [line.split("\t") for line in (desk.folder / "run.tsv").read_text().splitlines()]
    assert [row[:3] for row in rows] == [
        ["q1", "1", "pool.md#remedy"],
        ["q2", "1", "pool.md#pool"],
        ["q2", "2", "pool.md#remedy"],  # of a file of that name
    ]
    assert all(float(row[3]) > 0 for row in rows)
    confidences = [
        line.split("\t") for line in (desk.folder / "confidence.tsv").read_text().splitlines()
    ]
    assert [row[0] for row in confidences] == ["q1", "q2", "q3"]
    assert confidences[2][1] == "0.000000"


def test_a_labelled_document_that_was_kept_out_is_a_warning(desk: Desk, dataset: Path) -> None:
    """Its questions score 0, which must not look like bad retrieval."""
    (dataset / "docs" / "other.md").write_text("# Other\n\nx\n")
    (dataset / "docs" / "pool.md").write_text("# Pool\n\nAKIAQ3EGZX7MNB4TPLWV\n\n## Remedy\n\nx\n")
    ran = desk.run(*RETRIEVAL, "set", "--mode", "lexical", "--json")
    assert ran.json[0]["warnings"][-1] == "pool.md answers 2 queries, and is not indexed"
    printed = desk.run(*RETRIEVAL, "set", "--mode", "lexical")
    assert printed.err.endswith("  warning: pool.md answers 2 queries, and is not indexed\n")


def test_it_works_where_knowledge_is_off(desk: Desk, dataset: Path) -> None:
    (desk.folder / "orrery.yaml").unlink()
    assert desk.run(*RETRIEVAL, "set", "--mode", "lexical").code == 0


def test_a_wrong_configuration_is_still_wrong(desk: Desk, dataset: Path) -> None:
    (desk.folder / "orrery.yaml").write_text("nope: 1\n")
    ran = desk.run(*RETRIEVAL, "set", "--mode", "lexical")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: orrery.yaml")
    assert "unknown key 'nope'" in ran.err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["nothing"], "error: nothing is no dataset: docs is missing"),
        (["set", "set", "--run-file", "run.tsv"], "error: a run file holds one dataset"),
        (["set", "--run-file", "no/such/run.tsv"], "error: there is no folder no/such"),
    ],
)
def test_what_can_not_be_run(
    desk: Desk, dataset: Path, arguments: list[str], expected: str
) -> None:
    ran = desk.run(*RETRIEVAL, *arguments, "--mode", "lexical")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(expected)


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        ("queries.jsonl", "nope\n", "error: queries.jsonl, line 1: no query object\n"),
        ("queries.jsonl", "", "error: queries.jsonl holds no query\n"),
        ("qrels.tsv", HEADER + "q1\tpool.md\n", "error: qrels.tsv, line 2: expected query-id"),
        (
            "qrels.tsv",
            HEADER + "q1\tpol.md\t\t2\n",
            "error: qrels.tsv, line 2: no document 'pol.md'",
        ),
        (
            "qrels.tsv",
            HEADER + "q1\tpool.md\tremdy\t2\n",
            "error: qrels.tsv, line 2: no section 'remdy' in 'pool.md'; near: 'remedy'\n",
        ),
        ("qrels.tsv", HEADER, "error: query q1 is answerable, but qrels.tsv has no answer\n"),
    ],
)
def test_a_wrong_dataset_is_2_and_names_the_line(
    desk: Desk, dataset: Path, file: str, text: str, expected: str
) -> None:
    (dataset / file).write_text(text)
    ran = desk.run(*RETRIEVAL, "set", "--mode", "lexical")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(expected)


def test_a_run_file_that_can_not_be_written(desk: Desk, dataset: Path) -> None:
    (desk.folder / "taken").mkdir()
    ran = desk.run(*RETRIEVAL, "set", "--mode", "lexical", "--run-file", "taken")
    assert (ran.code, ran.err) == (1, "error: taken: Is a directory\n")
