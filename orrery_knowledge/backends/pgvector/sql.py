"""Named statements of this package: parameters are bound, table names composed, never pasted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import LiteralString, NamedTuple

from psycopg.sql import SQL, Composable, Composed, Identifier, Literal

from orrery_knowledge.backends.statements import load_statements

FOREVER = 2**31 - 1
"""`removed_in` of rows that no load has ended."""


class VectorTables(NamedTuple):
    """The tables of one fingerprint."""

    id: int
    dimensions: int

    @property
    def nearest(self) -> str:
        """Name of the table that an exact search scans."""
        return f"nearest_{self.id}"

    @property
    def hnsw(self) -> str:
        """Name of its approximate index."""
        return f"nearest_{self.id}_hnsw"

    def parts(self) -> Mapping[str, Composable]:
        """What stands for these tables in a statement."""
        return {
            "cache": Identifier(f"vector_{self.id}"),
            "nearest": Identifier(self.nearest),
            "hnsw": Identifier(self.hnsw),
            "documents": Identifier(f"{self.nearest}_document"),
            "services": Identifier(f"{self.nearest}_service"),
            "corpora": Identifier(f"{self.nearest}_corpus"),
            "dimensions": Literal(self.dimensions),
        }


class Sql:
    """The statements of one file by name."""

    def __init__(self, file: LiteralString) -> None:
        self._statements = load_statements("orrery_knowledge.backends.pgvector", file)

    def __getitem__(self, name: LiteralString) -> LiteralString:
        # The text comes out of this package's own files, so it is as literal as in code.
        return self._statements[name]

    def filled(self, name: LiteralString, **parts: Composable) -> Composed:
        """A statement with something put into its braces."""
        return SQL(self[name]).format(**parts)

    def on(self, name: LiteralString, tables: VectorTables, **parts: Composable) -> Composed:
        """A statement over the tables of one fingerprint."""
        return self.filled(name, **tables.parts(), **parts)
