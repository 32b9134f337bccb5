from __future__ import annotations

import re
from importlib.resources import files

import pytest

from orrery_knowledge.backends.statements import Statements, load_statements

TEXT = """\
-- This comment belongs to the file.

-- first --
-- What it is for.
SELECT 1
  -- indented comments are SQL's own

-- second_2 --
-- What that is for.
SELECT 2;
SELECT '-- third --'
"""

PACKAGE = "orrery_knowledge.backends.sqlite"
SQL_FILES = [file.name for file in files(PACKAGE).iterdir() if file.name.endswith(".sql")]


def test_statements_by_name() -> None:
    found = Statements("x.sql", TEXT)
    assert list(found) == ["first", "second_2"]
    assert len(found) == 2
    assert found["first"] == "SELECT 1\n  -- indented comments are SQL's own\n\n"
    assert found["second_2"] == "SELECT 2;\nSELECT '-- third --'\n"


def test_an_unknown_name_says_which_file() -> None:
    with pytest.raises(KeyError, match=r"x\.sql has no statement 'third'"):
        Statements("x.sql", TEXT)["third"]
    assert "third" not in Statements("x.sql", TEXT)


def test_a_name_stands_once() -> None:
    with pytest.raises(ValueError, match=r"x\.sql: statement 'first' stands there twice"):
        Statements("x.sql", TEXT + "-- first --\nSELECT 3\n")


def test_an_empty_file_has_none() -> None:
    assert dict(Statements("x.sql", "")) == {}


@pytest.mark.parametrize("file", SQL_FILES)
def test_every_shipped_statement_has_a_line_that_describes_it(file: str) -> None:
    text = files(PACKAGE).joinpath(file).read_text(encoding="utf-8")
    names = re.findall(r"^-- [a-z][a-z0-9_]* --\n(.*)$", text, re.MULTILINE)
    assert len(names) == len(load_statements(PACKAGE, file))
    assert all(re.match(r"-- [A-Z]", line) for line in names), names
    assert all(statement.strip() for statement in load_statements(PACKAGE, file).values())


@pytest.mark.parametrize("file", SQL_FILES)
def test_every_shipped_statement_is_used(file: str) -> None:
    """And by its name: a statement that no code mentions is dead."""
    sources = [f for f in files(PACKAGE).iterdir() if f.name.endswith(".py")]
    code = "\n".join(source.read_text(encoding="utf-8") for source in sources)
    unused = [n for n in load_statements(PACKAGE, file) if f'"{n}"' not in code]
    assert unused == []


def test_a_file_is_read_once() -> None:
    assert load_statements(PACKAGE, "search.sql") is load_statements(PACKAGE, "search.sql")
