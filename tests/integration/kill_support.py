"""Syncs and approvals that kill their own process, and what must hold afterwards."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import random
import signal
import sqlite3
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from multiprocessing.process import BaseProcess
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

from psycopg import AsyncConnection, AsyncCursor
from sync_support import Place, page

from orrery_knowledge import sync as sync_module
from orrery_knowledge.backends.sqlite.index import SqliteIndex
from orrery_knowledge.errors import KnowledgeError, SyncRunning
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.models import Query, SearchResult
from orrery_knowledge.protocols import KnowledgeIndex
from orrery_knowledge.retrieval import Retrieval
from orrery_knowledge.reviewing import Reviewer, Reviewing
from orrery_knowledge.runtime import build_sources, sync_options
from orrery_knowledge.testing.embedders import HashingEmbedder

PAGES = 12
KILLED = -signal.SIGKILL
SMALL_BATCH = 3
"""Chunks a batch in these syncs, so that one writes several times."""

PROCESSES = multiprocessing.get_context("forkserver")
# Forked from a process that has imported everything, a sync costs milliseconds to start.
PROCESSES.set_forkserver_preload(["kill_support"])


def write_version(place: Place, number: int) -> None:
    """Every page says which version it is; some come, some go, one is quarantined."""
    for n in range(PAGES):
        place.write(f"p{n:02}.md", page(f"Page {n}", "zebra", f"version{number}x"))
    for name in ("even.md", "odd.md"):
        (place.docs / name).unlink(missing_ok=True)
    place.write("odd.md" if number % 2 else "even.md", page("Comes", "zebra", f"version{number}x"))
    place.write("bad.md", f"---\nstatus: [{number}\n---\n# Bad\n")


def names(number: int) -> set[str]:
    return {f"p{n:02}.md" for n in range(PAGES)} | {"odd.md" if number % 2 else "even.md"}


def version_of(result: SearchResult) -> int:
    """The version that a search for "zebra" shows, and fails if it is not one whole version."""
    assert result.status == "ok", result.reason
    shown = {
        passage.label.partition(" §")[0]: word
        for passage in result.passages
        for word in passage.text.split()
        if word.startswith("version")
    }
    versions = set(shown.values())
    assert len(versions) == 1, f"a mix: {shown}"
    number = int(versions.pop().removeprefix("version").removesuffix("x"))
    assert set(shown) == names(number), f"not all of version {number}: {sorted(shown)}"
    return number


async def look(retrieval: Retrieval) -> int:
    return version_of(await retrieval.search(Query(text="zebra", top_k=50, per_document=0)))


# Killing


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class Trap:
    """Kills the process at a named point: ``write:2:before``, ``gc:1:after``, ``activate:sql:7``.

    ``activate:sql:commit`` is right before the commit of the activation.
    """

    def __init__(self, point: str) -> None:
        self.method, self.which, self.when = point.split(":")
        self.calls = 0
        self.statements = 0
        self.armed = False

    def around(self, target: Any) -> None:
        """Put the trap around a method of an index or ledger, if it has it."""
        if not hasattr(target, self.method):
            return
        honest = getattr(target, self.method)
        if self.method == "decision_lock":  # no coroutine
            setattr(target, self.method, lambda: (self._enter(), honest())[1])
        else:
            setattr(target, self.method, self._wrap(honest))
        if self.which == "sql":
            self._trace(target) if isinstance(target, SqliteIndex) else self._trace_server()

    def _enter(self) -> None:
        self.calls += 1
        if self.which == str(self.calls) and self.when == "before":
            die()

    def _wrap(self, honest: Callable[..., Any]) -> Callable[..., Any]:
        async def call(*args: Any, **kwargs: Any) -> Any:
            self._enter()
            self.armed = True
            result = await honest(*args, **kwargs)
            self.armed = False
            if self.which == str(self.calls) and self.when == "after":
                die()
            return result

        return call

    def _trace(self, index: SqliteIndex) -> None:
        database = index._database
        connect = database._connection

        def traced(*, create: bool) -> sqlite3.Connection:
            connection = connect(create=create)
            if create:
                connection.set_trace_callback(self._statement)
            return connection

        database._connection = traced  # type: ignore[method-assign]

    def _trace_server(self) -> None:
        """The same for psycopg, which sends no COMMIT of its own that one could see."""
        execute, transaction = AsyncCursor.execute, AsyncConnection.transaction

        async def traced(cursor: Any, *args: Any, **kwargs: Any) -> Any:
            self._statement("statement")
            return await execute(cursor, *args, **kwargs)

        @asynccontextmanager
        async def until_commit(connection: Any, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
            async with transaction(connection, *args, **kwargs) as inner:
                yield inner
                self._statement("commit")

        AsyncCursor.execute = traced  # type: ignore[method-assign]
        AsyncConnection.transaction = until_commit  # type: ignore[assignment, method-assign]

    def _statement(self, text: str) -> None:
        if not self.armed or text.startswith("--"):
            return
        self.statements += 1
        if self.when == (str(self.statements) if self.when != "commit" else text.lower()):
            die()


def killed_sync(root: str, point: str) -> None:
    """The child: a real sync that dies at a point, or after ``random:SECONDS:-``."""
    sync_module.BATCH_CHUNKS = SMALL_BATCH
    place = Place(Path(root))
    method, which, _ = point.split(":")
    if method == "random":
        threading.Timer(float(which), die).start()

    async def work(index: KnowledgeIndex, ledger: Ledger) -> None:
        trap = Trap(point)
        for target in (index, ledger):
            trap.around(target)
        await place.sync_with(index, ledger, place.embedder)

    place.run(work)


def killed_approval(root: str, point: str, review_id: str) -> None:
    """The child: an approval that dies in the same way."""
    place = Place(Path(root))
    method, which, _ = point.split(":")
    if method == "random":
        threading.Timer(float(which), die).start()

    async def work(index: KnowledgeIndex, ledger: Ledger) -> None:
        sources, options = build_sources(place.settings), sync_options(place.settings)
        trap = Trap(point)
        for target in (index, ledger):
            trap.around(target)
        desk = Reviewing(index, ledger, sources, place.embedder, options)
        await desk.approve(review_id, Reviewer(name="ada", role="approver"), "tried it")

    place.run(work)


@contextmanager
def importable() -> Iterator[None]:
    """Python 3.11 doesn't tell the process that others are forked from where its modules lie."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before


