"""What a search has to know of the active load before it looks for anything."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from orrery_knowledge.backends.pgvector.pools import Connection
from orrery_knowledge.backends.pgvector.sql import Sql, VectorTables
from orrery_knowledge.identifiers import QueryTerms

SQL = Sql("search.sql")

MOST_TERMS = 100_000
"""Frequencies that are remembered; then everything is forgotten and looked up again."""


@dataclass(frozen=True)
class Statistics:
    """Totals and frequencies of one generation.

    Attributes:
        load: the active load.
        generation: the index's counter of visible changes.
        chunks: how many chunks searches can find.
        average_length: their mean length in words.
        fingerprint: whose vectors the load has.
        tables: where they are; None while there is none.
        recall: of the approximate index, as measured when the load was built.
        words: document frequencies that were looked up so far.
        names: the same of identifiers.
    """

    load: int
    generation: int
    chunks: int
    average_length: float
    fingerprint: str | None
    tables: VectorTables | None
    recall: float | None
    words: dict[str, int] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)


class StatisticsCache:
    """Remembers frequencies of the newest generation: each is looked up once."""

    def __init__(self) -> None:
        self._newest: Statistics | None = None

    async def get(self, connection: Connection, terms: QueryTerms) -> Statistics | None:
        """Statistics of the active load that know every term; None before the first load."""
        cached = self._newest
        if cached is not None and len(cached.words) + len(cached.names) > MOST_TERMS:
            cached = None
        words = [word for word in terms.words if cached is None or word not in cached.words]
        names = [name for name in terms.identifiers if cached is None or name not in cached.names]
        found = await _read(connection, words, names)
        if found is None:
            return None
        if cached is not None and cached.generation == found.generation:
            cached.words.update(found.words)
            cached.names.update(found.names)
            return cached
        if cached is not None:
            found = await _read(connection, terms.words, terms.identifiers)
        self._newest = found
        return found


async def _read(
    connection: Connection, words: Iterable[str], names: Iterable[str]
) -> Statistics | None:
    wanted = {"words": list(words), "names": list(names)}
    row = await (await connection.execute(SQL["statistics"], wanted)).fetchone()
    if row is None or not row[0]:
        return None
    active, generation, chunks, length, fingerprint, table, dimensions, recall = row[:8]
    return Statistics(
        load=active,
        generation=generation,
        chunks=chunks,
        average_length=length / chunks if chunks else 1.0,
        fingerprint=fingerprint,
        tables=VectorTables(table, dimensions) if table is not None else None,
        recall=float(recall) if recall is not None else None,
        words=_counts(wanted["words"], row[8], row[9]),
        names=_counts(wanted["names"], row[10], row[11]),
    )


def _counts(wanted: list[str], terms: list[str] | None, counts: list[int] | None) -> dict[str, int]:
    """What was found of what was wanted, and 0 for the rest."""
    return dict.fromkeys(wanted, 0) | dict(zip(terms or (), counts or (), strict=True))
