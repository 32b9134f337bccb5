from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace as Part

import pytest

from orrery_knowledge.backends.sqlite.index import SqliteConfig, SqliteIndex
from orrery_knowledge.evaluation.datasets import Dataset, LabelledQuery
from orrery_knowledge.evaluation.held_out import without
from orrery_knowledge.evaluation.runs import Evaluation, Ranked, run_dataset
from orrery_knowledge.models import Candidate, Rankings

RUNBOOK = "# Pool\n\nClients wait for a connection. Raise the limit.\n"
REPORT = "# Report\n\nzanzibar: clients wait for a connection, again and again.\n"


def asked(id_: str, *held_out: str, answerable: bool = True) -> LabelledQuery:
    text = "zanzibar clients wait"
    return LabelledQuery(id=id_, text=text, held_out=held_out, answerable=answerable)


async def run(folder: Path, *queries: LabelledQuery) -> tuple[Evaluation, dict[str, Ranked]]:
    (folder / "docs").mkdir()
    (folder / "docs" / "runbook.md").write_text(RUNBOOK)
    (folder / "docs" / "report.md").write_text(REPORT)
    qrels = {query.id: {("runbook.md", ""): 2} for query in queries if query.answerable}
    made = Dataset(folder=folder, queries=queries, qrels=qrels)

    def index(state: Path) -> SqliteIndex:
        return SqliteIndex.private(SqliteConfig(path=Path("index.db")), state=state)

    return await run_dataset(made, index, None, mode="lexical")


async def test_a_held_out_report_leaves_the_ranking_of_its_query_only(tmp_path: Path) -> None:
    """K054: the report of an incident holds the words of a query that was made from it."""
    result, ranked = await run(tmp_path, asked("q1", "report.md"), asked("q2"))
    assert [path for (path, _), _ in ranked["q1"].sections] == ["runbook.md"]
    assert [path for (path, _), _ in ranked["q2"].sections] == ["report.md", "runbook.md"]
    # The first rank of one and the second of the other: (1 + 1/2) / 2.
    assert result.scores["all"].mrr_10 == 0.75
    assert ranked["q1"].confidence < ranked["q2"].confidence


async def test_nothing_but_held_out_documents_is_no_answer(tmp_path: Path) -> None:
    _, ranked = await run(tmp_path, asked("q1", "report.md", "runbook.md", answerable=False))
    assert ranked["q1"] == Ranked((), 0.0)


def test_coverage_shrinks_as_the_best_lexical_score_does() -> None:
    rankings = Rankings(
        load=1,
        rankings={"lexical": (7, 8), "vector": (8, 7)},
        candidates={7: Candidate(7, 1, lexical=8.0), 8: Candidate(8, 2, lexical=2.0)},
        coverage=0.9,
    )
    found = [(Part(chunk=7), Part(path="a.md")), (Part(chunk=8), Part(path="b.md"))]
    left, kept = without(rankings, found, ["a.md"])
    assert left.rankings == {"lexical": (8,), "vector": (8,)}
    assert list(left.candidates) == [8]
    assert left.coverage == pytest.approx(0.225)  # 0.9 * 2 / 8
    assert kept == found[1:]
    # Where the best one stays, so does the coverage.
    assert without(rankings, found, ["b.md"])[0].coverage == 0.9
    assert without(rankings, found, ()) == (rankings, found)
