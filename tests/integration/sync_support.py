"""A folder with documents, a configuration and an index, driven by the real `sync()`."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import psycopg
import yaml
from click.testing import CliRunner
from psycopg.conninfo import conninfo_to_dict
from pydantic import BaseModel, ConfigDict

from orrery_knowledge import registry
from orrery_knowledge.cli.program import cli
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.governance.records import Verdict
from orrery_knowledge.models import LoadRecord, Query, SearchResult, SyncReport
from orrery_knowledge.protocols import Embedder, KnowledgeIndex, Vectors
from orrery_knowledge.retrieval import Retrieval
from orrery_knowledge.runtime import build_index, build_sources
from orrery_knowledge.settings import Settings, load_settings
from orrery_knowledge.sync import SyncOptions, sync
from orrery_knowledge.testing.embedders import HashingEmbedder
from orrery_knowledge.verification import Drift, verify

T = TypeVar("T")

CORPUS = "runbooks"
SOURCE = "docs"

# The command line finds the test embedder as it finds any other: by name.
registry.BUILT_IN["embedders"]["hashing"] = f"{__name__}:ConfiguredHashing"


class HashingConfig(BaseModel):
    """Settings of `ConfiguredHashing`; a sync waits for whoever opens the FIFO `gate`."""

    model_config = ConfigDict(extra="forbid")
    type: str = "hashing"
    dimensions: int = 64
    gate: Path | None = None


class ConfiguredHashing(HashingEmbedder):
    """`HashingEmbedder` as the configuration names it."""

    Config = HashingConfig

    def __init__(self, config: HashingConfig) -> None:
        super().__init__(config.dimensions)
        self.gate = config.gate

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        if self.gate is not None:
            gate, self.gate = self.gate, None
            await asyncio.to_thread(gate.read_bytes)
        return await super().embed_documents(texts)


class Ran(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def page(title: str, *words: str, sections: int = 1) -> str:
    """A Markdown page; every section is a chunk of its own and holds the words."""
    text = " ".join(words)
    parts = [
        f"## Step {n} of {title}\n\n{text} at step {n}.\n\n{FILLER}\n"
        for n in range(1, sections + 1)
    ]
    return f"# {title}\n\n" + "\n".join(parts)


FILLER = "Check the dashboard first, then tell the people on call what you are about to do. " * 6


class Place:
    """One project folder. Every call opens and closes index and ledger, as a process would.

    Args:
        root: the folder; one that has a configuration keeps it.
        stores: settings of backend and ledger; the embedded ones by default.
    """

    def __init__(self, root: Path, stores: Mapping[str, Any] | None = None) -> None:
        self.root = root
        self.stores = stores or {"backend": {"type": "sqlite"}}
        self.docs = root / SOURCE
        self.hashing = HashingEmbedder()
        self.embedder: Embedder | None = self.hashing
        if not self.config.exists():
            self.docs.mkdir(parents=True, exist_ok=True)
            self.configure()

    def configure(self, *sources: dict[str, Any], **settings: Any) -> None:
        """Write `orrery.yaml`; without arguments one trusted folder of files."""
        default = {"id": SOURCE, "type": "filesystem", "path": SOURCE, "trust": "reviewed"}
        values = {
            **self.stores,
            "embedder": {"type": "hashing"},
            "corpora": {CORPUS: {"sources": list(sources) or [default]}},
            **settings,
        }
        self.config.write_text(yaml.safe_dump(values), encoding="utf-8")

    @property
    def config(self) -> Path:
        return self.root / "orrery.yaml"

    @property
    def settings(self) -> Settings:
        return load_settings(self.config)

    @property
    def state(self) -> Path:
        return self.root / ".orrery"

    # Files

    def write(self, name: str, text: str | bytes) -> None:
        file = self.docs / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.exists() and not file.is_file():
            file.unlink()
        file.write_bytes(text.encode() if isinstance(text, str) else text)

    def fill(self, count: int, word: str = "zebra", *, sections: int = 1) -> None:
        """Pages `p00.md`, `p01.md`, ... that each hold the word and one of their own."""
        for n in range(count):
            self.write(f"p{n:02}.md", page(f"Page {n}", word, f"own{n}x", sections=sections))

    def delete(self, *names: str) -> None:
        for name in names:
            (self.docs / name).unlink()

    def break_file(self, name: str) -> None:
        """Put something there that nobody can open, root neither: a socket without a listener."""
        file = self.docs / name
        file.unlink(missing_ok=True)
        os.mknod(file, stat.S_IFSOCK | 0o644)

    # Work

    def index(self) -> KnowledgeIndex:
        """Another handle of the index; whoever asks for it closes it."""
        return build_index(self.settings)

    async def with_parts(self, work: Callable[[KnowledgeIndex, Ledger], Awaitable[T]]) -> T:
        index = self.index()
        ledger = Ledger(self.settings.ledger_location)
        self.state.mkdir(exist_ok=True)
        await ledger.open()
        try:
            return await work(index, ledger)
        finally:
            await index.close()
            await ledger.close()

    def run(self, work: Callable[[KnowledgeIndex, Ledger], Awaitable[T]]) -> T:
        return asyncio.run(self.with_parts(work))

    async def sync_with(
        self, index: KnowledgeIndex, ledger: Ledger, embedder: Embedder | None, **options: Any
    ) -> SyncReport:
        settings = self.settings
        sources = build_sources(settings)
        options = {
            "max_delete_share": settings.policy.max_delete_share,
            "chunk_size": settings.chunking.size,
            **options,
        }
        try:
            return await sync(index, ledger, sources, embedder, SyncOptions(**options))
        finally:
            for source in sources:
                await source.close()

    def sync(self, **options: Any) -> SyncReport:
        return self.run(
            lambda index, ledger: self.sync_with(index, ledger, self.embedder, **options)
        )

    def search(self, text: str, *, investigation: str | None = None, **query: Any) -> SearchResult:
        async def work(index: KnowledgeIndex, ledger: Ledger) -> SearchResult:
            asked = Query(text=text, **{"top_k": 50, "per_document": 0, **query})
            retrieval = Retrieval(index, ledger, self.embedder)
            return await retrieval.search(asked, investigation=investigation)

        return self.run(work)

    def holding(self, word: str) -> set[str]:
        """Files of which a search for a word shows a passage that holds it."""
        return {
            passage.source.removeprefix(f"file:{SOURCE}/")
            for passage in self.search(word).passages
            if word in passage.text
        }

    def visible(self) -> dict[str, str]:
        """Digest by path of what the active load answers with."""

        async def work(index: KnowledgeIndex, _: Ledger) -> dict[str, str]:
            return {path: digest for _, _, path, digest in await index.visible()}

        return self.run(work)

    def loads(self) -> list[LoadRecord]:
        return self.run(lambda index, _: index.loads())

    def verify(self, *, repair: bool = False) -> list[Drift]:
        async def work(index: KnowledgeIndex, ledger: Ledger) -> list[Drift]:
            settings = self.settings
            return await verify(
                index,
                ledger,
                build_sources(settings),
                self.embedder,
                chunk_size=settings.chunking.size,
                repair=repair,
            )

        return self.run(work)

    def decide(self, path: str, verdict: Verdict, **options: Any) -> int:
        """Record a decision on the filed version of a document, or the one that answers."""

        async def work(index: KnowledgeIndex, ledger: Ledger) -> int:
            filed = [r for r in await ledger.reviews() if r.path == path]
            current = [r for r in filed if r.status != "superseded"]
            if current:
                key, digest = current[-1].document, current[-1].digest
            else:
                [(*found, digest)] = [row for row in await index.visible() if row[2] == path]
                key = (found[0], found[1], found[2])
                options.setdefault("indexed", True)
            return await ledger.decide(key, digest, verdict, reviewer="ada", **options)

        return self.run(work)

    def reviews(self) -> dict[str, list[str]]:
        """What became of every filed version, by path."""
        found: dict[str, list[str]] = {}
        for review in self.run(lambda _, ledger: ledger.reviews()):
            found.setdefault(review.path, []).append(review.status)
        return found

    def quarantined(self) -> list[str]:
        """Paths with an open quarantine entry."""
        return [entry.path for entry in self.run(lambda _, ledger: ledger.list_quarantine())]

    def cli(self, *arguments: str) -> Ran:
        """Run the command line in this process, with this folder's configuration."""
        done = CliRunner().invoke(cli, ["--config", str(self.config), *arguments])
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        return Ran(done.exit_code, done.stdout, done.stderr)

    def process(self, *arguments: str) -> Ran:
        """The same in a process of its own."""
        done = subprocess.run(
            command(self, *arguments), capture_output=True, text=True, check=False
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    # The database itself

    @property
    def database(self) -> str:
        """Its name on the server; empty for files."""
        url = self.settings.backend.options().get("url")
        return str(conninfo_to_dict(url)["dbname"]) if url else ""

    def sql(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run a statement on the index behind its back."""
        if self.database:
            with psycopg.connect(self.settings.backend.options()["url"]) as server:
                server.execute("SET search_path = orrery, public")
                done = server.execute(statement, values)
                return done.fetchall() if done.description else []
        connection = sqlite3.connect(self.state / "index.db")
        try:
            with connection:
                return connection.execute(statement, values).fetchall()
        finally:
            connection.close()

    def counted(self) -> tuple[int, int]:
        """Documents and chunks that the active load shows, counted by hand."""
        chunk = "passage" if self.database else "chunk"
        [(documents, chunks)] = self.sql(
            f"""
            SELECT count(DISTINCT d.id), count(c.id)
            FROM document d JOIN {chunk} c ON c.document_id = d.id, pointer p
            WHERE d.added_in <= p.active AND (d.removed_in IS NULL OR d.removed_in > p.active)
            """  # noqa: S608 - one of two names of ours
        )
        return documents, chunks

    def state_hash(self) -> str:
        """Every file of the state folder, by name and content."""
        total = hashlib.sha256()
        for file in sorted(self.state.rglob("*")):
            total.update(str(file.relative_to(self.state)).encode() + b"\0")
            if file.is_file():
                total.update(file.read_bytes())
        return total.hexdigest()


def command(place: Place, *arguments: str) -> list[str]:
    """The command line in a process of its own, which knows the test embedder too."""
    code = "import sync_support; from orrery_knowledge.cli.main import main; main()"
    here = str(Path(__file__).parent)
    prelude = f"import sys; sys.path.insert(0, {here!r}); "
    return [sys.executable, "-c", prelude + code, "--config", str(place.config), *arguments]
