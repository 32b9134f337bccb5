"""How `Retrieval` orders what an index found: fusion by setting, age, and what is embedded."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from orrery_knowledge.backends.sqlite.index import SqliteConfig, SqliteIndex
from orrery_knowledge.errors import ConfigurationError
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.models import Fusion, Query
from orrery_knowledge.protocols import Vectors
from orrery_knowledge.retrieval import Retrieval
from orrery_knowledge.runtime import build_retrieval
from orrery_knowledge.settings import load_settings
from orrery_knowledge.testing import HashingEmbedder
from orrery_knowledge.testing.documents import make_document, publish

pytest_plugins = ["store_fixtures"]

NOW = datetime.now(UTC)


def aged_document(path: str, text: str, days: int | None):
    changed = None if days is None else NOW - timedelta(days=days)
    return make_document(path, text).model_copy(update={"modified_at": changed})


SAME = "# Proxy\n\nRestart the zebra proxy when its connections run out.\n"


async def order(retrieval: Retrieval, **query: int) -> list[str]:
    result = await retrieval.search(Query(text="zebra proxy connections", **query))
    return [passage.citation.partition("#")[0].removeprefix("kb:") for passage in result.passages]


async def test_the_newer_of_two_equals_comes_first(index: SqliteIndex, ledger: Ledger) -> None:
    """B6: the older one stays, and what is to be said of its age stays with it."""
    await publish(index, [aged_document("a.md", SAME, 2000), aged_document("b.md", SAME, 10)])
    assert await order(Retrieval(index, ledger, None)) == ["b.md", "a.md"]
    assert await order(Retrieval(index, ledger, None, age_penalty=0.0)) == ["a.md", "b.md"]
    found = (await Retrieval(index, ledger, None).search(Query(text="zebra"))).passages
    assert [passage.stale for passage in found] == [False, True]
    assert found[1].needs_review
    assert found[1].score > 0.9 * found[0].score


async def test_a_much_better_answer_stays_first_however_old(
    index: SqliteIndex, ledger: Ledger
) -> None:
    other = "# Mail\n\nThe postman met a zebra.\n"
    await publish(index, [aged_document("old.md", SAME, 9000), aged_document("new.md", other, 0)])
    assert await order(Retrieval(index, ledger, None)) == ["old.md", "new.md"]


async def test_an_unknown_age_costs_nothing(index: SqliteIndex, ledger: Ledger) -> None:
    await publish(index, [aged_document("a.md", SAME, 2000), aged_document("b.md", SAME, None)])
    assert await order(Retrieval(index, ledger, None)) == ["b.md", "a.md"]


async def test_age_decides_before_the_answer_is_cut(index: SqliteIndex, ledger: Ledger) -> None:
    """The newest is the third by its words; of a cut at one or two it would be left out."""
    old = [aged_document(f"{name}.md", SAME, 2000) for name in "ab"]
    await publish(index, [*old, aged_document("c.md", SAME, 1)])
    assert await order(Retrieval(index, ledger, None), top_k=1) == ["c.md"]
    assert await order(Retrieval(index, ledger, None), top_k=2) == ["c.md", "a.md"]


class Listening(HashingEmbedder):
    """Keeps what it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    async def embed_query(self, text: str) -> Vectors:
        self.asked.append(text)
        return await super().embed_query(text)


async def test_an_embedder_is_asked_in_words(index: SqliteIndex, ledger: Ledger) -> None:
    await publish(index, [make_document("a.md", SAME)])
    embedder = Listening()
    await Retrieval(index, ledger, embedder).search(Query(text="ZebraProxyDown pool_size"))
    assert embedder.asked == ["Zebra Proxy Down pool size"]


@pytest.mark.parametrize(
    ("fusion", "score"), [("scores", 1.0), ("rrf", 2 / 61), ("weighted", 0.7 + 0.3)]
)
async def test_the_fusion_of_the_settings_is_used(
    tmp_path: Path, fusion: Fusion, score: float
) -> None:
    """O7, P3: one document is first by words and by meaning, so its score is the maximum."""
    embedder = HashingEmbedder()
    file = tmp_path / "orrery.yaml"
    file.write_text(f"embedder: none\nsearch: {{fusion: {fusion}, age_penalty: 0}}\n")
    settings = load_settings(file)
    retrieval = build_retrieval(settings)
    built = SqliteIndex(SqliteConfig(), state=settings.state_folder)
    await publish(built, [make_document("a.md", SAME)], embedder=embedder)
    await built.close()
    retrieval._embedder = embedder
    try:
        [passage] = (await retrieval.search(Query(text="zebra proxy"))).passages
    finally:
        await retrieval.close()
    assert passage.score == pytest.approx(score, abs=1e-6)


@pytest.mark.parametrize("setting", ["fusion: borda", "age_penalty: 0.2", "age_penalty: -0.1"])
def test_a_ranking_that_is_not_there_is_refused(tmp_path: Path, setting: str) -> None:
    file = tmp_path / "orrery.yaml"
    file.write_text(f"search: {{{setting}}}\n")
    with pytest.raises(ConfigurationError, match=f"line 1: search.{setting.split(':')[0]} is "):
        load_settings(file)
