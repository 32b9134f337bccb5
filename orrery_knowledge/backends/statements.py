"""Reads SQL from files of named statements.

A file holds blocks that begin with ``-- name --`` and one line of description::

    -- active_pointer --
    -- The row that says which load is active.
    SELECT active, held FROM pointer
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files

_NAME = re.compile(r"^-- (?P<name>[a-z][a-z0-9_]*) --\s*$")


class Statements(Mapping[str, str]):
    """Statements of one file by name; an unknown name is a `KeyError` with the file's name."""

    def __init__(self, file: str, text: str) -> None:
        self._file = file
        self._statements: dict[str, str] = {}
        name = ""
        for line in text.splitlines():
            if match := _NAME.match(line):
                name = match["name"]
                if name in self._statements:
                    raise ValueError(f"{file}: statement {name!r} stands there twice")
                self._statements[name] = ""
            elif name and not line.startswith("--"):
                self._statements[name] += line + "\n"

    def __getitem__(self, name: str) -> str:
        try:
            return self._statements[name]
        except KeyError:
            raise KeyError(f"{self._file} has no statement {name!r}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._statements)

    def __len__(self) -> int:
        return len(self._statements)


@cache
def load_statements(package: str, file: str) -> Statements:
    """The named statements of `file` in `package`."""
    return Statements(file, files(package).joinpath(file).read_text(encoding="utf-8"))
