"""The rankings on SQLite: FTS5 and numpy find candidates, `lexical.py` orders them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from orrery_knowledge.backends.sqlite.snapshot import SQL, Snapshot
from orrery_knowledge.identifiers import QueryTerms, query_terms
from orrery_knowledge.lexical import LexicalScorer, idf
from orrery_knowledge.models import Candidate, Chunk, FetchedChunk, Query, Rankings
from orrery_knowledge.protocols import Vectors

FRAGMENT_MATCH = 0.6
"""What matching a piece of a document's identifier is worth against matching it whole."""


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
        rankings["identifiers"] = _top(names, query.pool)
        lexical = snapshot.held(_matching(db, snapshot, query, terms))
    if query.mode != "lexical" and vector is not None and fingerprint == snapshot.fingerprint:
        similar = snapshot.matrix @ vector if snapshot.matrix is not None else None
        rankings["vector"] = _nearest(snapshot, similar, mask, query.pool)
    union = set(lexical).union(*rankings.values())
    scores, coverage = _score(db, snapshot, terms, union) if query.mode != "vector" else ({}, 0.0)
    if query.mode != "vector":
        rankings["lexical"] = _top(scores, query.pool)
    found = sorted(set().union(*rankings.values()))
    rows = snapshot.positions(found)
    return Rankings(
        load=snapshot.load,
        rankings=rankings,
        candidates={
            chunk: Candidate(
                chunk,
                int(snapshot.documents[row]),
                scores.get(chunk, 0.0),
                names.get(chunk, 0.0),
                float(similar[row]) if similar is not None else None,
            )
            for chunk, row in zip(found, rows, strict=True)
        },
        coverage=coverage,
    )


def fetch(db: sqlite3.Connection, chunks: Sequence[int], load: int) -> list[FetchedChunk]:
    """Bodies in the given order, without those that `load` doesn't show or that lost trust."""
    rows = db.execute(SQL["fetch"], {"chunks": json.dumps(list(chunks)), "load": load})
    found = {row["id"]: _fetched(row) for row in rows}
    return [found[chunk] for chunk in chunks if chunk in found]


def _budget(chunks: int) -> int:
    """How many matches the rare-word gate admits: 2 % of all chunks, from 500 to 5,000."""
    return max(500, min(5000, chunks // 50))


def _matching(
    db: sqlite3.Connection, snapshot: Snapshot, query: Query, terms: QueryTerms
) -> list[int]:
    """Candidates by words, OR-joined behind the rare-word gate.

    The rarest words are taken while their summed document frequency stays within the budget; an
    AND of every word would find nothing as soon as one filler word is added. Where a filter leaves
    too few, the next words are taken too.
    """
    frequencies = _frequencies(db, snapshot, terms)
    by_rarity = sorted((count, word) for word, count in frequencies.items() if count)
    budget, admitted = _budget(len(snapshot.ids)), 0
    gate: list[str] = []
    for frequency, word in by_rarity:
        if gate and admitted + frequency > budget:
            break
        gate.append(word)
        admitted += frequency
    if not gate:
        return []
    limit = 2 * query.pool
    if query.corpus is None and query.service is None:
        values: dict[str, object] = {"match": _any(gate), "limit": limit}
        return [row[0] for row in db.execute(SQL["matching"], values)]
    values = {"limit": limit, "corpus": query.corpus, "service": query.service}
    found: dict[int, None] = {}
    steps = [gate, *([word] for _, word in by_rarity[len(gate) :])]
    for step in steps:
        rows = db.execute(SQL["matching_filtered"], values | {"match": _any(step)})
        found.update(dict.fromkeys(row[0] for row in rows))
        if len(found) >= query.pool:
            break
    return list(found)


def _any(words: Iterable[str]) -> str:
    """An FTS5 expression in which every word is a quoted string, so nothing is an operator."""
    return " OR ".join('"' + word.replace('"', '""') + '"' for word in words)


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
    scores: dict[int, float] = {}
    budget = _budget(len(snapshot.ids))
    for name, weight in terms.identifiers.items():
        if name not in snapshot.names:
            row = db.execute(SQL["identifier_frequency"], (name,)).fetchone()
            snapshot.names[name] = int(row[0])
        frequency = snapshot.names[name]
        if not frequency or (frequency > budget and scores):
            continue
        value = weight * idf(frequency, len(snapshot.ids))
        for chunk, whole in db.execute(SQL["identifier_chunks"], (name, 4 * budget)):
            scores[chunk] = scores.get(chunk, 0.0) + value * (1.0 if whole else FRAGMENT_MATCH)
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
    scores: dict[int, float] = {}
    best, coverage = 0.0, 0.0
    for row in db.execute(SQL["scored"], (json.dumps(sorted(chunks)),)):
        score = scorer.score(row[1], row[2], row[3])
        if score > 0.0:
            scores[row[0]] = score
            if score > best:
                best, coverage = score, scorer.coverage(row[1], row[2])
    return scores, coverage


def _top(scores: dict[int, float], pool: int) -> tuple[int, ...]:
    return tuple(sorted(scores, key=lambda chunk: (-scores[chunk], chunk))[:pool])


def _fetched(row: sqlite3.Row) -> FetchedChunk:
    return FetchedChunk(
        id=row["id"],
        chunk=Chunk(
            ordinal=row["ordinal"],
            text=row["text"],
            context=row["context"],
            section=row["section"],
            heading_path=tuple(json.loads(row["heading_path"])),
            anchor=row["anchor"],
            part=row["part"],
            parts=row["parts"],
            line_start=row["line_start"],
            line_end=row["line_end"],
        ),
        corpus=row["corpus"],
        source=row["source"],
        path=row["path"],
        uri=row["uri"],
        title=row["title"],
        service=row["service"],
        digest=row["digest"],
        commit=row["commit_id"],
        revision=row["revision"],
        modified_at=datetime.fromisoformat(row["modified_at"]) if row["modified_at"] else None,
        trust=row["trust"],
        identifiers=tuple(name for name, whole in json.loads(row["names"]).items() if whole),
        metadata=json.loads(row["metadata"]),
    )
