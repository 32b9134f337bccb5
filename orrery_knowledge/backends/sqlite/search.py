"""The rankings on SQLite: FTS5 and numpy find candidates, `lexical.py` orders them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orrery_knowledge.backends.bodies import fetched_chunk
from orrery_knowledge.backends.ranking import (
    ScoredChunk,
    Step,
    assemble,
    budget,
    chosen_identifiers,
    identifier_value,
    score_lexically,
    steps,
    top,
)
from orrery_knowledge.backends.sqlite.snapshot import SQL, Snapshot
from orrery_knowledge.identifiers import QueryTerms, query_terms
from orrery_knowledge.lexical import LexicalScorer
from orrery_knowledge.models import FetchedChunk, Query, Rankings
from orrery_knowledge.protocols import Vectors

FEW = 10
"""A filter that lets through so many times the pool leaves few enough chunks to score each."""

REMEMBERED = 100_000
"""How many frequencies a process keeps; hostile queries hold ever new words."""

BETWEEN = "\x1e"
"""Stands between texts that a statement gives in one row; no packed word holds it."""


def search(
    db: sqlite3.Connection,
    snapshot: Snapshot,
    query: Query,
    vector: Vectors | None,
    fingerprint: str | None,
) -> Rankings:
    """Rank eligible chunks by words, identifiers and vector, from one snapshot.

    Args:
        db: a connection inside a transaction.
        snapshot: of the same transaction.
        query: what is asked.
        vector: its unit vector, or None.
        fingerprint: whose vector that is; a load of another fingerprint has no vector ranking.
    """
    terms = query_terms(query.text)
    mask = snapshot.mask(query.corpus, query.service)
    rankings: dict[str, tuple[int, ...]] = {}
    values: NDArray[np.float64] | None = None
    similar: NDArray[np.float32] | None = None
    scores: dict[int, float] = {}
    lexical: list[int] = []
    coverage = 0.0
    if query.mode != "vector":
        values = _identifiers(db, snapshot, terms, mask)
        rankings["identifiers"] = _best(snapshot, values, query.pool)
        lexical = snapshot.held(_matching(db, snapshot, query, terms))
    if query.mode != "lexical" and vector is not None and fingerprint == snapshot.fingerprint:
        similar = _similar(snapshot, vector, mask)
        rankings["vector"] = _nearest(snapshot, similar, mask, query.pool)
    if query.mode != "vector":
        union = set(lexical).union(*rankings.values())
        scores, coverage = _score(db, snapshot, terms, union)
        rankings["lexical"] = top(scores, query.pool)
    found = sorted(set().union(*rankings.values()))
    rows = snapshot.positions(found)
    named = dict(zip(found, values[rows].tolist(), strict=True)) if values is not None else {}
    documents = snapshot.documents[rows].tolist()
    cosines = similar[rows].tolist() if similar is not None else [None] * len(found)
    return assemble(
        snapshot.load,
        rankings,
        lexical=scores,
        identifiers=named,
        details=lambda _: zip(documents, cosines, strict=True),
        coverage=coverage,
    )


def fetch(db: sqlite3.Connection, chunks: Sequence[int], load: int) -> list[FetchedChunk]:
    """Bodies in the given order, without those that `load` doesn't show or that lost trust."""
    rows = db.execute(SQL["fetch"], {"chunks": json.dumps(list(chunks)), "load": load})
    found = {row["id"]: _fetched(row) for row in rows}
    return [found[chunk] for chunk in chunks if chunk in found]


def _matching(
    db: sqlite3.Connection, snapshot: Snapshot, query: Query, terms: QueryTerms
) -> list[int]:
    """Candidates by words, OR-joined behind the rare-word gate (see `ranking.steps`)."""
    mask = snapshot.mask(query.corpus, query.service)
    if mask is not None and np.count_nonzero(mask) <= FEW * query.pool:
        few: list[int] = snapshot.ids[mask].tolist()
        return few
    statement = SQL["matching" if mask is None else "matching_filtered"]
    values = {"limit": 2 * query.pool, "corpus": query.corpus, "service": query.service}
    found: dict[int, None] = {}
    for step in steps(_frequencies(db, snapshot, terms), len(snapshot.ids)):
        row = db.execute(statement, values | {"match": _expression(step)}).fetchone()
        found.update(dict.fromkeys(_numbers(row[0]).tolist()))
        if len(found) >= query.pool or not (mask is not None or step.together):
            break
    return list(found)


def _expression(step: Step) -> str:
    """An FTS5 expression in which every word is a quoted string, so nothing is an operator."""
    quoted = ['"' + word.replace('"', '""') + '"' for word in step.words]
    return (" AND " if step.together else " OR ").join(quoted)


def _frequencies(db: sqlite3.Connection, snapshot: Snapshot, terms: QueryTerms) -> dict[str, int]:
    return _counted(db, "frequencies", terms.words, snapshot.frequencies)


