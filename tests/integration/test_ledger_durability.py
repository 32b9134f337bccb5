from __future__ import annotations

import asyncio
import signal
import sqlite3
import subprocess
import sys

import pytest

from orrery_knowledge.errors import BackendUnavailable
from orrery_knowledge.governance.ledger import Ledger

pytest_plugins = ["ledger_fixtures"]

WRITER = """
import asyncio, sys
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.governance.records import Issue

async def main():
    async with Ledger(sys.argv[1]) as ledger:
        n = 0
        while True:
            n += 1
            issues = [
                Issue(citation=f"kb:{n}-{i}", corpus="c", source="s", path="p", digest="a" * 64,
                      load=1, excerpt="x" * 2000, query_digest="q")
                for i in range(3)
            ]
            await ledger.save_evidence("inc", issues)
            await ledger.decide(("c", "s", str(n)), "a" * 64, "revoked",
                                reviewer="ada", indexed=True)
            print(n, flush=True)

asyncio.run(main())
"""

HOLDER = """
import asyncio, sys
from orrery_knowledge.governance.ledger import Ledger

async def main():
    async with Ledger(sys.argv[1]) as ledger, ledger.decision_lock():
        print("held", flush=True)
        await asyncio.sleep(600)

asyncio.run(main())
"""


def start(code: str, url: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, url], stdout=subprocess.PIPE, text=True, bufsize=1
    )


@pytest.mark.parametrize("after", [1, 7])
async def test_killed_writer_loses_nothing_that_it_was_told_is_saved(
    ledger_url: str, after: int
) -> None:
    child = start(WRITER, ledger_url)
    assert child.stdout is not None
    told = 0
    for _ in range(after):
        told = int(child.stdout.readline())
    child.send_signal(signal.SIGKILL)
    told = max([told, *(int(line) for line in child.stdout.read().split())])
    assert child.wait(timeout=60) == -signal.SIGKILL
    child.stdout.close()
    async with Ledger(ledger_url) as ledger:
        rows = await ledger.evidence("inc")
        decided = [decision.path for decision in await ledger.decisions_since(0)]
        audited = [entry.details["review"] for entry in reversed(await ledger.audit(limit=10_000))]
        # Writing goes on as if nothing had happened.
        assert await ledger.record("went on", actor="test") == len(decided) + 1
    assert len(rows) >= 3 * told
    assert len(rows) % 3 == 0, "passages of one answer are saved together or not at all"
    assert [row.sequence for row in rows] == list(range(1, len(rows) + 1))
    assert decided[:told] == [str(n) for n in range(1, told + 1)]
    assert audited == [f"s:{path}@{'a' * 12}" for path in decided], "one row each, never half"
    if ledger_url.startswith("sqlite"):
        with sqlite3.connect(ledger_url.partition("///")[2]) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        connection.close()


async def test_decision_lock_keeps_other_processes_out_and_ends_with_its_process(
    ledger_url: str,
) -> None:
    async with Ledger(ledger_url) as ledger:
        child = start(HOLDER, ledger_url)
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        with pytest.raises(BackendUnavailable, match="held by another"):
            async with ledger.decision_lock(patience=0.3):
                pass
        # Evidence does not wait for decisions: agents are answered meanwhile.
        assert await ledger.record("searched", actor="test") == 1
        child.kill()
        child.wait(timeout=60)
        child.stdout.close()
        async with ledger.decision_lock(patience=10):
            pass


async def test_holder_of_the_decision_lock_may_decide_and_others_wait(ledger_url: str) -> None:
    order: list[str] = []
    async with Ledger(ledger_url) as one, Ledger(ledger_url) as two:

        async def other(ledger: Ledger, name: str) -> None:
            await ledger.decide(("c", "s", name), "a" * 64, "revoked", reviewer="bob", indexed=True)
            order.append(name)

        outsiders = []
        async with one.decision_lock():
            async with one.decision_lock():
                pass
            # Started by others: tasks of ours would hold the lock with us.
            loop_context = __import__("contextvars").Context()
            outsiders = [
                loop_context.run(asyncio.ensure_future, other(ledger, name))
                for ledger, name in ((one, "same ledger"), (two, "other ledger"))
            ]
            await asyncio.sleep(0.3)
            await one.decide(("c", "s", "mine"), "a" * 64, "revoked", reviewer="a", indexed=True)
            order.append("mine")
        await asyncio.gather(*outsiders)
    assert order[0] == "mine"
    assert sorted(order[1:]) == ["other ledger", "same ledger"]


async def test_task_that_outlives_the_lock_holds_it_no_longer(ledger_url: str) -> None:
    async with Ledger(ledger_url) as ledger:
        go = asyncio.Event()

        async def later() -> None:
            await go.wait()
            async with ledger.decision_lock(patience=0.2):
                pass

        async with ledger.decision_lock():
            task = asyncio.create_task(later())
            await asyncio.sleep(0)
        child = start(HOLDER, ledger_url)
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        go.set()
        with pytest.raises(BackendUnavailable, match="held by another"):
            await task
        child.kill()
        child.wait(timeout=60)
        child.stdout.close()


async def test_cancelled_wait_leaves_the_lock_free(ledger_url: str) -> None:
    async with Ledger(ledger_url) as one, Ledger(ledger_url) as two:

        async def want() -> None:
            async with two.decision_lock():
                raise AssertionError("it was never free")

        async with one.decision_lock():
            task = asyncio.create_task(want())
            await asyncio.sleep(0.1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        async with two.decision_lock(patience=5):
            pass


async def test_cancelled_writes_leave_a_ledger_that_works(ledger_url: str) -> None:
    async with Ledger(ledger_url) as ledger:
        for step in range(20):
            task = asyncio.create_task(ledger.record(f"step {step}", actor="test"))
            for _ in range(step):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        before = len(await ledger.audit())
        await asyncio.gather(*(ledger.record("after", actor="test") for _ in range(10)))
        assert len(await ledger.audit()) == before + 10
