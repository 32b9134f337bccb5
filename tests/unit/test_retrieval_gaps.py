from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from orrery_knowledge.backends.sqlite.index import SqliteConfig, SqliteIndex
from orrery_knowledge.errors import BackendUnavailable
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.models import Query
from orrery_knowledge.retrieval import Retrieval
from orrery_knowledge.testing.documents import make_document, publish

POOL = "# Pool\n\nRestart the zebra proxy when connections run out.\n"


@pytest.fixture
async def index(tmp_path: Path) -> AsyncIterator[SqliteIndex]:
    opened = SqliteIndex(SqliteConfig(), state=tmp_path)
    await publish(opened, [make_document("pool.md", POOL)])
    yield opened
    await opened.close()


@pytest.fixture
async def ledger(tmp_path: Path) -> AsyncIterator[Ledger]:
    async with Ledger(tmp_path / "ledger.db") as opened:
        yield opened


async def counted(ledger: Ledger) -> list[tuple[str | None, int]]:
    return [(gap.text, gap.unsure) for gap in (await ledger.gaps()).gaps]


@pytest.mark.parametrize(
    ("text", "options", "investigation", "record", "expected"),
    [
        ("solar panel", {}, "inc-1", True, [("solar panel", 0)]),
        ("solar panel converter zebra", {}, "inc-1", True, [("solar panel converter zebra", 1)]),
        ("solar panel", {}, None, True, []),
        ("solar panel", {}, "inc-1", False, []),
        ("Pool", {}, "inc-1", True, []),
        ("solar panel", {"corpus": "nope"}, "inc-1", True, []),
        ("solar panel", {"mode": "vector"}, "inc-1", True, []),
        (" ", {}, "inc-1", True, []),
    ],
)
async def test_what_counts(
    index: SqliteIndex,
    ledger: Ledger,
    text: str,
    options: dict[str, Any],
    investigation: str | None,
    record: bool,
    expected: list[tuple[str, int]],
) -> None:
    retrieval = Retrieval(index, ledger, None, record_gaps=record)
    await retrieval.search(Query(text=text, **options), investigation=investigation)
    assert await counted(ledger) == expected


async def test_before_the_first_sync_nothing_is_a_gap(tmp_path: Path, ledger: Ledger) -> None:
    empty = SqliteIndex(SqliteConfig(), state=tmp_path / "other")
    retrieval = Retrieval(empty, ledger, None, record_gaps=True)
    result = await retrieval.search(Query(text="zebra"), investigation="inc-1")
    assert result.status == "unavailable"
    assert await counted(ledger) == []
    await empty.close()


async def test_a_gap_that_can_not_be_counted_fails_no_search(
    index: SqliteIndex,
    ledger: Ledger,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def dead(*_: Any, **__: Any) -> None:
        raise BackendUnavailable("the disk of host db-7 is full")

    monkeypatch.setattr(Ledger, "note_gap", dead)
    retrieval = Retrieval(index, ledger, None, record_gaps=True)
    with caplog.at_level(logging.WARNING):
        result = await retrieval.search(Query(text="solar panel"), investigation="inc-1")
    assert result.status == "no_match"
    assert [record.getMessage() for record in caplog.records] == [
        "a gap was not counted: BackendUnavailable"
    ]


async def test_a_long_query_is_counted_by_its_beginning(index: SqliteIndex, ledger: Ledger) -> None:
    retrieval = Retrieval(index, ledger, None, record_gaps=True)
    await retrieval.search(Query(text="solar " * 100_000), investigation="inc-1")
    [(text, _)] = await counted(ledger)
    assert text is not None
    assert (len(text), text[:12]) == (300, "solar solar ")
