"""Every source through the contract that third parties run too, and saboteurs that must fail it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from orrery_knowledge.models import Document, SourceEntry
from orrery_knowledge.protocols import KnowledgeSource
from orrery_knowledge.sources.filesystem import FilesystemSource, FilesystemSourceConfig
from orrery_knowledge.sources.git import GitSource, GitSourceConfig
from orrery_knowledge.testing.sources import SourceContract

ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
}


class FolderShelf:
    def __init__(self, base: Path) -> None:
        self.base = base
        self.folder = base / "wiki"
        self.folder.mkdir()

    def put(self, name: str, text: str) -> None:
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_bytes(text.encode())

    def remove(self, name: str) -> None:
        (self.folder / name).unlink()

    def vanish(self) -> None:
        shutil.rmtree(self.folder)

    def source(self) -> KnowledgeSource:
        config = FilesystemSourceConfig(id="wiki", corpus="runbooks", trust="review", path="wiki")
        return FilesystemSource(config, root=self.base, state=self.base / ".orrery")


class RepositoryShelf(FolderShelf):
    url = "wiki"

    def __init__(self, base: Path) -> None:
        super().__init__(base)
        self.git("init", "-q", "-b", "main")
        self.git("commit", "-q", "--allow-empty", "-m", "start")

    def git(self, *arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=self.folder, env=ENVIRONMENT, check=True)

    def put(self, name: str, text: str) -> None:
        super().put(name, text)
        self._commit()

    def remove(self, name: str) -> None:
        super().remove(name)
        self._commit()

    def _commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "change")

    def source(self) -> KnowledgeSource:
        config = GitSourceConfig(id="book", corpus="runbooks", trust="reviewed", url=self.url)
        return GitSource(config, root=self.base, state=self.base / ".orrery")


class RemoteShelf(RepositoryShelf):
    def source(self) -> KnowledgeSource:
        self.url = self.folder.as_uri()
        return super().source()


class TestFilesystemSource(SourceContract):
    @pytest.fixture
    def shelf(self, tmp_path: Path) -> FolderShelf:
        return FolderShelf(tmp_path)


class TestLocalGitSource(SourceContract):
    @pytest.fixture
    def shelf(self, tmp_path: Path) -> RepositoryShelf:
        return RepositoryShelf(tmp_path)


class TestRemoteGitSource(SourceContract):
    @pytest.fixture
    def shelf(self, tmp_path: Path) -> RemoteShelf:
        return RemoteShelf(tmp_path)


class StemNames(FilesystemSource):
    """Names a document after the stem of its file, as many loaders do."""

    async def entries(self) -> AsyncIterator[SourceEntry]:
        async for entry in super().entries():
            yield entry.model_copy(update={"path": entry.path.rpartition("/")[2]})


class OneRevision(FilesystemSource):
    """Says that nothing ever changes."""

    async def entries(self) -> AsyncIterator[SourceEntry]:
        async for entry in super().entries():
            yield entry.model_copy(update={"revision": "head"})


class HeadRevision(FilesystemSource):
    """Gives every file the revision of the whole, so one change touches all."""

    async def entries(self) -> AsyncIterator[SourceEntry]:
        entries = [entry async for entry in super().entries()]
        head = "".join(entry.revision for entry in entries)
        for entry in entries:
            yield entry.model_copy(update={"revision": head})


class EmptyWhenGone(FilesystemSource):
    """Takes an unreachable folder for an empty one."""

    async def entries(self) -> AsyncIterator[SourceEntry]:
        if self._folder.is_dir():
            async for entry in super().entries():
                yield entry


class StaleRevision(FilesystemSource):
    """Reads the new text and says that it is the old revision."""

    async def read(self, entry: SourceEntry) -> Document:
        document = await super().read(entry)
        return document.model_copy(update={"revision": entry.revision})


class TrimsText(FilesystemSource):
    """Tidies texts up, which shifts every line number."""

    async def read(self, entry: SourceEntry) -> Document:
        document = await super().read(entry)
        return document.model_copy(update={"text": document.text.strip()})


@pytest.mark.parametrize(
    ("saboteur", "name"),
    [
        (StemNames, "test_equal_names_and_equal_texts_stay_apart"),
        (OneRevision, "test_only_what_changed_gets_a_new_revision"),
        (HeadRevision, "test_only_what_changed_gets_a_new_revision"),
        (EmptyWhenGone, "test_a_vanished_source_never_looks_empty"),
        (StaleRevision, "test_a_read_after_a_change_never_mixes_versions"),
        (TrimsText, "test_lists_and_reads_what_is_there"),
    ],
)
async def test_a_saboteur_fails_the_contract(
    saboteur: type[FilesystemSource], name: str, tmp_path: Path
) -> None:
    class Sabotaged(FolderShelf):
        def source(self) -> KnowledgeSource:
            config = FilesystemSourceConfig(id="w", corpus="c", trust="review", path="wiki")
            return saboteur(config, root=self.base, state=self.base / ".orrery")

    test: Any = getattr(SourceContract(), name)
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        await test(Sabotaged(tmp_path))
