"""The SQLite backend against the shipped contract."""

from __future__ import annotations

import pytest

from orrery_knowledge.backends.sqlite.index import SqliteConfig, SqliteIndex
from orrery_knowledge.testing.backends import BackendContract


class TestSqlite(BackendContract):
    @pytest.fixture
    async def open_index(self, tmp_path):
        opened = []

        def open_one():
            opened.append(SqliteIndex(SqliteConfig(), state=tmp_path))
            return opened[-1]

        yield open_one
        for index in opened:
            await index.close()
