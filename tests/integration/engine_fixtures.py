"""Places on each engine; a module that needs them names this file in `pytest_plugins`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from engine_support import Engine, OnServer
from kill_support import start_place
from sync_support import Place

pytest_plugins = ["postgres_fixtures"]


@pytest.fixture(
    scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.services)]
)
def engine(request: pytest.FixtureRequest) -> Engine:
    if request.param == "sqlite":
        return Engine()
    return OnServer(
        request.getfixturevalue("postgres_admin_url"), request.getfixturevalue("postgres_template")
    )


@pytest.fixture(scope="module")
def template(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Version 1, synced; tests work on copies."""
    place = start_place(engine.place(tmp_path_factory.mktemp("template")))
    yield place
    engine.drop(place)


@pytest.fixture
def place(engine: Engine, template: Place, tmp_path: Path) -> Iterator[Place]:
    """A copy of the template."""
    copied = engine.copy(template, tmp_path)
    yield copied
    engine.drop(copied)


@pytest.fixture
def empty_place(engine: Engine, tmp_path: Path) -> Iterator[Place]:
    """One in which nothing was ever synced."""
    made = engine.place(tmp_path)
    yield made
    engine.drop(made)
