"""Which commit last touched each file, for all of them in one pass over the history.

For one path, ``git log -1 <commit> -- <path>`` walks a single chain: where a commit has the path
as its parent has it, on to that parent (of a merge: to the first such parent); where no parent has
it so, that commit is the answer. `History` walks these chains for all paths together, over one
``git log`` that lists each commit before its parents with what it changed against its first.

A path that a merge has differently from its first parent is taken to come from the second. Whether
it does shows at the next commit that touched it there: had that one another result, the merge
itself made the text and is the answer. Merges of three and more are asked about path by path.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from typing import NamedTuple

from orrery_knowledge.sources.git_commands import CHUNK, Git, split_nul

# (mode, blob) of a file, as git prints them.
FileVersion = tuple[bytes, bytes]


class Touch(NamedTuple):
    """The last commit that touched a file.

    Attributes:
        commit: its sha.
        seconds: its committer date, in seconds since 1970.
    """

    commit: str
    seconds: int


class _Commit(NamedTuple):
    touch: Touch
    parents: tuple[str, ...]
    changes: dict[bytes, FileVersion]


class History:
    """Finds last commits, reading no further back than the paths asked for need.

    Args:
        git: the repository.
        commit: where to start.
        files: every path that may be asked for, as it is in that commit.
    """

    def __init__(self, git: Git, commit: str, files: Mapping[bytes, FileVersion]) -> None:
        self._git = git
        self.commit = commit
        self._files = files
        self._answers: dict[bytes, Touch] = {}
        # Paths whose chains lead to a commit that was not seen yet.
        self._waiting: dict[str, set[bytes]] = {commit: set(files)}
        # The merge that is the answer if the second parent turns out to differ.
        self._merges: dict[bytes, Touch] = {}
        self._undecided: set[bytes] = set()
        self._commits: AsyncGenerator[_Commit, None] | None = None
        self._closed = False
        self._turn = asyncio.Lock()

    async def last_touch(self, path: bytes) -> Touch | None:
        """The last commit that touched a path; None when there is none.

        Raises:
            SourceError: git can't read the history.
        """
        async with self._turn:
            if path in self._files and not self._closed:
                try:
                    await self._advance_to(path)
                except BaseException:
                    await self._rewind()
                    raise
            if path not in self._answers and (touch := await self._ask(path)):
                self._answers[path] = touch
            return self._answers.get(path)

    async def close(self) -> None:
        """Stop the pass; what it has not found by then is asked for path by path."""
        async with self._turn:
            self._closed = True
            await self._rewind()

    async def _advance_to(self, path: bytes) -> None:
        while path not in self._answers and path not in self._undecided and self._waiting:
            if self._commits is None:
                self._commits = self._log()
            commit = await anext(self._commits, None)
            if commit is None:
                self._end()
            else:
                self._visit(commit)
        if not self._waiting:
            await self._stop()

    async def _stop(self) -> None:
        commits, self._commits = self._commits, None
        if commits is not None:
            await commits.aclose()

    async def _rewind(self) -> None:
        self._waiting = {self.commit: set(self._files) - set(self._answers) - self._undecided}
        self._merges.clear()
        await self._stop()

    def _end(self) -> None:
        """What no commit decided: absent from a second parent, so its merge made it."""
        for paths in self._waiting.values():
            for path in paths:
                if path in self._merges:
                    self._answers[path] = self._merges[path]
        self._waiting.clear()

    def _visit(self, commit: _Commit) -> None:
        here = self._waiting.pop(commit.touch.commit, None)
        if here is None:
            return
        changed = here.intersection(commit.changes)
        here -= changed
        onwards: set[bytes] = set()
        for path in changed:
            if path in self._merges and commit.changes[path] != self._files[path]:
                self._answers[path] = self._merges[path]
            elif len(commit.parents) < 2:
                self._answers[path] = commit.touch
            elif len(commit.parents) == 2:
                self._merges[path] = commit.touch
                onwards.add(path)
            else:
                self._undecided.add(path)
        if commit.parents:
            self._wait(commit.parents[0], here)
        if onwards:
            self._wait(commit.parents[1], onwards)

    def _wait(self, commit: str, paths: set[bytes]) -> None:
        if not paths:
            return
        there = self._waiting.get(commit, set())
        # The smaller set moves: on a long main line nearly all paths stay in one.
        small, large = sorted((there, paths), key=len)
        large |= small
        self._waiting[commit] = large

    async def _log(self) -> AsyncGenerator[_Commit, None]:
        arguments = (
            "log",
            "--topo-order",
            "--raw",
            "-z",
            "--no-abbrev",
            "--no-renames",
            "--diff-merges=first-parent",
            "--format=tformat:>%H %ct %P",
            self.commit,
            "--",
        )
        buffer = bytearray()
        commit: _Commit | None = None
        version: FileVersion | None = None
        async with self._git.running(*arguments) as process:
            while chunk := await process.stdout.read(CHUNK):
                for field in split_nul(buffer, chunk):
                    if version is not None:
                        if commit is not None:
                            commit.changes[field] = version
                        version = None
                    elif field.startswith(b">"):
                        if commit is not None:
                            yield commit
                        sha, seconds, *parents = field[1:].decode().split()
                        commit = _Commit(Touch(sha, int(seconds)), tuple(parents), {})
                    else:
                        # ":<old mode> <new mode> <old blob> <new blob> <status>", the first of
                        # a commit after a newline.
                        parts = field.split()
                        version = parts[1], parts[3]
            if await process.finish() != 0:
                raise self._git.failure(process)
        if commit is not None:
            yield commit

    async def _ask(self, path: bytes) -> Touch | None:
        output = await self._git.run(
            "log", "-1", "--no-renames", "--format=%H %ct", self.commit, "--", path
        )
        sha, _, seconds = output.decode().strip().partition(" ")
        return Touch(sha, int(seconds)) if sha else None