def _counted(
    db: sqlite3.Connection, statement: str, wanted: Iterable[str], known: dict[str, int]
) -> dict[str, int]:
    """How often words or identifiers occur, looked up once each and then remembered."""
    counts = {word: known.get(word, -1) for word in wanted}
    if missing := [word for word, count in counts.items() if count < 0]:
        rows = db.execute(SQL[statement], (json.dumps(missing, ensure_ascii=False),))
        found = dict.fromkeys(missing, 0) | dict(rows.fetchall())
        if len(known) > REMEMBERED:
            known.clear()
        known.update(found)  # whole, because other threads read it
        counts |= found
    return counts


def _identifiers(
    db: sqlite3.Connection,
    snapshot: Snapshot,
    terms: QueryTerms,
    mask: NDArray[np.bool_] | None,
) -> NDArray[np.float64]:
    """Sum over the query's identifiers of weight * idf, less for a match inside a longer one.

    Returns:
        the sum of every chunk of the snapshot; 0 for none, and for what the filter keeps out.
    """
    frequencies = _counted(db, "identifier_frequencies", terms.identifiers, snapshot.names)
    values = np.zeros(len(snapshot.ids))
    # A limit would act before the filter and hide what lies behind it; -1 is none.
    limit = 4 * budget(len(snapshot.ids)) if mask is None else -1
    for name, value in chosen_identifiers(terms, frequencies, len(snapshot.ids)).items():
        found = _numbers(db.execute(SQL["identifier_chunks"], (name, limit)).fetchone()[0])
        rows, here = snapshot.rows(found >> 1)
        worth = np.array([identifier_value(value, False), identifier_value(value, True)])
        values[rows] += worth[found[here] & 1]
    if mask is not None:
        values[~mask] = 0.0
    return values


def _similar(
    snapshot: Snapshot, vector: Vectors, mask: NDArray[np.bool_] | None
) -> NDArray[np.float32] | None:
    """Cosine of every chunk that the filter lets through; NaN where there is none.

    Row by row on this thread alone. `matrix @ vector` spreads over threads that then spin in wait
    for more work, and its sums depend on which rows stand together.
    """
    if snapshot.matrix is None:
        return None
    if mask is None or 2 * np.count_nonzero(mask) > len(mask):
        return np.asarray(np.vecdot(snapshot.matrix, vector), dtype=np.float32)
    similar = np.full(len(mask), np.nan, dtype=np.float32)
    similar[mask] = np.vecdot(snapshot.matrix[mask], vector)
    return similar


def _nearest(
    snapshot: Snapshot,
    similar: NDArray[np.float32] | None,
    mask: NDArray[np.bool_] | None,
    pool: int,
) -> tuple[int, ...]:
    """Exact nearest chunks by cosine, ties by id; NaN never ranks."""
    if similar is None:
        return ()
    allowed = np.isfinite(similar)
    if mask is not None:
        allowed &= mask
    return _best(snapshot, np.where(allowed, similar, -np.inf), pool, above=-np.inf)


def _best(
    snapshot: Snapshot,
    values: NDArray[np.floating[Any]],
    pool: int,
    above: float = 0.0,
) -> tuple[int, ...]:
    """Chunks of the highest values, best first, ties by id."""
    rows = np.flatnonzero(values > above)
    if len(rows) > pool > 0:
        least = np.partition(values[rows], len(rows) - pool)[len(rows) - pool]
        rows = rows[values[rows] >= least]
    rows = rows[np.argsort(-values[rows], kind="stable")][:pool]
    return tuple(snapshot.ids[rows].tolist())


def _score(
    db: sqlite3.Connection, snapshot: Snapshot, terms: QueryTerms, chunks: set[int]
) -> tuple[dict[int, float], float]:
    """Lexical score of every candidate, and the best one's coverage of the query."""
    frequencies = _frequencies(db, snapshot, terms)
    scorer = LexicalScorer(terms, frequencies, len(snapshot.ids), snapshot.average_length)
    row = db.execute(SQL["scored"], (json.dumps(sorted(chunks)),)).fetchone()
    if row[0] is None:
        return {}, 0.0
    found = _numbers(row[0]).tolist()
    lengths = snapshot.lengths[snapshot.positions(found)].tolist()
    headers, words = row[1].split(BETWEEN), row[2].split(BETWEEN)
    with snapshot.turn:
        return score_lexically(scorer, map(ScoredChunk, found, headers, words, lengths))


def _numbers(text: str | None) -> NDArray[np.int64]:
    """Numbers with commas between them, which is how a statement gives many in one row.

    A row each would take and give back the interpreter's lock, and other threads hold it for long.
    """
    return np.fromstring(text or "", dtype=np.int64, sep=",")


def _fetched(row: sqlite3.Row) -> FetchedChunk:
    return fetched_chunk(
        row,
        modified_at=datetime.fromisoformat(row["modified_at"]) if row["modified_at"] else None,
        identifiers=tuple(name for name, whole in json.loads(row["names"]).items() if whole),
        metadata=json.loads(row["metadata"]),
    )
