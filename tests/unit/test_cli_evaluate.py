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


def test_ways_to_rank_side_by_side(desk: Desk, dataset: Path) -> None:
    """P3: the table; without an embedder there is one way, and nothing to compare it with."""
    (desk.folder / "orrery.yaml").write_text("embedder: none\n")
    ran = desk.run(*RETRIEVAL, "set", "--mode", "lexical", "--compare")
    assert ran.code == 0
    header, words = ran.out.splitlines()[-2:]
    assert header.split() == ["ranked", "by", "n", "nDCG", "95", "%", "difference", "95", "%"]
    assert words.split() == ["words", "2", "1.000", "1.000", "to", "1.000"]


def test_below_a_minimum_it_is_1_and_says_what_fell(desk: Desk, dataset: Path) -> None:
    """P@5 is .2 in this set: each question has one answer."""
    least = desk.folder / "least.yaml"
    least.write_text("set: {lexical: {recall_5: 1.0, precision_5: 0.21}}\n")
    ran = desk.run(*RETRIEVAL, "set", "--mode", "lexical", "--thresholds", "least.yaml", "--json")
    assert ran.code == 1
    assert ran.json[0]["scores"]["all"]["precision_5"] == 0.2
    fell = "fell: set (lexical): precision_5 fell to 0.2000; the least is 0.2100"
    assert ran.err.splitlines()[-1] == fell
    # A fall is nothing to raise.
    before = least.read_text()
    raising = desk.run(
        *RETRIEVAL, "set", "--mode", "lexical", "--thresholds", "least.yaml", "--raise"
    )
    assert (raising.code, least.read_text()) == (1, before)
    least.write_text("set: {lexical: {precision_5: 0.2}}\n")
    assert desk.run(*RETRIEVAL, "set", "--mode", "lexical", "--thresholds", "least.yaml").code == 0


def test_minimums_rise_to_what_was_reached(desk: Desk, dataset: Path) -> None:
    arguments = (*RETRIEVAL, "set", "--mode", "lexical", "--thresholds", "least.yaml")
    assert desk.run(*arguments, "--raise").code == 0
    assert "precision_5: 0.19\n" in (desk.folder / "least.yaml").read_text()
    assert desk.run(*arguments).code == 0
    # A document less, and its questions score 0.
    (dataset / "docs" / "pool.md").write_text("# Pool\n\nAKIAQ3EGZX7MNB4TPLWV\n\n## Remedy\n\nx\n")
    (dataset / "docs" / "other.md").write_text("# Other\n\nx\n")
    ran = desk.run(*arguments)
    assert ran.code == 1
    assert "fell: set (lexical): recall_5 fell to 0.0000; the least is 0.9900" in ran.err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--raise"], "error: --raise needs the file to raise: add --thresholds FILE"),
        (["--thresholds", "no.yaml"], "error: no.yaml: there is no such file"),
        (["--thresholds", "no/such.yaml", "--raise"], "error: there is no folder no"),
    ],
)
def test_thresholds_that_can_not_be_used(
    desk: Desk, dataset: Path, arguments: list[str], expected: str
) -> None:
    ran = desk.run(*RETRIEVAL, "set", "--mode", "lexical", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(expected)


def test_the_interval_of_each_mean_is_printed(desk: Desk, dataset: Path) -> None:
    ran = desk.run(*RETRIEVAL, "set", "--mode", "lexical")
    [line] = [line for line in ran.out.splitlines() if line.startswith("  95 % of all")]
    # Both answers come first, so nothing else can be drawn.
    assert line.split()[4:] == [
        "1.00-1.00", "0.20-0.20", "1.00-1.00", "1.00-1.00", "1.00-1.00", "1.00-1.00",
    ]  # fmt: skip


def test_vectors_that_are_stored_need_no_embedder(desk: Desk, dataset: Path) -> None:
    arguments = (*RETRIEVAL, "set", "--vectors", "v.npz")
    (desk.folder / "orrery.yaml").write_text("embedder: {type: minilm}\n")
    filled = desk.run(*arguments, "--update-vectors", "--json")
    # Two sections and three questions.
    assert (filled.code, filled.err.splitlines()[-1]) == (0, "v.npz: 5 vectors computed")
    (desk.folder / "orrery.yaml").write_text("embedder: {type: none}\n")
    stored = desk.run(*arguments, "--json")
    assert stored.code == 0
    assert stored.json[0]["scores"] == filled.json[0]["scores"]
    # Another text, and there is no vector: that is never searched by words alone.
    (dataset / "docs" / "pool.md").write_text("# Pool\n\nWait.\n\n## Remedy\n\nAnother.\n")
    ran = desk.run(*arguments)
    assert ran.code == 1
    assert "v.npz lacks 1 vectors of texts that changed" in ran.err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--vectors", "v.npz"], "error: v.npz: there is no such file"),
        (["--vectors", "orrery.yaml"], "error: orrery.yaml: these are no stored vectors"),
        (["--update-vectors"], "error: --update-vectors needs the file: add --vectors FILE"),
        (
            ["--vectors", "v.npz", "--update-vectors"],
            "error: --update-vectors needs an embedder, and none is configured",
        ),
        (
            ["--vectors", "v.npz", "--update-vectors", "--mode", "lexical"],
            "error: --update-vectors needs a mode that looks at meaning",
        ),
    ],
)
def test_vectors_that_can_not_be_used(
    desk: Desk, dataset: Path, arguments: list[str], expected: str
) -> None:
    ran = desk.run(*RETRIEVAL, "set", *arguments)
    assert (ran.code, ran.out, ran.err) == (2, "", f"{expected}\n")
