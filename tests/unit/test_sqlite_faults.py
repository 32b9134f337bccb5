from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path
from types import SimpleNamespace

import pytest

from orrery_knowledge import sqlite_faults
from orrery_knowledge.backends.sqlite import database
from orrery_knowledge.governance import driver
from orrery_knowledge.sqlite_faults import Fault, fault_of, file_size_limit, sentence

FILE = Path("index.db")
ROOMY = {"f_bavail": 1000, "f_frsize": 4096, "f_files": 100, "f_favail": 50}


def sqlite_error(code: int | None) -> sqlite3.Error:
    error = sqlite3.OperationalError("SELECT secret FROM decision")
    if code is not None:
        error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        (sqlite3.SQLITE_FULL, Fault.FULL),
        (sqlite3.SQLITE_READONLY, Fault.READ_ONLY),
        (sqlite3.SQLITE_READONLY_DIRECTORY, Fault.READ_ONLY),
        (sqlite3.SQLITE_CANTOPEN, Fault.CLOSED),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, Fault.LOCKED),
        (sqlite3.SQLITE_LOCKED_SHAREDCACHE, Fault.LOCKED),
        (sqlite3.SQLITE_CORRUPT_VTAB, Fault.DAMAGED),
        (sqlite3.SQLITE_NOTADB, Fault.DAMAGED),
        (sqlite3.SQLITE_IOERR_SHORT_READ, Fault.DAMAGED),
        (sqlite3.SQLITE_IOERR_READ, Fault.BROKEN),
        (sqlite3.SQLITE_IOERR_WRITE, Fault.BROKEN),
        (sqlite3.SQLITE_IOERR_NOMEM, Fault.MEMORY),
        (sqlite3.SQLITE_ERROR, None),
        (None, None),
    ],
)
def test_a_code_of_sqlite_says_what_is_wrong(code: int | None, fault: Fault | None) -> None:
    assert fault_of(sqlite_error(code), FILE) is fault


@pytest.mark.parametrize(
    ("number", "fault"),
    [
        (errno.ENOSPC, Fault.FULL),
        (errno.EDQUOT, Fault.FULL),
        (errno.EFBIG, Fault.LIMIT),
        (errno.EROFS, Fault.READ_ONLY),
        (errno.EACCES, Fault.CLOSED),
        (errno.EIO, Fault.BROKEN),
        (errno.EPIPE, None),
    ],
)
def test_so_does_one_of_the_system(number: int, fault: Fault | None) -> None:
    assert fault_of(OSError(number, os.strerror(number)), FILE) is fault


def test_another_error_says_nothing() -> None:
    assert fault_of(KeyError("x"), FILE) is None
    assert fault_of(None, FILE) is None


@pytest.mark.parametrize(("flag", "fault"), [(1, Fault.READ_ONLY), (0, Fault.CLOSED)])
def test_what_can_not_be_opened_may_lie_on_a_read_only_file_system(
    monkeypatch: pytest.MonkeyPatch, flag: int, fault: Fault
) -> None:
    """A mount needs rights that not every machine gives; only the flag is put in its place."""

    def status(folder: Path) -> SimpleNamespace:
        if folder != Path("/mnt"):
            raise FileNotFoundError(folder)
        return SimpleNamespace(**ROOMY, f_flag=flag)

    monkeypatch.setattr(os, "statvfs", status)
    error = sqlite_error(sqlite3.SQLITE_CANTOPEN)
    assert fault_of(error, Path("/mnt/state/.orrery/index.db")) is fault


NO_ROOM = {"f_bavail": 15}
NO_FILES = {"f_favail": 0}
UNCOUNTED = {"f_files": 0, "f_favail": 0}


@pytest.mark.parametrize(
    ("code", "changed", "fault"),
    [
        # 15 blocks of 4096 bytes are less than the 65536 that count as room; 16 are not.
        (sqlite3.SQLITE_IOERR_SHMSIZE, NO_ROOM, Fault.FULL),
        (sqlite3.SQLITE_IOERR_SHMSIZE, {"f_bavail": 16}, Fault.BROKEN),
        (sqlite3.SQLITE_IOERR_WRITE, NO_ROOM, Fault.FULL),
        (sqlite3.SQLITE_IOERR_FSYNC, NO_ROOM, Fault.FULL),
        (sqlite3.SQLITE_CANTOPEN, NO_ROOM, Fault.FULL),
        (sqlite3.SQLITE_CANTOPEN, NO_FILES, Fault.FULL),
        (sqlite3.SQLITE_CANTOPEN, UNCOUNTED, Fault.CLOSED),
        # Reading needs no room: this is the disk itself.
        (sqlite3.SQLITE_IOERR_READ, NO_ROOM, Fault.BROKEN),
        (sqlite3.SQLITE_CORRUPT, NO_ROOM, Fault.DAMAGED),
    ],
)
def test_a_disk_without_room_is_full_and_not_failing(
    monkeypatch: pytest.MonkeyPatch, code: int, changed: dict[str, int], fault: Fault
) -> None:
    """As SQLite said it on a full tmpfs and a full ext4; only the disk's numbers are put in."""
    numbers = SimpleNamespace(**{**ROOMY, "f_flag": 0, **changed})
    monkeypatch.setattr(os, "statvfs", lambda folder: numbers)
    assert fault_of(sqlite_error(code), FILE) is fault


def test_a_full_disk_is_full_whatever_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = SimpleNamespace(**{**ROOMY, "f_flag": 0, **NO_ROOM})
    monkeypatch.setattr(os, "statvfs", lambda folder: numbers)
    monkeypatch.setattr(sqlite_faults, "file_size_limit", lambda: 1 << 40)
    assert fault_of(sqlite_error(sqlite3.SQLITE_IOERR_WRITE), FILE) is Fault.FULL


@pytest.mark.parametrize("words", [database._WORDS, driver._WORDS])
def test_every_fault_has_its_words_for_both_stores(words: dict[Fault, str]) -> None:
    assert set(words) == set(Fault)
    for fault in Fault:
        assert "{" not in sentence(fault, words)


def test_there_is_no_limit_here() -> None:
    assert file_size_limit() is None
