"""Why SQLite or the file system refused, by their own codes; for the index and the ledger alike."""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import sys
from collections.abc import Mapping
from enum import Enum
from pathlib import Path


class Fault(Enum):
    """What is wrong with a database file."""

    FULL = "full"
    LIMIT = "limit"
    READ_ONLY = "read-only"
    CLOSED = "closed"
    LOCKED = "locked"
    DAMAGED = "damaged"
    BROKEN = "broken"
    MEMORY = "memory"


_PRIMARY = {
    sqlite3.SQLITE_FULL: Fault.FULL,
    sqlite3.SQLITE_READONLY: Fault.READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: Fault.CLOSED,
    sqlite3.SQLITE_PERM: Fault.CLOSED,
    sqlite3.SQLITE_AUTH: Fault.CLOSED,
    sqlite3.SQLITE_BUSY: Fault.LOCKED,
    sqlite3.SQLITE_LOCKED: Fault.LOCKED,
    sqlite3.SQLITE_PROTOCOL: Fault.LOCKED,
    sqlite3.SQLITE_CORRUPT: Fault.DAMAGED,
    sqlite3.SQLITE_NOTADB: Fault.DAMAGED,
    sqlite3.SQLITE_IOERR: Fault.BROKEN,
    sqlite3.SQLITE_NOMEM: Fault.MEMORY,
}
# The low byte of a code is the primary one; the rest says where it happened.
_EXTENDED = {
    sqlite3.SQLITE_IOERR_NOMEM: Fault.MEMORY,
    # The file grew shorter than its header says, in the middle of a page.
    sqlite3.SQLITE_IOERR_SHORT_READ: Fault.DAMAGED,
}
_GROWING = frozenset(
    {
        sqlite3.SQLITE_IOERR_WRITE,
        sqlite3.SQLITE_IOERR_TRUNCATE,
        sqlite3.SQLITE_IOERR_SHMSIZE,
        sqlite3.SQLITE_IOERR_SHMMAP,
    }
)
_SYNCING = frozenset(
    {sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_DIR_FSYNC, sqlite3.SQLITE_IOERR_CLOSE}
)
"""When a file system that allocates late says that there was no room."""

ROOM = 65536
"""Bytes below which a disk is full: what a reader shares with the writer takes half of it."""
_SYSTEM = {
    errno.ENOSPC: Fault.FULL,
    errno.EDQUOT: Fault.FULL,
    errno.EFBIG: Fault.LIMIT,
    errno.EROFS: Fault.READ_ONLY,
    errno.EACCES: Fault.CLOSED,
    errno.EPERM: Fault.CLOSED,
    errno.EISDIR: Fault.CLOSED,
    errno.ENOTDIR: Fault.CLOSED,
    errno.EEXIST: Fault.CLOSED,
    errno.ELOOP: Fault.CLOSED,
    errno.ENAMETOOLONG: Fault.CLOSED,
    errno.EIO: Fault.BROKEN,
    errno.ENOMEM: Fault.MEMORY,
}


def fault_of(error: BaseException | None, file: Path) -> Fault | None:
    """What is wrong; None for an error that says nothing about the file (a slip of ours, say).

    Args:
        error: of `sqlite3` or of the system.
        file: the database.
    """
    if isinstance(error, OSError):
        fault = _SYSTEM.get(error.errno or 0)
        return Fault.READ_ONLY if fault is Fault.CLOSED and _is_read_only(file) else fault
    code = getattr(error, "sqlite_errorcode", None)
    if not isinstance(code, int):
        return None
    fault = _EXTENDED.get(code) or _PRIMARY.get(code & 0xFF)
    # SQLite says the same of a failing disk, of a full one, and of a file that may not grow. It
    # says of a file that it can't create only that it can't be opened.
    if fault is Fault.CLOSED:
        if _is_read_only(file):
            return Fault.READ_ONLY
        return Fault.FULL if _is_full(file) else fault
    if code in _GROWING or code in _SYNCING:
        if _is_full(file):
            return Fault.FULL
        if code in _GROWING and file_size_limit() is not None:
            return Fault.LIMIT
    return fault


def _is_read_only(file: Path) -> bool:
    """Whether the file system has no writing."""
    status = _file_system(file)
    return status is not None and bool(status.f_flag & os.ST_RDONLY)


def _is_full(file: Path) -> bool:
    """Whether the file system has no room left for a file, or for one more."""
    status = _file_system(file)
    if status is None:
        return False
    # Where files are not counted, both of their numbers are 0.
    no_more_files = status.f_files > 0 and status.f_favail == 0
    return no_more_files or status.f_bavail * status.f_frsize < ROOM


def _file_system(file: Path) -> os.statvfs_result | None:
    """That of the nearest folder which exists; None where nobody can say."""
    if sys.platform == "win32":
        return None
    for folder in file.absolute().parents:
        with contextlib.suppress(OSError):
            return os.statvfs(folder)
    return None


def file_size_limit() -> int | None:
    """The largest file that this process may write, in bytes; None without a limit."""
    if sys.platform == "win32":
        return None
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    return None if soft == resource.RLIM_INFINITY else soft


def sentence(fault: Fault, words: Mapping[Fault, str]) -> str:
    """A fault in the words of whoever keeps the file."""
    return words[fault].format(limit=file_size_limit())
