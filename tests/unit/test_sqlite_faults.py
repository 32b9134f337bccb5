from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path
from types import SimpleNamespace

import pytest

from orrery_knowledge.backends.sqlite import database
from orrery_knowledge.governance import driver
from orrery_knowledge.sqlite_faults import Fault, fault_of, file_size_limit, sentence

FILE = Path("index.db")


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
        return SimpleNamespace(f_flag=flag)

    monkeypatch.setattr(os, "statvfs", status)
    error = sqlite_error(sqlite3.SQLITE_CANTOPEN)
    assert fault_of(error, Path("/mnt/state/.orrery/index.db")) is fault


@pytest.mark.parametrize("words", [database._WORDS, driver._WORDS])
def test_every_fault_has_its_words_for_both_stores(words: dict[Fault, str]) -> None:
    assert set(words) == set(Fault)
    for fault in Fault:
        assert "{" not in sentence(fault, words)


def test_there_is_no_limit_here() -> None:
    assert file_size_limit() is None
