from __future__ import annotations

import inspect
import re

import pytest

from orrery_knowledge import errors
from orrery_knowledge.errors import KnowledgeError, MissingExtra

CLASSES = [
    cls for _, cls in inspect.getmembers(errors, inspect.isclass) if issubclass(cls, KnowledgeError)
]

# The others end a command with 1: done, with failures.
EXIT_CODES = {
    "ConfigurationError": 2,
    "KnowledgeOff": 2,
    "MissingExtra": 2,
    "BackendUnavailable": 3,
    "LedgerBehind": 3,
    "SyncRunning": 4,
    "Superseded": 4,
    "UnknownLoad": 5,
    "StaleDecision": 5,
    "InvalidPayload": 2,
}


def drawn() -> dict[str, str]:
    """Class -> its parent, as the docstring's tree draws them; and the branch it hangs on."""
    parents: dict[str, str] = {}
    above: list[tuple[int, str]] = []
    for line in (errors.__doc__ or "").splitlines():
        if match := re.match(r"^ {4}([│ ]*)(?:[├└]── )?([A-Z]\w+)(?: {2,}\S.*)?$", line):
            column = line.index(match[2])
            while above and above[-1][0] >= column:
                above.pop()
            parents[match[2]] = above[-1][1] if above else "Exception"
            above.append((column, match[2]))
    return parents


def test_the_tree_in_the_docstring_is_the_real_one() -> None:
    assert drawn() == {cls.__name__: cls.__bases__[0].__name__ for cls in CLASSES}


def test_what_the_docstring_calls_retryable_is() -> None:
    marked = set(re.findall(r"([A-Z]\w+) .*\(retryable\)", errors.__doc__ or ""))
    assert {cls.__name__ for cls in CLASSES if cls.retryable} == marked
    assert marked == {"BackendUnavailable", "SyncRunning"}


def test_exit_codes() -> None:
    found = {cls.__name__: cls.exit_code for cls in CLASSES}
    assert found == dict.fromkeys(found, 1) | EXIT_CODES


@pytest.mark.parametrize("cls", CLASSES)
def test_every_class_is_documented_and_has_one_parent(cls: type[KnowledgeError]) -> None:
    assert len(cls.__bases__) == 1
    assert cls.__doc__


def test_a_missing_extra_names_the_command() -> None:
    error = MissingExtra("pgvector", "psycopg")
    assert str(error) == ("psycopg is not installed; run: pip install 'orrery-knowledge[pgvector]'")
    assert (error.extra, error.package) == ("pgvector", "psycopg")
