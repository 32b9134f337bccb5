"""Processes that edit, sync, approve, reject, revoke and search one index at the same time."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from multiprocessing.queues import Queue
from pathlib import Path
from typing import Any

from kill_support import start
from sync_support import SOURCE, Place, page

from orrery_knowledge import reviewing as module
from orrery_knowledge.errors import StaleDecision, Superseded, SyncRunning
from orrery_knowledge.governance.citations import parse_citation
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.governance.records import Decision, Review
from orrery_knowledge.models import Query
from orrery_knowledge.protocols import KnowledgeIndex
from orrery_knowledge.retrieval import Retrieval
from orrery_knowledge.reviewing import Reviewer, Reviewing
from orrery_knowledge.runtime import build_sources, sync_options

REVIEW = {"id": SOURCE, "type": "filesystem", "path": SOURCE, "trust": "review"}
PAGES = 24
WORKERS = 8
OPERATIONS = ("search", "approve", "reject", "revoke", "sync")
SHARES = (0.4, 0.24, 0.08, 0.08, 0.2)


def text(number: int, version: int) -> str:
    return page(f"Page {number}", "zebra", f"own{number}x", f"version{version}x")


def campaign(place: Place, operations: int, seed: int) -> Counter[str]:
    """Run so many operations in eight processes; what became of them, by name."""
    results: Queue[Counter[str] | str] = _queue()
    each = [operations // WORKERS + (n < operations % WORKERS) for n in range(WORKERS)]
    workers = [
        start(work, str(place.root), n, count, seed * 100 + n, results)
        for n, count in enumerate(each)
    ]
    total: Counter[str] = Counter()
    try:
        for _ in workers:
            done = results.get(timeout=900)
            assert isinstance(done, Counter), done
            total += done
    finally:
        for worker in workers:
            worker.kill()
            worker.join()
    return total


def _queue() -> Any:
    from kill_support import PROCESSES

    return PROCESSES.Queue()


def work(root: str, worker: int, count: int, seed: int, results: Queue[Any]) -> None:
    """One process: so many operations, one after another."""
    module.PATIENCE = 0.0  # whoever waits for a sync does nothing meanwhile
    place = Place(Path(root))
    try:
        results.put(
            asyncio.run(
                place.with_parts(
                    lambda index, ledger: _Worker(place, worker, seed, index, ledger).do(count)
                )
            )
        )
    except BaseException as error:
        results.put(f"worker {worker}, seed {seed}: {error!r}")
        raise


class _Worker:
    def __init__(
        self, place: Place, worker: int, seed: int, index: KnowledgeIndex, ledger: Ledger
    ) -> None:
        self.place, self.worker = place, worker
        self.random = random.Random(seed)
        self.index, self.ledger = index, ledger
        self.by = Reviewer(name=f"worker {worker}", role="approver")
        self.retrieval = Retrieval(index, ledger, place.embedder)
        settings = place.settings
        self.desk = Reviewing(
            index, ledger, build_sources(settings), place.embedder, sync_options(settings)
        )
        self.versions = dict.fromkeys(range(worker, PAGES, WORKERS), 1)

    async def do(self, count: int) -> Counter[str]:
        done: Counter[str] = Counter()
        for _ in range(count):
            [name] = self.random.choices(OPERATIONS, SHARES)
            done[f"{name}: {await getattr(self, name)()}"] += 1
        return done

    async def search(self) -> str:
        """Every passage was granted at some moment between the first look and the last."""
        before = await self.ledger.last_decision()
        result = await self.retrieval.search(
            Query(text="zebra", top_k=PAGES, per_document=1), investigation=f"inc-{self.worker}"
        )
        after = await self.ledger.last_decision()
        history = [one for one in await self.ledger.decisions_since(0) if one.number <= after]
        paths = []
        for passage in result.passages:
            cited = parse_citation(passage.citation)
            paths.append(cited.path)
            granted = _was_granted(history, cited.path, cited.digest or "", before)
            assert granted, f"{passage.citation} was shown and not granted"
        assert len(paths) == len(set(paths)), "two versions of a page"
        return result.status

    async def approve(self) -> str:
        return await self._decide("approve", "pending")

    async def reject(self) -> str:
        return await self._decide("reject", "pending")

    async def revoke(self) -> str:
        return await self._decide("revoke", "approved")

    async def sync(self) -> str:
        number = self.random.choice(list(self.versions))
        self.versions[number] += 1
        self.place.write(f"p{number:02}.md", text(number, self.versions[number]))
        try:
            report = await self.place.sync_with(self.index, self.ledger, self.place.embedder)
        except (SyncRunning, Superseded) as error:
            return type(error).__name__
        assert report.failed == 0, report.errors
        return "done"

    async def _decide(self, verb: str, status: str) -> str:
        found = [one for one in await self.ledger.reviews() if one.status == status]
        if not found:
            return "nothing"
        chosen: Review = self.random.choice(found)
        try:
            done = await getattr(self.desk, verb)(chosen.id, self.by, "campaign")
        except StaleDecision:
            return "stale"
        return "done" if done.note is None else "waits"


def _was_granted(history: list[Decision], path: str, digits: str, since: int) -> bool:
    mine = [one for one in history if one.path == path and one.digest.startswith(digits)]
    before = [one for one in mine if one.number <= since]
    return bool(before and before[-1].decision == "approved") or any(
        one.decision == "approved" for one in mine if one.number > since
    )
