"""Both engines score the same on every labelled set, over stored vectors and without a model."""

from __future__ import annotations

from pathlib import Path

import pytest

from orrery_knowledge.backends.pgvector.index import PgVectorConfig, PgVectorIndex
from orrery_knowledge.backends.sqlite.index import SqliteConfig, SqliteIndex
from orrery_knowledge.evaluation.datasets import read_dataset
from orrery_knowledge.evaluation.runs import MEASURES, run_dataset
from orrery_knowledge.evaluation.vectors import StoredVectors

pytest_plugins = ["postgres_fixtures"]
pytestmark = pytest.mark.services

SETS = Path(__file__).parents[2] / "evals" / "retrieval"


@pytest.mark.parametrize("name", ["halyard", "meridian", "tessera"])
async def test_the_same_scores_and_first_results(name: str, postgres_url: str) -> None:
    dataset = read_dataset(SETS / name)
    embedder = StoredVectors(SETS / "vectors.npz")
    ours, on_sqlite = await run_dataset(
        dataset, lambda state: SqliteIndex.private(SqliteConfig(), state=state), embedder
    )
    server = PgVectorConfig(url=postgres_url)
    theirs, on_postgres = await run_dataset(
        dataset, lambda state: PgVectorIndex.private(server, state=state), embedder
    )
    assert embedder.computed == 0
    for measure in MEASURES:
        gap = getattr(theirs.scores["all"], measure) - getattr(ours.scores["all"], measure)
        assert abs(gap) <= 0.005, measure
    assert ours.scores["all"].recall_5 > 0.7  # of two engines that find something
    firsts = [
        [next(iter(found[query.id].sections), (None, 0.0))[0] for query in dataset.queries]
        for found in (on_sqlite, on_postgres)
    ]
    same = sum(one == other for one, other in zip(*firsts, strict=True))
    assert same / len(dataset.queries) >= 0.98
    for query in dataset.queries:
        assert on_postgres[query.id].confidence == pytest.approx(
            on_sqlite[query.id].confidence, abs=1e-3
        ), query.id
