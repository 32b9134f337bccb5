from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from orrery_knowledge.governance import deliveries
from orrery_knowledge.governance.ledger import Ledger

pytest_plugins = ["ledger_fixtures"]

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.fixture
async def ledger(ledger_url: str) -> AsyncIterator[Ledger]:
    async with Ledger(ledger_url) as opened:
        yield opened


async def test_a_delivery_is_new_once(ledger: Ledger) -> None:
    assert await ledger.new_deliveries(["a", "b", "a"]) == {"a", "b"}
    assert await ledger.new_deliveries(["b", "c"]) == {"c"}
    assert await ledger.new_deliveries([]) == set()


async def test_another_process_and_a_restart_know_it(ledger: Ledger, ledger_url: str) -> None:
    await ledger.new_deliveries(["a"])
    async with Ledger(ledger_url) as another:
        assert await another.new_deliveries(["a"]) == set()


async def test_after_a_day_it_is_new_again(ledger: Ledger) -> None:
    await ledger.new_deliveries(["a"], NOON)
    assert await ledger.new_deliveries(["a"], NOON + timedelta(hours=23, minutes=59)) == set()
    assert await ledger.new_deliveries(["a"], NOON + timedelta(hours=24)) == {"a"}


async def test_of_many_at_once_one_is_the_first(ledger: Ledger, ledger_url: str) -> None:
    async with Ledger(ledger_url) as another:
        both = (ledger, another)
        answers = await asyncio.gather(*(both[n % 2].new_deliveries(["a"]) for n in range(8)))
    assert sorted(map(len, answers)) == [0] * 7 + [1]


async def test_more_than_one_statement_holds(ledger: Ledger) -> None:
    keys = [f"k{number}" for number in range(1_203)]
    assert await ledger.new_deliveries(keys) == set(keys)
    assert await ledger.new_deliveries([*keys, "new"]) == {"new"}


async def test_a_flood_drops_the_oldest(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deliveries, "MAX_DELIVERIES", 3)
    for key in "abcde":
        await ledger.new_deliveries([key])
    # Room is made before the next one is written: c, d, e are kept, then f comes.
    assert await ledger.new_deliveries(["f", "c", "d", "e"]) == {"f"}
    assert await ledger.new_deliveries(["a"]) == {"a"}
