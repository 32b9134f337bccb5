"""Opening files below a folder without ever leaving it.

Every component is opened relative to the one before it and without following symbolic links, so a
folder that is swapped for a link between two system calls leads nowhere. (POSIX only.)
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from orrery_knowledge.sources.decoding import SNIFFED_BYTES

Kind = Literal["file", "folder", "link", "other"]

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
# Without O_NONBLOCK, opening a FIFO that took a file's place would wait for a writer.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_PIECE = 1024 * 1024


class NotAFile(OSError):
    """What lies there now is no regular file."""


class TooLarge(OSError):
    """The file is larger than what the caller takes."""


@dataclass(frozen=True)
class Child:
    """One name in a folder."""

    name: str
    kind: Kind


@dataclass(frozen=True)
class FileState:
    """What reading a file's bytes once says about it.

    Attributes:
        revision: SHA-256 of the bytes.
        size: how many bytes there were.
        head: the first of them.
        modified_at: when the file was last written (UTC); None when the date can't be expressed.
    """

    revision: str
    size: int
    head: bytes
    modified_at: datetime | None


def open_root(path: Path) -> int:
    """Open a source's own folder; here alone links are followed, for the user named it."""
    return os.open(path, _FOLDER)


def list_folder(root: int, parts: Sequence[str]) -> list[Child]:
    """Names in a folder, in the order of the paths below it.

    Raises:
        OSError: the folder can't be read, or is one no longer.
    """
    descriptor = _open_folder(root, parts)
    try:
        with os.scandir(descriptor) as entries:
            children = [Child(entry.name, _kind(entry)) for entry in entries]
    finally:
        os.close(descriptor)
    # A folder sorts as its name and a slash, which makes the whole walk sorted by path.
    children.sort(key=lambda child: os.fsencode(child.name) + b"/" * (child.kind == "folder"))
    return children


def inspect_file(root: int, parts: Sequence[str], max_bytes: int) -> FileState:
    """Hash a file in pieces, whatever its size.

    Raises:
        NotAFile: it is a link, FIFO, socket or device.
        TooLarge: it is larger than `max_bytes`.
        OSError: it can't be read.
    """
    return _read(root, parts, max_bytes, None)


def read_file(root: int, parts: Sequence[str], max_bytes: int) -> tuple[FileState, bytes]:
    """The bytes of a file and what they say about it; raises as `inspect_file` does."""
    pieces: list[bytes] = []
    state = _read(root, parts, max_bytes, pieces)
    return state, b"".join(pieces)


def is_same_folder(root: int, parts: Sequence[str], other: Path) -> bool:
    """Whether a folder below the root is `other`, by identity and not by name."""
    try:
        there = other.stat()
        descriptor = _open_folder(root, parts)
    except OSError:
        return False
    try:
        return os.path.samestat(os.fstat(descriptor), there)
    finally:
        os.close(descriptor)


def _open_folder(root: int, parts: Sequence[str]) -> int:
    descriptor = os.open(".", _FOLDER, dir_fd=root)
    for part in parts:
        try:
            below = os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=descriptor)
        finally:
            os.close(descriptor)
        descriptor = below
    return descriptor


def _read(root: int, parts: Sequence[str], max_bytes: int, pieces: list[bytes] | None) -> FileState:
    folder = _open_folder(root, parts[:-1])
    try:
        descriptor = os.open(parts[-1], _FILE, dir_fd=folder)
    finally:
        os.close(folder)
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise NotAFile(parts[-1])
        if status.st_size > max_bytes:
            raise TooLarge(parts[-1])
        digest = hashlib.sha256()
        head, size = b"", 0
        while piece := file.read(_PIECE):
            size += len(piece)
            # A file may grow while it is read; the limit holds all the same.
            if size > max_bytes:
                raise TooLarge(parts[-1])
            digest.update(piece)
            if len(head) < SNIFFED_BYTES:
                head += piece[: SNIFFED_BYTES - len(head)]
            if pieces is not None:
                pieces.append(piece)
    return FileState(digest.hexdigest(), size, head, _moment(status.st_mtime))


def _moment(seconds: float) -> datetime | None:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return None


def _kind(entry: os.DirEntry[str]) -> Kind:
    if entry.is_symlink():
        return "link"
    if entry.is_dir(follow_symlinks=False):
        return "folder"
    return "file" if entry.is_file(follow_symlinks=False) else "other"
