"""Reading blobs through one `git cat-file --batch` process."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Literal

import re2

from orrery_knowledge.errors import SourceError
from orrery_knowledge.sources.git_commands import Git, GitProcess

# Requests written ahead of their answers: 256 names of 65 bytes fit into the smallest pipe buffer
# (64 KiB), so neither side can wait for the other.
_AHEAD = 256
_HEADER = re2.compile(rb"[0-9a-f]+ ([a-z]+) ([0-9]+)\n")
Target = Literal["file", "folder", "outside", "broken"]
_LINK = re2.compile(rb"(symlink|dangling|loop|notdir) ([0-9]+)\n")


class ObjectReader:
    """Reads objects of one repository; the process starts at the first read.

    Several listings share one reader: a blob id means the same content whoever asks.
    """

    def __init__(self) -> None:
        self._git: Git | None = None
        self._process: GitProcess | None = None
        self._turn = asyncio.Lock()

    async def use(self, git: Git) -> None:
        """Read from this repository from now on, as it is now."""
        async with self._turn:
            await self._stop()
            self._git = git

    async def read(self, name: str) -> bytes | None:
        """The content of one object, or None when it isn't there."""
        return (await self.read_many([name]))[0]

    async def read_many(self, names: Sequence[str]) -> list[bytes | None]:
        """Contents of objects in the given order; keep them small, for they are held together.

        Raises:
            SourceError: git died twice in a row.
        """
        contents: list[bytes | None] = []
        async with self._turn:
            for start in range(0, len(names), _AHEAD):
                group = names[start : start + _AHEAD]
                try:
                    contents += await self._ask(group)
                except (ConnectionError, asyncio.IncompleteReadError):
                    # Killed from outside, or out of memory: a fresh one gets one more chance.
                    try:
                        contents += await self._ask(group)
                    except (ConnectionError, asyncio.IncompleteReadError):
                        raise SourceError("git stopped while objects were read") from None
        return contents

    async def close(self) -> None:
        """Stop the process; the next read starts another."""
        async with self._turn:
            await self._stop()

    async def _stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            await process.kill()

    async def _ask(self, names: Sequence[str]) -> list[bytes | None]:
        try:
            if self._git is None:
                raise SourceError("nothing was listed yet")
            if self._process is None:
                self._process = await self._git.start("cat-file", "--batch", stdin=True)
            process = self._process
            process.stdin.write("".join(f"{name}\n" for name in names).encode())
            await process.stdin.drain()
            return [await _answer(process) for _ in names]
        except BaseException:
            # What is left in the pipe would answer the next question (a cancelled read, say).
            await self._stop()
            raise


async def _answer(process: GitProcess) -> bytes | None:
    header = await process.stdout.readuntil(b"\n")
    match = _HEADER.fullmatch(header)
    if match is None:
        return None
    content = await process.stdout.readexactly(int(match.group(2)) + 1)
    return content[:-1] if match.group(1) == b"blob" else None


async def resolve_links(git: Git, commit: str, links: Sequence[bytes]) -> dict[bytes, Target]:
    """Where symbolic links of a commit lead: looked up in its tree, never on the disk."""
    # The protocol is line by line; a name with a newline can't be asked for.
    targets: dict[bytes, Target] = {link: "file" for link in links if b"\n" in link}
    askable = [link for link in links if link not in targets]
    if not askable:
        return targets
    request = b"".join(commit.encode() + b":" + link + b"\n" for link in askable)
    output = await git.run("cat-file", "--batch-check", "--follow-symlinks", stdin=request)
    position = 0
    for link in askable:
        end = output.index(b"\n", position) + 1
        line, position = output[position:end], end
        if match := _LINK.fullmatch(line):
            # The target (or the name that was asked for) follows, whatever bytes it holds.
            position += int(match.group(2)) + 1
            targets[link] = "outside" if match.group(1) == b"symlink" else "broken"
        elif match := _HEADER.fullmatch(line):
            targets[link] = "folder" if match.group(1) == b"tree" else "file"
        else:
            targets[link] = "broken"
    return targets
