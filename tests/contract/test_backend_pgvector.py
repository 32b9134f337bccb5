"""The pgvector backend against the shipped contract, on a real server."""

from __future__ import annotations

import pytest

from orrery_knowledge.backends.pgvector.index import PgVectorConfig, PgVectorIndex
from orrery_knowledge.testing.backends import BackendContract

pytest_plugins = ["postgres_fixtures"]


@pytest.mark.services
class TestPgVector(BackendContract):
    @pytest.fixture
    async def open_index(self, postgres_url, tmp_path):
        opened = []

        def open_one():
            opened.append(PgVectorIndex(PgVectorConfig(url=postgres_url), state=tmp_path))
            return opened[-1]

        yield open_one
        for index in opened:
            await index.close()
