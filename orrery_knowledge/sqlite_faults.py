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
    fault = _by_code(error)
    if fault is Fault.CLOSED and _is_read_only(file):
        return Fault.READ_ONLY
    return fault


def _by_code(error: BaseException | None) -> Fault | None:
    if isinstance(error, OSError):
        return _SYSTEM.get(error.errno or 0)
    code = getattr(error, "sqlite_errorcode", None)
    if not isinstance(code, int):
        return None
    # SQLite says the same of a failing disk and of a file that may not grow.
    if code in _GROWING and file_size_limit() is not None:
        return Fault.LIMIT
    return _EXTENDED.get(code) or _PRIMARY.get(code & 0xFF)


def _is_read_only(file: Path) -> bool:
    """Whether the nearest folder that exists lies on a file system without writing."""
    if sys.platform == "win32":
        return False
    for folder in file.absolute().parents:
        with contextlib.suppress(OSError):
            return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)
    return False


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
