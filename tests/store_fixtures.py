"""An empty index and ledger on SQLite; a module names this file in `pytest_plugins`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from orrery_knowledge.backends.sqlite.index import SqliteConfig, SqliteIndex
from orrery_knowledge.governance.ledger import Ledger


@pytest.fixture
async def index(tmp_path: Path) -> AsyncIterator[SqliteIndex]:
    """Not opened before its first use."""
    opened = SqliteIndex(SqliteConfig(), state=tmp_path)
    yield opened
    await opened.close()


@pytest.fixture
async def ledger(tmp_path: Path) -> AsyncIterator[Ledger]:
    """The same."""
    opened = Ledger(tmp_path / "ledger.db")
    yield opened
    await opened.close()
