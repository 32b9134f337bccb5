"""The one place where errors of psycopg become ours; no SQL, URL or password in any message."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import psycopg
from psycopg import errors
from psycopg_pool import PoolTimeout, TooManyRequests

from orrery_knowledge.errors import BackendUnavailable, ConfigurationError, KnowledgeError

NAME: Final = "PostgreSQL index"


class NoIndexYet(BackendUnavailable):
    """No sync has run yet."""


class ConnectionLost(BackendUnavailable):
    """The connection broke; the next one may be sound."""


REASONS: Final[tuple[tuple[type[psycopg.Error], str], ...]] = (
    (errors.QueryCanceled, "it took too long to answer and was stopped"),
    (errors.DiskFull, "its disk is full; what was active stays active"),
    (errors.OutOfMemory, "the server is out of memory"),
    (errors.TooManyConnections, "it has no connection left; lower pool_size"),
    (errors.AdminShutdown, "it is shutting down"),
    (errors.CrashShutdown, "it has crashed and is coming back"),
    (errors.CannotConnectNow, "it is starting or shutting down"),
    (errors.DeadlockDetected, "it was busy with conflicting changes; try again"),
    (errors.LockNotAvailable, "another process keeps it locked"),
    (errors.SerializationFailure, "it was busy with conflicting changes; try again"),
    (errors.ReadOnlySqlTransaction, "it takes no changes (is the URL that of a replica?)"),
    (errors.InvalidPassword, "it refuses the user or password of backend.url"),
    (errors.InvalidAuthorizationSpecification, "it refuses the user of backend.url"),
    (errors.InvalidCatalogName, "the database of backend.url does not exist"),
    (errors.InsufficientPrivilege, "the user of backend.url lacks a privilege there"),
    (errors.UndefinedColumn, "its tables are not as we made them; drop the schema and sync again"),
    (errors.UndefinedFunction, "the vector extension is missing or too old"),
    (errors.UndefinedObject, "the vector extension is missing or too old"),
    (PoolTimeout, "no connection came free in time"),
    (TooManyRequests, "no connection came free in time"),
    # The branches of the standard (PEP 249), so that no error of the driver is left over.
    (psycopg.OperationalError, "it does not answer"),
    (psycopg.DataError, "it refused a value"),
    (psycopg.IntegrityError, "two processes changed it at the same time; try again"),
    (psycopg.InternalError, "it reports an internal error"),
    (psycopg.ProgrammingError, "it refused a statement"),
    (psycopg.NotSupportedError, "it lacks a feature; PostgreSQL 15 or newer is needed"),
    (psycopg.InterfaceError, "the connection is not usable"),
    (psycopg.DatabaseError, "it reports an error"),
    (psycopg.Error, "the driver reports an error"),
)
"""What is said of each error, the first that fits."""

REFUSALS: Final = (
    ("password authentication failed", "it refuses the user or password of backend.url"),
    ("no password supplied", "backend.url has no password, and it asks for one"),
    ("no pg_hba.conf entry", "it takes no connections from here"),
    ("timeout expired", "no connection in time"),
    ("too many", "it has no connection left; lower pool_size"),
    ("remaining connection slots", "it has no connection left; lower pool_size"),
    ("starting up", "it is starting or shutting down"),
    ("shutting down", "it is starting or shutting down"),
    ("does not exist", "the user or the database of backend.url does not exist"),
)
"""A connection that is refused comes without a code: the words are all there is to go by."""

MISSING: Final = (errors.UndefinedTable, errors.InvalidSchemaName)
"""Our tables are not there: nothing was ever indexed."""


def reason(error: psycopg.Error) -> str:
    """What is said of an error of the driver."""
    if isinstance(error, psycopg.OperationalError) and error.sqlstate is None:
        words = str(error)
        for sign, text in REFUSALS:
            if sign in words:
                return text
    return next(text for kind, text in REASONS if isinstance(error, kind))


@contextmanager
def driver_errors() -> Iterator[None]:
    """Turn every error of the driver or the network into ours.

    Raises:
        NoIndexYet: our tables are not there.
        ConfigurationError: the URL can't be understood.
        BackendUnavailable: anything else.
    """
    try:
        yield
    except KnowledgeError:
        raise
    except MISSING as error:
        raise NoIndexYet("nothing is indexed yet; run: orrery-knowledge sync") from error
    except psycopg.Error as error:
        raise BackendUnavailable(f"{NAME}: {reason(error)}") from error
    except UnicodeError as error:
        raise ConfigurationError(f"{NAME}: backend.url holds characters that it can't") from error
    except OSError as error:
        raise BackendUnavailable(f"{NAME}: {error.strerror or 'it does not answer'}") from error
