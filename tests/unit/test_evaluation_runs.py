from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from orrery_knowledge.backends.sqlite.index import SqliteConfig, SqliteIndex
from orrery_knowledge.errors import KnowledgeError
from orrery_knowledge.evaluation.datasets import Dataset, LabelledQuery
from orrery_knowledge.evaluation.runs import Ranked, run_dataset, write_confidence, write_run
from orrery_knowledge.testing.embedders import HashingEmbedder

POOL = "# Pool\n\nClients wait.\n\n## Remedy\n\nRaise max_connections.\n"
LAG = "# Lag\n\nConsumers fall behind.\n\n## Remedy\n\nAdd partitions.\n"


def sqlite(folder: Path) -> SqliteIndex:
    """Never the configured file, even where its path is absolute."""
    return SqliteIndex.private(SqliteConfig(path=Path("/nobody/has/this/index.db")), state=folder)


Qrels = dict[str, dict[tuple[str, str], int]]


@pytest.fixture
def dataset(tmp_path: Path):
    def make(documents: dict[str, str], queries: list[LabelledQuery], qrels: Qrels) -> Dataset:
        for name, text in documents.items():
            file = tmp_path / "set" / "docs" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return Dataset(folder=tmp_path / "set", queries=tuple(queries), qrels=qrels)

    return make


def asked(id_: str, text: str, **values: object) -> LabelledQuery:
    return LabelledQuery.model_validate({"id": id_, "text": text, **values})


async def test_a_tiny_dataset_by_hand(dataset) -> None:
    made = dataset(
        {"db/pool.md": POOL, "lag.md": LAG},
        [
            asked("q1", "max_connections", kind="name"),
            asked("q2", "Consumers partitions", kind="words"),
            asked("q3", "zanzibar", answerable=False, no_answer="far"),
        ],
        {
            "q1": {("db/pool.md", "remedy"): 2},
            # Both sections match; the label without a section is met by the first of them.
            "q2": {("lag.md", ""): 2},
        },
    )
    result, ranked = await run_dataset(made, sqlite, None, mode="lexical")
    assert ranked["q1"].sections[0][0] == ("db/pool.md", "remedy")
    assert {target for target, _ in ranked["q2"].sections} == {
        ("lag.md", "lag"),
        ("lag.md", "remedy"),
    }
    assert ranked["q3"] == Ranked((), 0.0)
    assert (result.dataset, result.mode) == ("set", "lexical")
    assert (result.sync.documents, result.sync.chunks) == (2, 4)
    everything = result.scores["all"]
    assert everything.queries == 2
    assert (everything.recall_5, everything.mrr_10, everything.ndcg_10) == (1.0, 1.0, 1.0)
    assert everything.precision_5 == 0.2  # one of five, twice
    assert (everything.document_recall_1, everything.document_recall_5) == (1.0, 1.0)
    assert set(result.scores) == {"all", "name", "words"}
    assert result.scores["name"].queries == 1
    assert set(result.confidence) == {"answerable", "far"}
    assert result.confidence["far"] == 0.0
    assert result.confidence["answerable"] == pytest.approx(
        (ranked["q1"].confidence + ranked["q2"].confidence) / 2, abs=1e-4
    )


async def test_a_wrong_answer_scores_nothing(dataset) -> None:
    made = dataset(
        {"pool.md": POOL, "lag.md": LAG},
        [asked("q1", "max_connections")],
        {"q1": {("lag.md", "remedy"): 2}},
    )
    result, _ = await run_dataset(made, sqlite, None, mode="lexical")
    scores = result.scores["all"]
    assert (scores.recall_5, scores.precision_5, scores.mrr_10, scores.ndcg_10) == (0, 0, 0, 0)
    assert (scores.document_recall_1, scores.document_recall_5) == (0, 0)


