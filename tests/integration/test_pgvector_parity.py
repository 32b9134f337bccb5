"""Both engines give the same order over the same documents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from orrery_knowledge.backends.pgvector.index import PgVectorConfig, PgVectorIndex
from orrery_knowledge.backends.sqlite.index import SqliteConfig, SqliteIndex
from orrery_knowledge.fusion import fuse
from orrery_knowledge.models import Query, Rankings
from orrery_knowledge.protocols import KnowledgeIndex
from orrery_knowledge.testing.documents import make_document, publish
from orrery_knowledge.testing.embedders import HashingEmbedder

pytest_plugins = ["postgres_fixtures"]
pytestmark = pytest.mark.services

ROOT = Path(__file__).parents[2]
EMBEDDER = HashingEmbedder(384)
QUERIES = ROOT / "evals" / "retrieval" / "meridian" / "queries.jsonl"
LOG = "\n".join(
    f"2026-03-02T12:0{n}:00Z kafka-broker-{n} ERROR UnderReplicatedPartitions isr shrink topic "
    f"ledger.events.v3 partition {n} leader epoch {n * 7} pgbouncer client_login_timeout"
    for n in range(8)
)


def sample_documents():
    folder = ROOT / "samples" / "knowledge"
    for number, path in enumerate(sorted(folder.rglob("*.md"))):
        yield make_document(
            str(path.relative_to(folder)),
            path.read_text(encoding="utf-8"),
            corpus=path.relative_to(folder).parts[0],
            service=("ledger", "search", None)[number % 3],
        )


def questions() -> list[str]:
    lines = QUERIES.read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line)["text"] for line in lines]
    return [*filter(None, texts), LOG, "the service is down", "restart"]


LEXICAL_DEPTH = {LOG: 40}
"""The engines choose the candidates of a long log by different estimates, so its tail differs."""


async def described(index: KnowledgeIndex, found: Rankings, depth: int) -> dict[str, object]:
    """What people see of a search's chunks, because the engines number them as they like."""
    assert found.load is not None
    bodies = {body.id: body for body in await index.fetch(list(found.candidates), found.load)}

    def places(chunks) -> list[tuple[str, int]]:
        return [(bodies[chunk].path, bodies[chunk].chunk.ordinal) for chunk in chunks]

    return {
        "first": places([item.chunk for item in fuse(found)][:1]),
        "lexical": places(found.rankings["lexical"][:depth]),
        "identifiers": places(found.rankings["identifiers"]),
        "coverage": found.coverage,
    }


def cosines(found: Rankings) -> list[float | None]:
    return [found.candidates[chunk].vector for chunk in found.rankings["vector"]]


@pytest.fixture
async def engines(postgres_url, tmp_path):
    sqlite = SqliteIndex(SqliteConfig(), state=tmp_path)
    postgres = PgVectorIndex(PgVectorConfig(url=postgres_url), state=tmp_path)
    documents = list(sample_documents())
    for index in (sqlite, postgres):
        await publish(index, documents, embedder=EMBEDDER)
    yield sqlite, postgres
    await sqlite.close()
    await postgres.close()


@pytest.mark.parametrize("filters", [{}, {"corpus": "runbooks"}, {"service": "ledger"}], ids=str)
async def test_the_same_order_on_both_engines(engines, filters):
    texts = questions()
    assert len(texts) > 100
    answered = 0
    for text in texts:
        query = Query(text=text, **filters)
        vector = await EMBEDDER.embed_query(text)
        ours, theirs = [
            await index.search(query, vector, EMBEDDER.fingerprint) for index in engines
        ]
        depth = LEXICAL_DEPTH.get(text, query.pool)
        expected = await described(engines[0], ours, depth)
        assert await described(engines[1], theirs, depth) == expected, text
        # Chunks of equal cosine may change places: the engines add up in another order.
        assert cosines(theirs) == pytest.approx(cosines(ours), abs=1e-5), text
        answered += bool(expected["lexical"])
    assert answered > 90
