"""The rankings on SQLite: FTS5 and numpy find candidates, `lexical.py` orders them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from datetime import datetime

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
    names: dict[int, float] = {}
    similar: NDArray[np.float32] | None = None
    lexical: list[int] = []
    if query.mode != "vector":
        names = _identifiers(db, snapshot, terms, mask)
        rankings["identifiers"] = top(names, query.pool)
        lexical = snapshot.held(_matching(db, snapshot, query, terms))
    if query.mode != "lexical" and vector is not None and fingerprint == snapshot.fingerprint:
        similar = snapshot.matrix @ vector if snapshot.matrix is not None else None
        rankings["vector"] = _nearest(snapshot, similar, mask, query.pool)
    union = set(lexical).union(*rankings.values())
    scores, coverage = _score(db, snapshot, terms, union) if query.mode != "vector" else ({}, 0.0)
    if query.mode != "vector":
        rankings["lexical"] = top(scores, query.pool)
    return assemble(
        snapshot.load,
        rankings,
        lexical=scores,
        identifiers=names,
        details=lambda chunks: [
            (int(snapshot.documents[row]), float(similar[row]) if similar is not None else None)
            for row in snapshot.positions(list(chunks))
        ],
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
    filtered = query.corpus is not None or query.service is not None
    statement = SQL["matching_filtered" if filtered else "matching"]
    values = {"limit": 2 * query.pool, "corpus": query.corpus, "service": query.service}
    found: dict[int, None] = {}
    for step in steps(_frequencies(db, snapshot, terms), len(snapshot.ids)):
        rows = db.execute(statement, values | {"match": _expression(step)})
        found.update(dict.fromkeys(row[0] for row in rows))
        if len(found) >= query.pool or not (filtered or step.together):
            break
    return list(found)


def _expression(step: Step) -> str:
    """An FTS5 expression in which every word is a quoted string, so nothing is an operator."""
    quoted = ['"' + word.replace('"', '""') + '"' for word in step.words]
    return (" AND " if step.together else " OR ").join(quoted)


def _frequencies(db: sqlite3.Connection, snapshot: Snapshot, terms: QueryTerms) -> dict[str, int]:
    for word in terms.words:
        if word not in snapshot.frequencies:
            row = db.execute(SQL["frequency"], (word,)).fetchone()
            snapshot.frequencies[word] = int(row[0]) if row else 0
    return {word: snapshot.frequencies[word] for word in terms.words}


def _identifiers(
    db: sqlite3.Connection,
    snapshot: Snapshot,
    terms: QueryTerms,
    mask: NDArray[np.bool_] | None,
) -> dict[int, float]:
    """Sum over the query's identifiers of weight * idf, less for a match inside a longer one."""
    for name in terms.identifiers:
        if name not in snapshot.names:
            row = db.execute(SQL["identifier_frequency"], (name,)).fetchone()
            snapshot.names[name] = int(row[0])
    scores: dict[int, float] = {}
    # A limit would act before the filter and hide what lies behind it; -1 is none.
    limit = 4 * budget(len(snapshot.ids)) if mask is None else -1
    for name, value in chosen_identifiers(terms, snapshot.names, len(snapshot.ids)).items():
        for chunk, whole in db.execute(SQL["identifier_chunks"], (name, limit)):
            scores[chunk] = scores.get(chunk, 0.0) + identifier_value(value, bool(whole))
    chunks = snapshot.held(sorted(scores))
    if mask is None or not chunks:
        return {chunk: scores[chunk] for chunk in chunks}
    allowed = mask[snapshot.positions(chunks)]
    return {chunk: scores[chunk] for chunk, keep in zip(chunks, allowed, strict=True) if keep}


def _nearest(
    snapshot: Snapshot,
    similar: NDArray[np.float32] | None,
    mask: NDArray[np.bool_] | None,
    pool: int,
) -> tuple[int, ...]:
    """Exact nearest chunks by cosine, ties by id; NaN never ranks."""
    if similar is None:
        return ()
    values = np.where(np.isfinite(similar), similar, -np.inf)
    if mask is not None:
        values = np.where(mask, values, -np.inf)
    count = min(pool, int(np.isfinite(values).sum()))
    if count == 0:
        return ()
    rows = np.argpartition(-values, count - 1)[:count]
    rows = rows[np.lexsort((snapshot.ids[rows], -values[rows]))]
    return tuple(int(chunk) for chunk in snapshot.ids[rows])


def _score(
    db: sqlite3.Connection, snapshot: Snapshot, terms: QueryTerms, chunks: set[int]
) -> tuple[dict[int, float], float]:
    """Lexical score of every candidate, and the best one's coverage of the query."""
    frequencies = _frequencies(db, snapshot, terms)
    scorer = LexicalScorer(terms, frequencies, len(snapshot.ids), snapshot.average_length)
    rows = db.execute(SQL["scored"], (json.dumps(sorted(chunks)),))
    return score_lexically(scorer, (ScoredChunk(*row) for row in rows))


def _fetched(row: sqlite3.Row) -> FetchedChunk:
    return fetched_chunk(
        row,
        modified_at=datetime.fromisoformat(row["modified_at"]) if row["modified_at"] else None,
        identifiers=tuple(name for name, whole in json.loads(row["names"]).items() if whole),
        metadata=json.loads(row["metadata"]),
    )
