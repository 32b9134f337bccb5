"""An evaluation on PostgreSQL leaves nothing behind and touches nobody's index."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from orrery_knowledge.backends.pgvector.index import PgVectorConfig, PgVectorIndex
from orrery_knowledge.testing.documents import ask, make_document, paths, publish

pytest_plugins = ["postgres_fixtures"]
pytestmark = pytest.mark.services


def schemas(url: str) -> set[str]:
    with psycopg.connect(url) as connection:
        rows = connection.execute(
            "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'orrery%'"
        ).fetchall()
    return {row[0] for row in rows}


async def test_a_private_index_is_a_schema_of_its_own_and_goes_again(
    postgres_url: str, tmp_path: Path
) -> None:
    config = PgVectorConfig(url=postgres_url)
    shared = PgVectorIndex(config, state=tmp_path)
    await publish(shared, [make_document("a.md", "# A\n\nzebra\n")])
    private = PgVectorIndex.private(config, state=tmp_path)
    other = PgVectorIndex.private(config, state=tmp_path)
    await publish(private, [make_document("b.md", "# B\n\nzebra\n")])
    assert await paths(private, await ask(private, "zebra"), "lexical") == ["b.md"]
    assert await paths(shared, await ask(shared, "zebra"), "lexical") == ["a.md"]
    assert await other.active_load() is None
    assert len(schemas(postgres_url)) == 2
    await private.destroy()
    await other.destroy()
    assert schemas(postgres_url) == {"orrery"}
    assert await paths(shared, await ask(shared, "zebra"), "lexical") == ["a.md"]
    await shared.close()
