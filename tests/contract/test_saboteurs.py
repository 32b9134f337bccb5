"""The contract can fail: an index that breaks one rule fails the test of that rule."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from saboteur_support import Contract, Saboteur
from saboteurs_of_loads import LOADS
from saboteurs_of_search import CHANGES, SEARCH

from orrery_knowledge.backends.sqlite.index import SqliteConfig, SqliteIndex
from orrery_knowledge.testing.documents import OpenIndex

SABOTEURS = [*SEARCH, *CHANGES, *LOADS]


@pytest.fixture
def open_index(tmp_path: Path) -> Iterator[OpenIndex]:
    opened: list[SqliteIndex] = []

    def open_one() -> SqliteIndex:
        opened.append(SqliteIndex(SqliteConfig(), state=tmp_path))
        return opened[-1]

    yield open_one
    for index in opened:
        index._database._shutdown()


@pytest.mark.parametrize("saboteur", SABOTEURS, ids=str)
async def test_a_saboteur_fails_the_contract(
    saboteur: Saboteur, open_index: OpenIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    contract = getattr(Contract(), saboteur.test)
    saboteur.sabotage(monkeypatch)
    with pytest.raises(saboteur.fails_with):
        await contract(open_index, **saboteur.given)


@pytest.mark.parametrize(
    ("test", "given"),
    sorted({(s.test, tuple(sorted(s.given.items()))) for s in SABOTEURS}),
)
async def test_the_honest_index_passes(
    test: str, given: tuple[tuple[str, Any], ...], open_index: OpenIndex
) -> None:
    await getattr(Contract(), test)(open_index, **dict(given))
