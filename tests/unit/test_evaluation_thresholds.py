from __future__ import annotations

from pathlib import Path

import pytest

from orrery_knowledge.errors import ConfigurationError
from orrery_knowledge.evaluation.runs import Evaluation, Scores
from orrery_knowledge.evaluation.thresholds import (
    fallen,
    raised,
    read_minimums,
    unchecked,
    write_minimums,
)
from orrery_knowledge.models import SyncReport


def made(**scores: float) -> Evaluation:
    """A run in which every other measure is 0.5."""
    measures = dict.fromkeys(
        ["recall_5", "precision_5", "mrr_10", "ndcg_10", "document_recall_1", "document_recall_5"],
        0.5,
    )
    return Evaluation(
        dataset="one",
        mode="hybrid",
        scores={"all": Scores(queries=4, **(measures | scores))},
        intervals={},
        confidence={},
        sync=SyncReport(load=1, activated=True, dry_run=False),
    )


MINIMUMS = {
    "one": {"hybrid": {"ndcg_10": 0.8, "recall_5": 0.5}},
    "two": {"hybrid": {"mrr_10": 1.0}},
}


def test_a_lower_figure_is_named_with_what_it_fell_to() -> None:
    assert fallen(MINIMUMS, [made(ndcg_10=0.7999)]) == [
        "one (hybrid): ndcg_10 fell to 0.7999; the least is 0.8000"
    ]


def test_what_reaches_its_minimum_has_not_fallen_nor_has_what_was_not_run() -> None:
    assert fallen(MINIMUMS, [made(ndcg_10=0.8)]) == []


def test_a_run_without_answerable_queries_reaches_nothing() -> None:
    empty = made().model_copy(update={"scores": {}})
    assert len(fallen(MINIMUMS, [empty])) == 2


def test_a_run_that_nothing_checks_is_told() -> None:
    words = made().model_copy(update={"mode": "lexical"})
    assert unchecked(MINIMUMS, [made(), words]) == [
        "one (lexical): no minimum, so nothing was checked"
    ]


def test_minimums_only_rise_and_stay_a_little_below() -> None:
    after = raised(MINIMUMS, [made(ndcg_10=0.9, recall_5=0.4, mrr_10=1.0)])
    measures = after["one"]["hybrid"]
    assert measures["ndcg_10"] == 0.89
    assert measures["recall_5"] == 0.5  # it was measured lower, and stays
    assert measures["mrr_10"] == 0.99
    assert measures["precision_5"] == 0.49
    assert after["two"] == MINIMUMS["two"]
    assert MINIMUMS["one"]["hybrid"] == {"ndcg_10": 0.8, "recall_5": 0.5}
    # The same run passes, and raises nothing more.
    again = made(ndcg_10=0.9, recall_5=0.5, mrr_10=1.0)
    assert fallen(after, [again]) == []
    assert raised(after, [again]) == after


def test_a_measure_of_zero_has_a_minimum_of_zero() -> None:
    assert raised({}, [made(mrr_10=0.0)])["one"]["hybrid"]["mrr_10"] == 0.0


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "thresholds.yaml"
    write_minimums(file, MINIMUMS)
    assert read_minimums(file) == MINIMUMS
    assert file.read_text().startswith("# What `make eval` must reach")
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert read_minimums(tmp_path / "no.yaml", missing_ok=True) == {}
    with pytest.raises(ConfigurationError, match="no such file"):
        read_minimums(tmp_path / "no.yaml")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("one: [", "expected dataset"),
        ("one: 0.8", "expected dataset"),
        ("one: {hybrid: {ndcg_10: high}}", "expected dataset"),
        ("one: {hybrid: {ndcg_10: true}}", "expected dataset"),
        ("1: {hybrid: {ndcg_10: 0.5}}", "expected dataset"),
        ("one: {hybrid: {ndcg: 0.8}}", "there is no measure 'ndcg'; known: document_recall_1"),
        ("one: {hybrid: {ndcg_10: 80}}", "must lie in 0 to 1"),
        ("one: {hybrid: {ndcg_10: .nan}}", "must lie in 0 to 1"),
        ("[" * 3000, "expected dataset"),
        ("one: 2026-13-45", "expected dataset"),
        ("one: 0x_", "expected dataset"),
    ],
)
def test_a_wrong_file_is_refused_in_one_line(tmp_path: Path, text: str, reason: str) -> None:
    file = tmp_path / "thresholds.yaml"
    file.write_text(text)
    with pytest.raises(ConfigurationError, match=reason) as refused:
        read_minimums(file)
    assert "\n" not in str(refused.value)


def test_a_file_of_another_encoding_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "thresholds.yaml"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigurationError, match="UTF-8"):
        read_minimums(file)
