"""Real git repositories for tests, apart from the settings of whoever runs them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

from orrery_knowledge.models import Document, SourceEntry
from orrery_knowledge.sources.git import GitSource, GitSourceConfig

ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_ALLOW_PROTOCOL": "file",
}
FIRST_SECOND = 1_700_000_000


class Repository:
    """A working tree whose commits are a minute apart, from 2023-11-14 22:13:20 UTC on."""

    def __init__(self, folder: Path, *, start: bool = True) -> None:
        self.folder = folder
        self.clock = FIRST_SECOND
        folder.mkdir(parents=True, exist_ok=True)
        if start:
            self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str | bytes, stdin: bytes | None = None) -> str:
        date = f"{self.clock} +0000"
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.folder,
            env={**ENVIRONMENT, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date},
            input=stdin,
            check=True,
            capture_output=True,
        )
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def write(self, name: str | bytes, data: bytes | str = "# x\n") -> None:
        raw = name.encode() if isinstance(name, str) else name
        file = Path(os.fsdecode(os.fsencode(self.folder) + b"/" + raw))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data.encode() if isinstance(data, str) else data)

    def commit(self, message: str = "change") -> str:
        """Commit everything; returns the sha."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        self.clock += 60
        return self.git("rev-parse", "HEAD")

    def put(self, name: str | bytes, data: bytes | str = "# x\n") -> str:
        """Write one file and commit; returns the sha."""
        self.write(name, data)
        return self.commit()


def git_source(base: Path, **settings: Any) -> GitSource:
    """A source whose configuration and state lie in `base`."""
    config = GitSourceConfig.model_validate(
        {"id": "book", "corpus": "runbooks", "trust": "reviewed", **settings}
    )
    return GitSource(config, root=base, state=base / ".orrery")


async def outcome(source: GitSource) -> dict[str, str | None]:
    """Why each entry is skipped, by path."""
    return {entry.path: entry.skipped async for entry in source.entries()}


async def entries(source: GitSource) -> dict[str, SourceEntry]:
    """What is listed, by path."""
    return {entry.path: entry async for entry in source.entries()}


async def documents(source: GitSource) -> dict[str, Document]:
    """Everything that can be read, by path."""
    return {
        path: await source.read(entry)
        for path, entry in (await entries(source)).items()
        if entry.skipped is None
    }
