from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from orrery_knowledge.errors import ConfigurationError
from orrery_knowledge.evaluation.datasets import Dataset, read_dataset

HEADER = "query-id\tdoc\tsection\trelevance\n"
DOCUMENTS = {
    "a.md": "Pool.\n",
    "b.md": "---\ntitle: B\n---\n# B\n\nx\n\n## Steps\n\n### Remedy\n\ny\n\n### Remedy\n\nz\n",
}


def line(**values: Any) -> str:
    return json.dumps({"id": "q1", "text": "pool", **values}) + "\n"


@pytest.fixture
def read(tmp_path: Path):
    def write_and_read(
        queries: str | bytes = line(), qrels: str | bytes = HEADER + "q1\ta.md\t\t2\n"
    ) -> Dataset:
        (tmp_path / "docs").mkdir(exist_ok=True)
        for name, text in DOCUMENTS.items():
            (tmp_path / "docs" / name).write_text(text)
        for name, text in (("queries.jsonl", queries), ("qrels.tsv", qrels)):
            data = text if isinstance(text, bytes) else text.encode()
            (tmp_path / name).write_bytes(data)
        return read_dataset(tmp_path)

    return write_and_read


def refused(work: Any) -> str:
    with pytest.raises(ConfigurationError) as caught:
        work()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_dataset_has_a_name_however_it_is_given(
    read: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read()
    monkeypatch.chdir(tmp_path / "docs")
    assert read_dataset(Path("..")).name == tmp_path.name
    monkeypatch.chdir(tmp_path)
    assert read_dataset(Path()).name == tmp_path.name


def test_a_dataset(read: Any, tmp_path: Path) -> None:
    payload = {"alerts": [{"labels": {"alertname": "PoolFull"}}]}
    found = read(
        line(kind="symptom")
        + "\n"
        + line(id="q2", answerable=False, no_answer="far", extra="ignored")
        + line(id="q3", payload=payload, held_out=["b.md"]),
        HEADER + "q1\ta.md\t\t2\nq1\tb.md\tremedy\t1\n\nq3\ta.md\t\t1\nq2\ta.md\t\t0\n",
    )
    assert [query.id for query in found.queries] == ["q1", "q2", "q3"]
    assert (found.queries[0].kind, found.queries[0].answerable) == ("symptom", True)
    assert (found.queries[1].answerable, found.queries[1].no_answer) == (False, "far")
    assert [query.searched for query in found.queries] == ["pool", "pool", "PoolFull"]
    assert found.qrels == {
        "q1": {("a.md", ""): 2, ("b.md", "remedy"): 1},
        "q2": {("a.md", ""): 0},
        "q3": {("a.md", ""): 1},
    }
    assert [query.held_out for query in found.queries] == [(), (), ("b.md",)]
    assert found.documents == tmp_path / "docs"


def test_a_label_that_stands_twice_counts_once_at_its_highest(read: Any) -> None:
    """K145."""
    found = read(qrels=HEADER + "q1\ta.md\t\t2\nq1\ta.md\t\t1\nq1\ta.md\t\t2\n")
    assert found.qrels == {"q1": {("a.md", ""): 2}}


def test_odd_labels_that_change_no_score_are_warnings_with_their_lines(read: Any) -> None:
    found = read(
        qrels=HEADER
        + "q1\ta.md\t\t2\nq1\ta.md\t\t2\nq1\ta.md\t\t1\nq1\tgone.md\t\t0\nq1\tb.md\tsteps\t1\n"
    )
    assert found.warnings == (
        "qrels.tsv, line 3: the label of line 2 again; it counts once, at its highest",
        "qrels.tsv, line 4: the label of line 2 again, with another relevance; it counts once, at "
        "its highest",
        "qrels.tsv, line 5: no document 'gone.md'",
        "qrels.tsv, line 6: section 'steps' in 'b.md' has no text of its own, so no passage can be "
        "found",
    )
    assert found.qrels["q1"]["a.md", ""] == 2
    assert read().warnings == ()


def test_a_payload_without_an_alert_is_a_warning_with_its_line(read: Any) -> None:
    good = {"alerts": [{"labels": {"alertname": "PoolFull"}}]}
    found = read(
        line(payload=good)
        + line(id="q2", answerable=False, payload={"alerts": []})
        + line(id="q3", answerable=False, payload={"groups": [good]})
    )
    assert found.warnings == (
        "queries.jsonl, line 2: its payload holds no alert: it finds nothing",
        "queries.jsonl, line 3: its payload holds no alert: it finds nothing",
    )


def test_line_ends_of_windows_are_fine(read: Any) -> None:
    found = read(line().replace("\n", "\r\n"), HEADER.strip() + "\r\nq1\ta.md\t\t2\r\n")
    assert found.qrels == {"q1": {("a.md", ""): 2}}


@pytest.mark.parametrize(
    ("queries", "expected"),
    [
        ("", "queries.jsonl holds no query"),
        ("\n\n", "queries.jsonl holds no query"),
        (line() + "nope\n", "queries.jsonl, line 2: no query object"),
        (line() + "[]\n", "queries.jsonl, line 2: no query object"),
        ("[" * 100_000 + "\n", "queries.jsonl, line 1: no query object"),
        (line() + "\n" + line(), "queries.jsonl, line 3: id 'q1' again"),
        (line(held_out="a.md"), "queries.jsonl, line 1: no query object"),
        (line(id=7), "queries.jsonl, line 1: no query object"),
        (line(id="a\tb"), "queries.jsonl, line 1: no query object"),
        (line(id=""), "queries.jsonl, line 1: no query object"),
        (line(text=None), "queries.jsonl, line 1: no query object"),
        (line(payload="x"), "queries.jsonl, line 1: no query object"),
        (line() + line(id="q2"), "query q2 is answerable, but qrels.tsv has no answer"),
        (line(answerable=False), "query q1 is unanswerable, but qrels.tsv answers it"),
    ],
)
def test_wrong_queries(read: Any, queries: str, expected: str) -> None:
    assert refused(lambda: read(queries)) == expected


@pytest.mark.parametrize(
    ("qrels", "expected"),
    [
        ("", "query q1 is answerable, but qrels.tsv has no answer"),
        (HEADER, "query q1 is answerable, but qrels.tsv has no answer"),
        (HEADER + "q1\ta.md\t\t0\n", "query q1 is answerable, but qrels.tsv has no answer"),
        # Without a header the first judgement would be lost without a word.
        ("q1\ta.md\t\t2\n", "qrels.tsv, line 1: expected a header: query-id, doc, section,"),
        (HEADER + "q1 a.md  2\n", "qrels.tsv, line 2: expected query-id, doc, section, relevance"),
        (HEADER + "q1\ta.md\t2\n", "qrels.tsv, line 2: expected query-id"),
        (HEADER + "q1\ta.md\t\t2\tx\n", "qrels.tsv, line 2: expected query-id"),
        (HEADER + "q1\ta.md\t\t-1\n", "qrels.tsv, line 2: expected query-id"),
        (HEADER + "q1\ta.md\t\t²\n", "qrels.tsv, line 2: expected query-id"),
        (HEADER + "q1\ta.md\t\t" + "9" * 5000 + "\n", "qrels.tsv, line 2: expected query-id"),
        (HEADER + "q9\ta.md\t\t2\n", "qrels.tsv, line 2: no query 'q9' in queries.jsonl"),
        # It looks like a header, because its relevance is no number.
        ("q1\ta.md\t\ttwo\n" + "q1\ta.md\t\t2\n", "qrels.tsv, line 1: expected a header"),
        ("q1 a.md two\n" + "q1\ta.md\t\t2\n", "qrels.tsv, line 1: expected a header"),
        # Labels that nothing can meet: they would score 0 without a word.
        (HEADER + "q1\tA.md\t\t2\n", "qrels.tsv, line 2: no document 'A.md'; near: 'a.md'"),
        (HEADER + "q1\tdocs/a.md\t\t2\n", "qrels.tsv, line 2: no document 'docs/a.md'; near: "),
        (HEADER + "q1\t../qrels.tsv\t\t2\n", "qrels.tsv, line 2: no document '../qrels.tsv'"),
        (HEADER + "q1\t\t\t2\n", "qrels.tsv, line 2: no document ''"),
        (
            HEADER + "q1\ta.md\t\t2\nq1\tb.md\tremedies\t1\n",
            "qrels.tsv, line 3: no section 'remedies' in 'b.md'; near: 'remedy', 'remedy-1'",
        ),
        (
            HEADER + "q1\tb.md\tRemedy\t1\nq1\tc.md\t\t2\nq1\td.md\t\t2\n",
            "qrels.tsv, line 2: no section 'Remedy' in 'b.md'; near: 'remedy', 'remedy-1' "
            "(2 more such lines)",
        ),
        (
            HEADER + f"q1\t{'x' * 9000}\t\t2\n",
            f"qrels.tsv, line 2: no document '{'x' * 119}…'",
        ),
    ],
)
def test_wrong_judgements(read: Any, qrels: str, expected: str) -> None:
    assert refused(lambda: read(qrels=qrels)).startswith(expected)


@pytest.mark.parametrize(
    ("held_out", "expected"),
    [
        (["B.md"], "query q1 holds out 'B.md', which is no document; near: 'b.md'"),
        (["b.md", "../qrels.tsv"], "query q1 holds out '../qrels.tsv', which is no document"),
        ([""], "query q1 holds out '', which is no document"),
        (
            ["b.md", "a.md"],
            "qrels.tsv, line 2: 'a.md' is held out from query q1, so it can't be an answer",
        ),
    ],
)
def test_wrong_documents_held_out(read: Any, held_out: list[str], expected: str) -> None:
    assert refused(lambda: read(line(held_out=held_out))).startswith(expected)


def test_a_document_may_be_held_out_from_one_query_and_answer_another(read: Any) -> None:
    found = read(
        line(held_out=["b.md"]) + line(id="q2"),
        HEADER + "q1\ta.md\t\t2\nq1\tb.md\t\t0\nq2\tb.md\t\t2\n",
    )
    assert found.queries[0].held_out == ("b.md",)


def test_other_bytes_than_utf_8(read: Any) -> None:
    assert "must be UTF-8" in refused(lambda: read(b"\xff\xfe\n"))
    assert "must be UTF-8" in refused(lambda: read(qrels=HEADER.encode() + b"\xff\n"))


@pytest.mark.parametrize("missing", ["docs", "queries.jsonl", "qrels.tsv"])
def test_a_part_is_missing(read: Any, tmp_path: Path, missing: str) -> None:
    read()
    part = tmp_path / missing
    shutil.rmtree(part) if part.is_dir() else part.unlink()
    assert f"is no dataset: {missing} is missing" in refused(lambda: read_dataset(tmp_path))


def test_a_folder_in_place_of_a_file(read: Any, tmp_path: Path) -> None:
    read()
    (tmp_path / "qrels.tsv").unlink()
    (tmp_path / "qrels.tsv").mkdir()
    assert "Is a directory" in refused(lambda: read_dataset(tmp_path))


def test_a_label_is_met_by_its_section_and_by_those_below_it(read: Any) -> None:
    """Never by one above: the answer is further down there."""
    found = read(qrels=HEADER + "q1\tb.md\tsteps\t2\nq1\tb.md\tremedy-1\t1\n")
    assert found.around == {"b.md": {"b": (), "steps": ("b",), "remedy": ("steps", "b"),
                                     "remedy-1": ("steps", "b")}}  # fmt: skip
    met = {name: found.label_of("q1", ("b.md", name))[1] for name in found.around["b.md"]}
    assert met == {"b": "b", "steps": "steps", "remedy": "steps", "remedy-1": "remedy-1"}
    assert found.label_of("q1", ("a.md", "steps")) == ("a.md", "steps")


def test_a_label_without_a_section_is_met_by_any_that_has_none_of_its_own(read: Any) -> None:
    found = read(qrels=HEADER + "q1\tb.md\t\t1\nq1\tb.md\tremedy\t2\n")
    met = {name: found.label_of("q1", ("b.md", name))[1] for name in ("b", "remedy", "remedy-1")}
    assert met == {"b": "", "remedy": "remedy", "remedy-1": ""}