def start(work: Callable[..., None], *arguments: Any) -> BaseProcess:
    process = PROCESSES.Process(target=work, args=arguments, daemon=True)
    with importable():
        process.start()
    return process


def kill_at(
    place: Place, point: str, work: Callable[..., None] = killed_sync, *arguments: str
) -> int:
    """Work in another process until it dies, and its lock is gone. Returns its exit code."""
    child = start(work, str(place.root), point, *arguments)
    child.join(120)
    assert child.exitcode is not None, f"{point}: hangs"
    asyncio.run(_lock_is_free(place))
    return child.exitcode


async def _lock_is_free(place: Place) -> None:
    """A file's lock goes with its process; a server notices in moments that a client is gone."""
    index = place.index()
    for _ in range(200):
        with suppress(SyncRunning):
            async with index.lock():
                return await index.close()
        assert place.database, "the lock outlives its process"
        await asyncio.sleep(0.05)
    raise AssertionError("the lock outlives its client")


def check_after(place: Place, before: int, after: int) -> int:
    """What must hold after a kill. Returns the version that answered."""
    seen = asyncio.run(_check_after(place, before, after))
    assert place.verify() == []
    return seen


async def _check_after(place: Place, before: int, after: int) -> int:
    index = place.index()
    ledger = Ledger(place.settings.ledger_location)
    try:
        retrieval = Retrieval(index, ledger, HashingEmbedder())
        seen = await look(retrieval)
        assert seen in (before, after)
        assert await index.verify() == []
        report = await place.sync_with(index, ledger, HashingEmbedder())
        assert (report.failed, report.refused, report.quarantined) == (0, False, 1)
        assert await look(retrieval) == after
        assert {row[2] for row in await index.visible()} == names(after)
        assert await index.verify() == []
        numbers = [load.number for load in await index.loads()]
        assert len(numbers) == len(set(numbers))
        assert [load.status for load in await index.loads()].count("active") == 1
    finally:
        await index.close()
        await ledger.close()
    return seen


def start_place(place: Place) -> Place:
    """Version 1, synced."""
    write_version(place, 1)
    assert place.sync().documents == PAGES + 1
    return place


def survive(place: Place, point: str) -> tuple[int, int]:
    """Kill a sync from version 1 to 2 at a point; (exit code, version seen right after)."""
    write_version(place, 2)
    code = kill_at(place, point)
    assert code in (0, -signal.SIGKILL), f"{point}: the sync failed by itself"
    return code, check_after(place, 1, 2)


# Reading meanwhile


def search_on(root: str, stop: Event, ready: Event, log: str) -> None:
    """A reader in its own process: searches until it is told to stop, and logs what it saw."""
    place = Place(Path(root))

    async def work() -> None:
        index = place.index()
        retrieval = Retrieval(index, Ledger(place.settings.ledger_location), HashingEmbedder())
        with open(log, "a", encoding="utf-8") as out:
            while not stop.is_set():
                try:
                    out.write(f"{await look(retrieval)}\n")
                except (AssertionError, KnowledgeError) as error:
                    out.write(f"{type(error).__name__}: {error}\n")
                ready.set()
        await retrieval.close()

    asyncio.run(work())


class Readers:
    """Reader processes for the length of a ``with``; at its end every line must be a version."""

    def __init__(self, place: Place, count: int = 1) -> None:
        self.place = place
        self.stop = PROCESSES.Event()
        self.logs = [place.root / f"reader{n}.log" for n in range(count)]
        self.processes: list[BaseProcess] = []

    def __enter__(self) -> Readers:
        ready = [PROCESSES.Event() for _ in self.logs]
        for log, event in zip(self.logs, ready, strict=True):
            log.unlink(missing_ok=True)
            self.processes.append(
                start(search_on, str(self.place.root), self.stop, event, str(log))
            )
        for event in ready:
            assert event.wait(120), "a reader never started"
        return self

    def __exit__(self, *error: object) -> None:
        self.stop.set()
        for process in self.processes:
            process.join(120)
            with suppress(AttributeError):
                process.close()

    def seen(self) -> set[int]:
        """Versions that were seen; fails on anything else, and on going backwards."""
        found: set[int] = set()
        for log in self.logs:
            lines = log.read_text(encoding="utf-8").splitlines()
            odd = [line for line in lines if not line.isdigit()]
            assert not odd, odd[:3]
            numbers = [int(line) for line in lines]
            assert numbers == sorted(numbers), "a reader saw time run backwards"
            found.update(numbers)
        return found


def random_delay(generator: random.Random) -> float:
    """Seconds until a kill: most of them inside a sync of `PAGES` pages."""
    return generator.uniform(0.0, 0.25)
