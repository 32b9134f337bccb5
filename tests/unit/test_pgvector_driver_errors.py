"""Every error of the driver becomes one of ours, and says nothing of what was sent."""

from __future__ import annotations

import inspect

import psycopg
import psycopg_pool
import pytest

from orrery_knowledge.backends.pgvector.driver_errors import NoIndexYet, driver_errors, reason
from orrery_knowledge.errors import BackendUnavailable, KnowledgeError

STATEMENT = "SELECT secret FROM passage WHERE url = 'postgresql://u:hunter2@h/d'"
NO_ERRORS = {"Rollback", "Warning"}
"""No `psycopg.Error`: the one steers transactions, the other is never raised."""


def of_module(module) -> list[type[BaseException]]:
    return [
        value
        for value in vars(module).values()
        if inspect.isclass(value) and issubclass(value, BaseException)
        if value.__module__.split(".")[0] in ("psycopg", "psycopg_pool")
    ]


ALL = sorted(
    {
        *of_module(psycopg),
        *of_module(psycopg.errors),
        *of_module(psycopg_pool),
        *psycopg.errors._sqlcodes.values(),
    },
    key=lambda kind: kind.__name__,
)


def test_the_driver_has_grown_no_error_outside_its_tree():
    assert len(ALL) > 250
    strange = {kind.__name__ for kind in ALL if not issubclass(kind, psycopg.Error)}
    assert strange <= NO_ERRORS


@pytest.mark.parametrize(
    "kind",
    [kind for kind in ALL if issubclass(kind, psycopg.Error)],
    ids=lambda kind: kind.__name__,
)
def test_every_error_is_mapped_without_its_words(kind):
    with pytest.raises(KnowledgeError) as caught, driver_errors():
        raise kind(STATEMENT)
    message = str(caught.value)
    for hidden in ("SELECT", "secret", "passage", "postgresql://", "hunter2"):
        assert hidden not in message
    assert isinstance(caught.value, BackendUnavailable)
    assert caught.value.retryable


def test_only_the_root_of_the_tree_is_mapped_by_the_last_line():
    unspecific = [
        kind.__name__
        for kind in ALL
        if issubclass(kind, psycopg.Error) and reason(kind()) == "the driver reports an error"
    ]
    assert unspecific == ["Error"]


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (psycopg.errors.QueryCanceled, "took too long"),
        (psycopg.errors.DiskFull, "disk is full"),
        (psycopg.errors.TooManyConnections, "no connection left"),
        (psycopg.errors.InsufficientPrivilege, "lacks a privilege"),
        (psycopg.errors.ReadOnlySqlTransaction, "takes no changes"),
        (psycopg_pool.PoolTimeout, "no connection came free in time"),
        (psycopg.OperationalError, "does not answer"),
    ],
)
def test_what_is_said_of_an_error(kind, said):
    with pytest.raises(BackendUnavailable, match=said), driver_errors():
        raise kind(STATEMENT)


def test_missing_tables_mean_that_nothing_was_indexed():
    for kind in (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName):
        with pytest.raises(NoIndexYet, match="run: orrery-knowledge sync"), driver_errors():
            raise kind(STATEMENT)


def test_errors_of_ours_and_bugs_pass_through():
    with pytest.raises(KeyError), driver_errors():
        raise KeyError("a bug")
    with pytest.raises(BackendUnavailable, match=r"^already said$"), driver_errors():
        raise BackendUnavailable("already said")
    with pytest.raises(BackendUnavailable, match="Connection refused"), driver_errors():
        raise ConnectionRefusedError(111, "Connection refused")
