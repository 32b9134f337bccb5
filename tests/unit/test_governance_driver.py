from __future__ import annotations

import sqlite3
import sys

import pytest
import sqlalchemy as sa
from sqlalchemy import exc

from orrery_knowledge.errors import BackendUnavailable, KnowledgeError
from orrery_knowledge.governance.driver import mapped, read_url, shown

URL = read_url("sqlite:///ledger.db")
DRIVERS = {*sys.stdlib_module_names, "sqlalchemy"}
SQL = "SELECT secret FROM decision"


def every_subclass(root: type[BaseException]) -> list[type[BaseException]]:
    below = [found for child in root.__subclasses__() for found in every_subclass(child)]
    # Other packages derive theirs from OSError as well; no driver raises them.
    return [root, *below] if root.__module__.partition(".")[0] in DRIVERS else below


def error_of(kind: type[BaseException]) -> BaseException:
    error = kind.__new__(kind)
    error.args = (SQL,)
    return error


@pytest.mark.parametrize(
    "kind",
    [
        *(
            kind
            for kind in every_subclass(exc.SQLAlchemyError)
            if not issubclass(kind, exc.StatementError)
        ),
        *every_subclass(sqlite3.Error),
        *every_subclass(OSError),
        OverflowError,
        UnicodeEncodeError,
    ],
    ids=lambda kind: f"{kind.__module__}.{kind.__qualname__}",
)
def test_no_error_of_a_driver_gets_out(kind: type[BaseException]) -> None:
    with pytest.raises(BackendUnavailable) as caught, mapped(URL):
        raise error_of(kind)
    assert str(caught.value) == f"the ledger ledger.db does not answer ({kind.__name__})"


@pytest.mark.parametrize("kind", every_subclass(exc.StatementError))
def test_no_error_of_a_statement_gets_out(kind: type[exc.StatementError]) -> None:
    with pytest.raises(BackendUnavailable) as caught, mapped(URL):
        raise kind(SQL, SQL, {"secret": SQL}, sqlite3.OperationalError(SQL))
    assert "SELECT" not in str(caught.value)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (sqlite3.SQLITE_FULL, "can't grow: the disk is full"),
        (sqlite3.SQLITE_BUSY, "is locked by another process"),
        (sqlite3.SQLITE_IOERR_WRITE, "can't be read or written: the disk reports an error"),
        (sqlite3.SQLITE_CORRUPT_INDEX, "is damaged, or is no ledger: restore it from your backup"),
        (sqlite3.SQLITE_NOTADB, "is damaged, or is no ledger: restore it from your backup"),
        (sqlite3.SQLITE_READONLY_DBMOVED, "can't be written: it is read-only"),
        (sqlite3.SQLITE_CANTOPEN_ISDIR, "can't be opened; check the path"),
        (sqlite3.SQLITE_PERM, "can't be opened; check the path"),
        (sqlite3.SQLITE_NOMEM, "needs more memory"),
    ],
)
def test_sqlite_says_what_is_wrong(code: int, words: str) -> None:
    error = sqlite3.OperationalError(SQL)
    error.sqlite_errorcode = code
    with pytest.raises(BackendUnavailable) as caught, mapped(URL):
        raise exc.OperationalError(SQL, {}, error)
    assert str(caught.value).startswith(f"the ledger ledger.db {words}")
    assert caught.value.exit_code == 3


def test_a_damaged_ledger_is_never_to_be_moved_away() -> None:
    with pytest.raises(BackendUnavailable) as caught, mapped(URL):
        raise ValueError("Expecting value")  # a stored JSON that is none
    message = str(caught.value)
    assert "It alone holds every decision on trust" in message
    assert "never delete it" in message
    assert "move it" not in message


@pytest.mark.parametrize("kind", [KnowledgeError, KeyError, KeyboardInterrupt])
def test_other_errors_pass(kind: type[BaseException]) -> None:
    with pytest.raises(kind), mapped(URL):
        raise kind("mine")


def test_password_is_not_shown() -> None:
    url = read_url("postgres://ada:hunter2@db.example/ledger")
    assert shown(url) == "the ledger at db.example:5432/ledger"
    assert url.drivername == "postgresql+psycopg"
    assert sa.make_url("sqlite+aiosqlite:///ledger.db") == URL
