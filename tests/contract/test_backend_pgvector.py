"""The pgvector backend against the shipped contract, on a real server."""

from __future__ import annotations

import pytest

from orrery_knowledge.testing.backends import BackendContract

pytest_plugins = ["postgres_fixtures"]


@pytest.mark.services
class TestPgVector(BackendContract):
    @pytest.fixture
    def open_index(self, open_postgres):
        return open_postgres
