"""`FilesystemSource`: the files below a folder, as they lie on the disk."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from pydantic import Field

from orrery_knowledge.errors import DocumentError, NoText, SourceError
from orrery_knowledge.models import Document, SourceEntry
from orrery_knowledge.sources.config import SourceConfig
from orrery_knowledge.sources.decoding import decode, is_lfs_pointer, looks_binary
from orrery_knowledge.sources.folders import (
    Child,
    NotAFile,
    TooLarge,
    inspect_file,
    is_same_folder,
    list_folder,
    open_root,
    read_file,
)
from orrery_knowledge.sources.globs import PathFilter
from orrery_knowledge.sources.paths import printable_name

# How long a worker thread walks before it hands over what it found.
_SLICE_SECONDS = 0.05
_BATCH = 64
# No digest looks like this, so an unreadable file is always read, fails and is counted.
_UNREADABLE = "unreadable"
# Never listed, even by a glob that names them.
_NEVER_ENTERED = frozenset({".git", ".orrery"})


class FilesystemSourceConfig(SourceConfig):
    """Settings of a filesystem source.

    Attributes:
        path: the folder; a relative one counts from the folder of ``orrery.yaml``.
    """

    type: Literal["filesystem"] = "filesystem"
    path: str = Field(
        default=".",
        min_length=1,
        pattern=r"^[^\x00]+$",
        description="a path",
        examples=["./wiki"],
    )


class FilesystemSource:
    """Lists and reads the files below one folder, and never anything outside of it.

    The revision of a file is the SHA-256 of its bytes, so listing reads every listed file, in
    pieces. Symbolic links are not followed: one that stays inside is skipped as ``"symlink"`` (its
    target is listed under its own name), one that leads out as ``"symlink_outside"``, one that
    leads nowhere as ``"symlink_broken"``. Other reasons: ``"too_large"``, ``"binary"``,
    ``"lfs_pointer"``, ``"not_a_file"``.

    Args:
        config: what to list.
        root: the folder of ``orrery.yaml``.
        state: the ``.orrery`` folder; never listed.
    """

    Config = FilesystemSourceConfig

    def __init__(self, config: FilesystemSourceConfig, *, root: Path, state: Path) -> None:
        self.config = config
        self.id = config.id
        self.corpus = config.corpus
        self.trust = config.trust
        self._root = root
        self._state = state
        self._folder = root / config.path

    @property
    def settings_key(self) -> str:
        """Names the settings that shape documents: corpus and service."""
        return self.config.settings_key("filesystem")

    async def check(self) -> None:
        """Say now what the first listing would say.

        Raises:
            SourceError: the folder is not there or can't be read.
        """
        os.close(await asyncio.to_thread(self._open))

    async def entries(self) -> AsyncIterator[SourceEntry]:
        """List the files, sorted by path.

        Raises:
            SourceError: the folder can't be read, or (after everything else was listed) one below.
        """
        walk = self._walk()
        while True:
            batch, error = await asyncio.to_thread(_take, walk)
            for entry in batch:
                yield entry
            if error is not None:
                raise error
            if not batch:
                return

    async def read(self, entry: SourceEntry) -> Document:
        """Read a listed file as it is now.

        A file that changed since it was listed is taken as it is; the document then carries the
        revision of what was read.

        Raises:
            DocumentError: the file is gone, unreadable, binary, too large or no longer a file.
            SourceError: the source's folder is gone.
        """
        return await asyncio.to_thread(self._read, entry)

    async def close(self) -> None:
        """Nothing is kept open."""

    def _open(self) -> int:
        try:
            return open_root(self._folder)
        except FileNotFoundError:
            problem = "does not exist"
        except NotADirectoryError:
            problem = "is not a folder"
        except OSError as error:
            problem = f"can't be opened ({_reason(error)})"
        raise SourceError(
            f"source {self.id}: {self.config.path} {problem}; check its path in the configuration"
        )

    def _walk(self) -> Iterator[SourceEntry]:
        wanted = PathFilter(self.config.paths, self.config.exclude)
        unreadable: list[str] = []
        root = self._open()
        try:
            # A stack of its own, so that depth is bounded by the disk and not by the interpreter.
            stack: list[tuple[tuple[str, ...], Iterator[Child]]] = [
                ((), iter(self._list(root, (), unreadable)))
            ]
            while stack:
                parents, children = stack[-1]
                child = next(children, None)
                if child is None:
                    stack.pop()
                    continue
                parts = (*parents, child.name)
                path = _path(parts)
                if child.kind == "folder":
                    if self._enters(root, parts) and wanted.may_contain(path):
                        stack.append((parts, iter(self._list(root, parts, unreadable))))
                elif child.kind == "link":
                    if entry := self._link(parts, path, wanted):
                        yield entry
                elif wanted.matches(path) and (entry := self._file(root, parts, path)):
                    yield entry
            # An unmounted or deleted folder looks like an empty one to those who hold it open.
            if not _still_there(root, self._folder):
                unreadable.append(self.config.path)
        finally:
            os.close(root)
        if unreadable:
            more = f" and {len(unreadable) - 1} more" if len(unreadable) > 1 else ""
            raise SourceError(f"source {self.id}: can't list {unreadable[0]}{more}")

    def _enters(self, root: int, parts: Sequence[str]) -> bool:
        return parts[-1] not in _NEVER_ENTERED and not (
            parts[-1] == self._state.name and is_same_folder(root, parts, self._state)
        )

    def _list(self, root: int, parts: Sequence[str], unreadable: list[str]) -> list[Child]:
        try:
            return list_folder(root, parts)
        except FileNotFoundError:
            # Deleted since its parent was listed: then its files are gone as well.
            return []
        except OSError as error:
            unreadable.append(f"{_path(parts) or self.config.path} ({_reason(error)})")
            return []

    def _link(self, parts: Sequence[str], path: str, wanted: PathFilter) -> SourceEntry | None:
        """Say why a link is skipped; it is looked at, never read through."""
        link = self._folder.joinpath(*parts)
        try:
            revision = f"link:{_path(os.readlink(link).split('/'))}"
            base = os.path.realpath(self._folder, strict=True)
            target = os.path.realpath(link, strict=True)
        except OSError:
            return (
                SourceEntry(path=path, revision="link", skipped="symlink_broken")
                if wanted.matches(path)
                else None
            )
        if not wanted.matches(path) and not (os.path.isdir(target) and wanted.may_contain(path)):
            return None
        inside = os.path.commonpath([base, target]) == base
        return SourceEntry(
            path=path, revision=revision, skipped="symlink" if inside else "symlink_outside"
        )

    def _file(self, root: int, parts: tuple[str, ...], path: str) -> SourceEntry | None:
        try:
            state = inspect_file(root, parts, self.config.max_bytes)
        except FileNotFoundError:
            return None
        except NotAFile:
            return SourceEntry(path=path, revision="special", skipped="not_a_file")
        except TooLarge:
            return SourceEntry(path=path, revision="large", skipped="too_large")
        except OSError:
            return SourceEntry(path=path, revision=_UNREADABLE, handle=parts)
        skipped = None
        if state.size == len(state.head) and is_lfs_pointer(state.head):
            skipped = "lfs_pointer"
        elif looks_binary(state.head):
            skipped = "binary"
        return SourceEntry(path=path, revision=state.revision, skipped=skipped, handle=parts)

    def _read(self, entry: SourceEntry) -> Document:
        parts = entry.handle
        if not _is_below(parts):
            raise DocumentError(f"{entry.path}: not listed by source {self.id}")
        root = self._open()
        try:
            state, data = read_file(root, parts, self.config.max_bytes)
        except TooLarge:
            raise DocumentError(
                f"{entry.path}: larger than {self.config.max_bytes} bytes (max_bytes)"
            ) from None
        except NotAFile:
            raise DocumentError(f"{entry.path}: no longer a regular file") from None
        except OSError as error:
            raise DocumentError(f"{entry.path}: can't be read ({_reason(error)})") from None
        finally:
            os.close(root)
        if looks_binary(state.head):
            raise NoText(f"{entry.path}: looks binary; add it to the source's exclude")
        decoded = decode(data)
        return Document(
            corpus=self.corpus,
            source=self.id,
            path=entry.path,
            uri=self._uri(parts),
            text=decoded.text,
            revision=state.revision,
            modified_at=state.modified_at,
            metadata=self.config.metadata(),
            warnings=decoded.warnings,
        )

    def _uri(self, parts: Sequence[str]) -> str:
        """``file:`` and the path from the configuration's folder; absolute when outside of it."""
        root = os.path.abspath(self._root)
        file = os.path.normpath(os.path.join(root, self.config.path, *parts))
        if os.path.commonpath([root, file]) == root:
            return "file:" + quote(os.fsencode(os.path.relpath(file, root)))
        return "file://" + quote(os.fsencode(file))


def _take(walk: Iterator[SourceEntry]) -> tuple[list[SourceEntry], SourceError | None]:
    """The next entries of a walk: some, as many as a time slice gives, or none at its end."""
    batch: list[SourceEntry] = []
    until = time.monotonic() + _SLICE_SECONDS
    try:
        for entry in walk:
            batch.append(entry)
            if len(batch) == _BATCH or time.monotonic() > until:
                break
    except SourceError as error:
        return batch, error
    return batch, None


def _path(parts: Sequence[str]) -> str:
    return "/".join(printable_name(part) for part in parts)


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()


def _is_below(parts: object) -> bool:
    """Whether a handle is one of ours: names only, none of which could lead upwards."""
    return (
        isinstance(parts, tuple)
        and bool(parts)
        and all(
            isinstance(part, str) and part not in ("", ".", "..") and not {"/", "\0"} & set(part)
            for part in parts
        )
    )


def _still_there(root: int, folder: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(root), folder.stat())
    except OSError:
        return False
