"""A ledger's URL on each engine; a module that needs it names this file in `pytest_plugins`."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["postgres_fixtures"]


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.services)])
def ledger_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where an empty ledger can be opened, by this process and by others."""
    if request.param == "sqlite":
        return f"sqlite+aiosqlite:///{tmp_path / 'state' / 'ledger.db'}"
    return str(request.getfixturevalue("postgres_url"))