async def test_an_alert_goes_by_its_name_and_not_by_its_labels(dataset) -> None:
    payload = {
        "alerts": [{"labels": {"alertname": "PoolExhausted", "pod": "lag"}, "annotations": {}}]
    }
    made = dataset(
        {"pool.md": "# PoolExhausted\n\nClients wait.\n", "lag.md": LAG},
        [asked("q1", "Consumers partitions", payload=payload)],
        {"q1": {("pool.md", ""): 2}},
    )
    _, ranked = await run_dataset(made, sqlite, None, mode="lexical")
    assert [target for target, _ in ranked["q1"].sections] == [("pool.md", "poolexhausted")]


async def test_a_hundred_sections_are_ranked_and_no_more(dataset) -> None:
    sections = "".join(f"## Case {n}\n\nThe kafka broker case {n}.\n\n" for n in range(150))
    made = dataset(
        {"long.md": f"# Long\n\n{sections}"},
        [asked("q1", "kafka broker")],
        {"q1": {("long.md", ""): 2}},
    )
    _, ranked = await run_dataset(made, sqlite, None, mode="lexical")
    targets = [target for target, _ in ranked["q1"].sections]
    assert len(targets) == len(set(targets)) == 100
    scores = [score for _, score in ranked["q1"].sections]
    assert scores == sorted(scores, reverse=True)


async def test_by_meaning_every_section_is_ranked(dataset) -> None:
    """Also below any confidence cut: nothing has a word in common."""
    made = dataset(
        {"pool.md": POOL, "lag.md": LAG},
        [asked("q1", "zanzibar", answerable=False)],
        {},
    )
    embedder = HashingEmbedder()
    result, ranked = await run_dataset(made, sqlite, embedder, mode="vector")
    assert len(ranked["q1"].sections) == 4
    assert result.scores == {}
    assert set(result.confidence) == {"unanswerable"}


async def test_nothing_is_left_behind(
    dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    made = dataset({"pool.md": POOL}, [asked("q1", "pool")], {"q1": {("pool.md", ""): 2}})
    await run_dataset(made, sqlite, None, mode="lexical")
    assert list(scratch.iterdir()) == []
    assert sorted(p.name for p in (tmp_path / "set").iterdir()) == ["docs"]


async def test_what_is_quarantined_is_reported(dataset) -> None:
    unsafe = "# Key\n\nAKIAQ3EGZX7MNB4TPLWV\n"
    made = dataset(
        {"pool.md": POOL, "unsafe.md": unsafe}, [asked("q1", "pool")], {"q1": {("pool.md", ""): 2}}
    )
    result, _ = await run_dataset(made, sqlite, None, mode="lexical")
    assert (result.sync.documents, result.sync.quarantined) == (1, 1)


async def test_without_any_document_there_is_no_evaluation(dataset) -> None:
    made = dataset({"x.bin": "no document"}, [asked("q1", "x")], {"q1": {("x", ""): 1}})
    with pytest.raises(KnowledgeError, match="set: nothing was indexed"):
        await run_dataset(made, sqlite, None, mode="lexical")


async def test_progress_is_told(dataset) -> None:
    made = dataset({"pool.md": POOL}, [asked("q1", "pool"), asked("q2", "max")],
                   {"q1": {("pool.md", ""): 2}, "q2": {("pool.md", ""): 2}})  # fmt: skip
    told: list[tuple[int, int]] = []
    await run_dataset(made, sqlite, None, mode="lexical", on_query=lambda *done: told.append(done))
    assert told == [(1, 2), (2, 2)]


RANKED = {
    "q1": Ranked(((("db/pool.md", "remedy"), 0.75), (("lag.md", ""), 0.1234567)), 0.5),
    "q2": Ranked((), 0.0),
}


def test_the_run_file(tmp_path: Path) -> None:
    file = tmp_path / "run.tsv"
    write_run(file, RANKED)
    assert file.read_bytes() == (b"q1\t1\tdb/pool.md#remedy\t0.750000\nq1\t2\tlag.md\t0.123457\n")


def test_the_confidence_file(tmp_path: Path) -> None:
    file = tmp_path / "confidence.tsv"
    write_confidence(file, RANKED)
    assert file.read_bytes() == b"q1\t0.500000\nq2\t0.000000\n"
