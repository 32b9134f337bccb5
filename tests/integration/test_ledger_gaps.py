from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest
from ledger_support import change, everything

from orrery_knowledge.errors import BackendUnavailable
from orrery_knowledge.governance import gaps, schema
from orrery_knowledge.governance.ledger import Ledger

pytest_plugins = ["ledger_fixtures"]


@pytest.fixture
async def ledger(ledger_url: str) -> AsyncIterator[Ledger]:
    async with Ledger(ledger_url) as opened:
        yield opened


async def listed(ledger: Ledger) -> list[tuple[str, str | None, int, int]]:
    found = await ledger.gaps()
    return [(gap.kind, gap.text, gap.count, gap.unsure) for gap in found.gaps]


async def test_like_questions_are_counted_together_most_asked_first(ledger: Ledger) -> None:
    before = datetime.now(UTC)
    await ledger.note_gap("alert", "PoolFull")
    await ledger.note_gap("question", "why is node1 down?")
    await ledger.note_gap("question", "Why is node22 down", unsure=True)
    assert await listed(ledger) == [
        ("question", "why is node1 down?", 2, 1),
        ("alert", "PoolFull", 1, 0),
    ]
    first = (await ledger.gaps()).gaps[0]
    assert before <= first.first_seen <= first.last_seen <= datetime.now(UTC)


async def test_a_question_and_an_alert_of_one_name_are_two(ledger: Ledger) -> None:
    await ledger.note_gap("alert", "PoolFull")
    await ledger.note_gap("question", "PoolFull")
    assert sorted(kind for kind, *_ in await listed(ledger)) == ["alert", "question"]


async def test_since_looks_at_the_last_time(ledger: Ledger, ledger_url: str) -> None:
    await ledger.note_gap("question", "old pool")
    await ledger.note_gap("question", "new pool")
    change(
        ledger_url,
        "UPDATE gap SET first_seen = '2020-01-01 00:00:00.000000',"
        " last_seen = '2020-01-02 00:00:00.000000' WHERE text = 'old pool'",
    )
    day = datetime(2020, 1, 2, tzinfo=UTC)
    assert len((await ledger.gaps(day)).gaps) == 2
    assert [gap.text for gap in (await ledger.gaps(day + timedelta(days=1))).gaps] == ["new pool"]


async def test_a_flood_ends_the_rarest_and_oldest_and_is_counted(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gaps, "MAX_GAPS", 3)
    await ledger.note_gap("alert", "Spared")
    for text in ("asked twice", "asked twice", "oldest", "older", "newest", "last"):
        await ledger.note_gap("question", text)
    kept = await ledger.gaps()
    assert [gap.text for gap in kept.gaps if gap.kind == "question"] == [
        "asked twice",
        "last",
        "newest",
    ]
    assert [gap.text for gap in kept.gaps if gap.kind == "alert"] == ["Spared"]
    assert kept.evicted == 2


async def test_askings_at_once_are_all_counted(ledger: Ledger, ledger_url: str) -> None:
    async with Ledger(ledger_url) as other:
        await asyncio.gather(
            *(one.note_gap("question", "why") for one in (ledger, other) for _ in range(5))
        )
    assert [count for _, _, count, _ in await listed(ledger)] == [10]


async def test_nothing_secret_is_written_anywhere(ledger: Ledger, ledger_url: str) -> None:
    await ledger.note_gap("question", "login password=hunter2hunter2 of ada.lovelace@lovelace.net")
    written = everything(ledger_url)
    assert "login password=" in written
    assert "hunter2" not in written
    assert "ada.lovelace" not in written


async def test_where_screening_fails_only_the_number_is_written(
    ledger: Ledger, ledger_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: str) -> None:
        raise ValueError("no")

    monkeypatch.setattr(gaps, "screen", broken)
    await ledger.note_gap("question", "the zebra proxy")
    await ledger.note_gap("question", "the lion proxy")
    assert await listed(ledger) == [("question", None, 2, 0)]
    assert "zebra" not in everything(ledger_url)


async def test_text_that_engines_refuse_is_kept_without_it(ledger: Ledger) -> None:
    await ledger.note_gap("question", "zebra\0 proxy \ud800")
    [(_, text, _, _)] = await listed(ledger)
    assert text is not None
    assert "zebra" in text


async def test_a_row_that_is_none_is_damage(ledger: Ledger, ledger_url: str) -> None:
    await ledger.note_gap("question", "zebra")
    change(ledger_url, "UPDATE gap SET kind = 'other'")
    with pytest.raises(BackendUnavailable, match="damaged"):
        await ledger.gaps()


async def test_a_ledger_from_before_gets_the_table(ledger_url: str) -> None:
    async with Ledger(ledger_url) as opened:
        await opened.record("kept", actor="ada")
    for table in reversed([*schema.metadata.sorted_tables]):
        if table.name not in ("decision", "pending", "quarantine", "evidence", "audit"):
            change(ledger_url, f"DROP TABLE {table.name}")
    change(ledger_url, "UPDATE ledger_version SET version_num = '0001'")
    async with Ledger(ledger_url) as opened:
        await opened.note_gap("alert", "PoolFull")
        assert await listed(opened) == [("alert", "PoolFull", 1, 0)]
        assert [entry.action for entry in await opened.audit()] == ["kept"]
