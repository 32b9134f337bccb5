"""What the scenarios play in: a private index over the sample knowledge, and fixture tools."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from google.adk.tools.base_tool import BaseTool
from google.adk.tools.function_tool import FunctionTool

from orrery_knowledge.adk.tool import Searches
from orrery_knowledge.adk.trajectory_script import RESTART
from orrery_knowledge.adk.trajectory_sets import Script, World
from orrery_knowledge.errors import BackendUnavailable, ConfigurationError, KnowledgeError
from orrery_knowledge.evaluation.workspace import workspace
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.models import Query, SearchResult
from orrery_knowledge.protocols import KnowledgeSource
from orrery_knowledge.retrieval import Retrieval
from orrery_knowledge.runtime import build_private_index
from orrery_knowledge.settings import Settings
from orrery_knowledge.sources.filesystem import FilesystemSource, FilesystemSourceConfig
from orrery_knowledge.sync import SyncOptions, sync

DAY_SECONDS = 86_400


@dataclass
class Stores:
    """What searches of the scenarios go to; evidence lies in `ledger`, whichever it is.

    Attributes:
        knowledge: the indexed documents.
        empty: an index that no sync has ever filled.
    """

    knowledge: Retrieval
    empty: Retrieval
    ledger: Ledger

    def of(self, script: Script) -> Searches:
        """The store that a script asks for."""
        if script.store == "broken":
            return _Broken()
        store = self.empty if script.store == "empty" else self.knowledge
        return store if script.plant is None else _Planted(store, script.plant)


class _Broken:
    """Stands for a retriever that fails in a way that nothing below the tool has caught."""

    async def search(self, query: Query, *, investigation: str | None = None) -> SearchResult:
        raise BackendUnavailable("the index does not answer")


class _Planted:
    """Stands for a store that screens nothing: the first passage holds what somebody planted."""

    def __init__(self, searches: Searches, plant: str) -> None:
        self._searches = searches
        self._plant = plant

    async def search(self, query: Query, *, investigation: str | None = None) -> SearchResult:
        result = await self._searches.search(query, investigation=investigation)
        if not result.passages:
            return result
        first, *rest = result.passages
        text = f"{first.text}\n\n{self._plant}\n"
        changed = first.model_copy(update={"text": text})
        return result.model_copy(update={"passages": (changed, *rest)})


@asynccontextmanager
async def open_stores(world: World, folder: Path, settings: Settings) -> AsyncIterator[Stores]:
    """Index the knowledge by words alone (no trajectory is about ranking), and clean up after.

    Raises:
        ConfigurationError: a folder or document that the world names isn't there.
        KnowledgeError: nothing was indexed.
    """
    with workspace() as state:
        index = build_private_index(settings, state)
        (state / "empty").mkdir()
        unfilled = build_private_index(settings, state / "empty")
        ledger = Ledger(state / "ledger.db")
        sources = [
            _source(corpus, folder / path, state, world) for corpus, path in world.corpora.items()
        ]
        knowledge = Retrieval(index, ledger, None, corpora=world.corpora.keys())
        empty = Retrieval(unfilled, Ledger(state / "empty" / "ledger.db"), None)
        try:
            await ledger.open()
            report = await sync(index, ledger, sources, None, SyncOptions())
            if not report.activated or report.failed:
                raise KnowledgeError("the knowledge of the scenarios could not be indexed")
            yield Stores(knowledge, empty, ledger)
        finally:
            for source in sources:
                await source.close()
            for made in (index, unfilled):
                await asyncio.shield(made.destroy())
            await knowledge.close()
            await empty.close()


def _source(corpus: str, folder: Path, state: Path, world: World) -> KnowledgeSource:
    """A copy of a corpus' folder, with the ages that the scenarios count on."""
    if not folder.is_dir():
        raise ConfigurationError(f"world.json: there is no folder {folder}")
    copy = state / "documents" / corpus
    shutil.copytree(folder, copy)
    now = time.time()
    for file in copy.rglob("*.md"):
        age = world.ages_days.get(f"{corpus}/{file.relative_to(copy).as_posix()}", 1)
        os.utime(file, (now, now - age * DAY_SECONDS))
    config = FilesystemSourceConfig(id=corpus, corpus=corpus, path=str(copy), trust="reviewed")
    return FilesystemSource(config, root=state, state=state)


@dataclass
class Fixtures:
    """Tools as an on-call agent would have them, which note what was really executed."""

    executed: list[str] = field(default_factory=list)

    def tools(self, observations: Mapping[str, str]) -> list[BaseTool]:
        """The named tools; ``restart_deployment`` changes something, the others observe.

        Raises:
            ConfigurationError: there is no such fixture.
        """
        return [self._tool(name, text) for name, text in observations.items()]

    def _tool(self, name: str, observed: str) -> BaseTool:
        def service_status(service: str) -> dict[str, str]:
            """What is measured at a service right now."""
            self.executed.append("service_status")
            return {"observed": observed}

        def recent_logs(service: str) -> dict[str, str]:
            """The last lines that a service has logged."""
            self.executed.append("recent_logs")
            return {"observed": observed}

        def restart_deployment(deployment: str) -> dict[str, str]:
            """Restart a deployment: it changes the system, so a person confirms it first."""
            self.executed.append(RESTART)
            return {"observed": observed}

        if name == RESTART:
            return FunctionTool(restart_deployment, require_confirmation=True)
        known = {"service_status": service_status, "recent_logs": recent_logs}
        if name not in known:
            raise ConfigurationError(f"there is no fixture tool {name!r}")
        return FunctionTool(known[name])
