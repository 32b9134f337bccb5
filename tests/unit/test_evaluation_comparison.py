"""Which variants are ranked, by what, and how their differences come out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from orrery_knowledge.backends.sqlite.index import SqliteIndex
from orrery_knowledge.evaluation.comparison import DEFAULT, VARIANTS, Variant, _variant
from orrery_knowledge.evaluation.datasets import Dataset, read_dataset
from orrery_knowledge.evaluation.runs import run_dataset
from orrery_knowledge.testing.embedders import HashingEmbedder


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "pool.md").write_text("# Pool\n\nRaise max_connections.\n")
    (docs / "disk.md").write_text("# Disk\n\nDelete old logs.\n")
    queries = [
        {"id": "q1", "text": "max_connections", "answerable": True},
        {"id": "q2", "text": "delete old logs", "answerable": True},
        {"id": "q3", "text": "zanzibar", "answerable": False, "no_answer": "far"},
    ]
    (tmp_path / "queries.jsonl").write_text("".join(json.dumps(q) + "\n" for q in queries))
    (tmp_path / "qrels.tsv").write_text(
        "query-id\tdoc\tsection\trelevance\nq1\tpool.md\tpool\t2\nq2\tdisk.md\tdisk\t2\n"
    )
    return read_dataset(tmp_path)


async def compared(dataset: Dataset, embedder: HashingEmbedder | None) -> tuple[Variant, ...]:
    result, _ = await run_dataset(
        dataset,
        lambda folder: SqliteIndex.private(SqliteIndex.Config(), state=folder),
        embedder,
        mode="hybrid" if embedder else "lexical",
        compare=True,
    )
    return result.comparison


async def test_every_variant_is_ranked(dataset: Dataset) -> None:
    found = {variant.name: variant for variant in await compared(dataset, HashingEmbedder())}
    assert list(found) == list(VARIANTS)
    assert {variant.queries for variant in found.values()} == {2}
    assert found["words"].ndcg_10 == found[DEFAULT].ndcg_10 == 1.0
    assert found[DEFAULT].difference is None
    assert found["words"].difference == 0.0


async def test_without_an_embedder_words_are_compared_with_nothing(dataset: Dataset) -> None:
    [only] = await compared(dataset, None)
    assert (only.name, only.ndcg_10, only.difference) == ("words", 1.0, None)


async def test_nothing_is_compared_unless_it_is_asked_for(dataset: Dataset) -> None:
    result, _ = await run_dataset(
        dataset,
        lambda folder: SqliteIndex.private(SqliteIndex.Config(), state=folder),
        None,
        mode="lexical",
    )
    assert result.comparison == ()


def test_a_difference_is_paired() -> None:
    """Each query lost exactly 0.1: no draw of them can say anything else."""
    found = _variant("words", [0.9, 0.4, 0.1], [1.0, 0.5, 0.2])
    assert found.ndcg_10 == pytest.approx(0.4667)
    assert found.difference == pytest.approx(-0.1)
    assert found.difference_interval == pytest.approx((-0.1, -0.1))
    low, high = found.interval
    assert low < 0.4667 < high


def test_no_query_is_no_score() -> None:
    assert _variant("words", [], None) == Variant(
        name="words", queries=0, ndcg_10=0.0, interval=(0.0, 0.0)
    )
