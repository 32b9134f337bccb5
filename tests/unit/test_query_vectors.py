from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from orrery_knowledge.backends.sqlite.index import SqliteConfig, SqliteIndex
from orrery_knowledge.errors import EmbedderError
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.models import Query
from orrery_knowledge.protocols import Vectors
from orrery_knowledge.query_vectors import QueryVectors
from orrery_knowledge.retrieval import Retrieval
from orrery_knowledge.testing import HashingEmbedder
from orrery_knowledge.testing.documents import make_document, publish


class Counting(HashingEmbedder):
    """Says which queries reached the model."""

    def __init__(self, fingerprint: str | None = None) -> None:
        super().__init__(fingerprint=fingerprint)
        self.asked: list[str] = []

    async def embed_query(self, text: str) -> Vectors:
        self.asked.append(text)
        return await super().embed_query(text)


async def test_the_same_query_of_one_investigation_is_embedded_once() -> None:
    embedder, vectors = Counting(), QueryVectors()
    first = await vectors.embed(embedder, "zebra", "inc-1")
    assert np.array_equal(await vectors.embed(embedder, "zebra", "inc-1"), first)
    assert embedder.asked == ["zebra"]


@pytest.mark.parametrize(
    ("text", "investigation"),
    [("zebra ", "inc-1"), ("Zebra", "inc-1"), ("zebra", "inc-2"), ("zebra", "INC-1")],
)
async def test_another_query_or_investigation_is_embedded_again(
    text: str, investigation: str
) -> None:
    embedder, vectors = Counting(), QueryVectors()
    await vectors.embed(embedder, "zebra", "inc-1")
    await vectors.embed(embedder, text, investigation)
    assert embedder.asked == ["zebra", text]


async def test_another_model_never_gets_the_vector_of_the_first() -> None:
    vectors, before, after = QueryVectors(), Counting("a"), Counting("b")
    await vectors.embed(before, "zebra", "inc-1")
    await vectors.embed(after, "zebra", "inc-1")
    assert (before.asked, after.asked) == (["zebra"], ["zebra"])
    # An embedder whose model is exchanged under it counts as another one.
    before.fingerprint = "c"
    await vectors.embed(before, "zebra", "inc-1")
    assert before.asked == ["zebra", "zebra"]


async def test_without_an_investigation_nothing_is_remembered() -> None:
    embedder, vectors = Counting(), QueryVectors()
    for _ in range(2):
        await vectors.embed(embedder, "zebra", None)
    assert embedder.asked == ["zebra", "zebra"]


async def test_it_is_bounded_and_what_was_used_longest_ago_goes() -> None:
    embedder, vectors = Counting(), QueryVectors(kept=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        await vectors.embed(embedder, text, "inc-1")
    # "c" drops "b", because "a" was asked again in between.
    assert embedder.asked == ["a", "b", "c", "b"]


async def test_nobody_can_change_a_vector_under_the_others() -> None:
    vector = await QueryVectors().embed(Counting(), "zebra", "inc-1")
    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 1


async def test_a_failure_is_not_remembered() -> None:
    class Sometimes(Counting):
        async def embed_query(self, text: str) -> Vectors:
            vector = await super().embed_query(text)
            if len(self.asked) == 1:
                raise EmbedderError("the embedder is gone")
            return vector

    embedder, vectors = Sometimes(), QueryVectors()
    with pytest.raises(EmbedderError):
        await vectors.embed(embedder, "zebra", "inc-1")
    await vectors.embed(embedder, "zebra", "inc-1")
    assert embedder.asked == ["zebra", "zebra"]


async def test_searches_share_vectors_within_their_investigation_only(tmp_path: Path) -> None:
    """B7, through the retrieval that everything asks."""
    embedder = Counting()
    index = SqliteIndex(SqliteConfig(), state=tmp_path)
    retrieval = Retrieval(index, Ledger(tmp_path / "ledger.db"), embedder)
    try:
        await publish(index, [make_document("a.md", "# A\n\nThe zebra.\n")], embedder=embedder)
        found = [
            await retrieval.search(Query(text="zebra", top_k=top_k), investigation=investigation)
            for top_k, investigation in [(6, "inc-1"), (1, "inc-1"), (6, "inc-2"), (6, None)]
        ]
    finally:
        await retrieval.close()
    assert embedder.asked == ["zebra"] * 3
    assert {result.status for result in found} == {"ok"}
    assert len({result.passages[0].score for result in found}) == 1
