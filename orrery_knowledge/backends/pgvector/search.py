"""The rankings on PostgreSQL: it finds candidates, `ranking.py` orders them.

A search reads the pointer once and hands the load's number to every statement; each filters by the
interval of its rows, so statements on several connections see one load, whatever is activated
meanwhile. Rows stand in their indexes before their load is active, and activation moves a number.
That such rows can't move a score is seen to by the frequencies, which are those of the load.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from typing import Any, NamedTuple

import numpy as np
from pgvector import HalfVector, Vector
from psycopg.rows import dict_row

from orrery_knowledge.backends.bodies import fetched_chunk
from orrery_knowledge.backends.pgvector.approximate import near
from orrery_knowledge.backends.pgvector.config import Hnsw
from orrery_knowledge.backends.pgvector.connecting import Connect
from orrery_knowledge.backends.pgvector.pools import Connection
from orrery_knowledge.backends.pgvector.rows import Cleaner
from orrery_knowledge.backends.pgvector.statistics import SQL, Statistics, StatisticsCache
from orrery_knowledge.backends.pgvector.vectors import know_vectors
from orrery_knowledge.backends.ranking import (
    ScoredChunk,
    Step,
    assemble,
    chosen_identifiers,
    identifier_value,
    score_lexically,
    steps,
    top,
)
from orrery_knowledge.identifiers import QueryTerms, query_terms
from orrery_knowledge.lexical import HEADER_WEIGHT, K1, B, LexicalScorer, idf
from orrery_knowledge.models import FetchedChunk, Query, Rankings
from orrery_knowledge.protocols import Vectors

CLASSES = [0.125, 0.25, 0.5, 1.0]
"""What `ts_rank` gives for the weights D, C, B and A of `rows.Cleaner.lexemes`: an eighth for each
time that a word stands in the body (the third and more count as four), one for the header."""

SLACK = 1.2
"""So many more neighbours than asked for come out of the narrow table, whose vectors are rounded;
the full ones then decide."""

UNIT = 1_000_000_000
"""Identifier values are handed to SQL as integers of this fraction."""


class Asked(NamedTuple):
    """A query in the terms of the rankings.

    Attributes:
        terms: its words and identifiers.
        names: the identifiers that are looked for -> what a match is worth.
        by_words: whether the rankings by words and identifiers take part.
        by_meaning: whether the one by vector does.
        pool: how many candidates each contributes.
    """

    terms: QueryTerms
    names: Mapping[str, float]
    by_words: bool
    by_meaning: bool
    pool: int


class Found(NamedTuple):
    """What the scorers read of a candidate."""

    chunk: int
    document: int
    header: str
    words: str
    length: int
    names: list[str]
    wholes: int
    cosine: float | None


async def search(
    connect: Connect,
    cache: StatisticsCache,
    query: Query,
    vector: Vectors | None,
    fingerprint: str | None,
    hnsw: Hnsw | None,
    ranker: Executor,
) -> Rankings:
    """Rank eligible chunks by words, identifiers and vector, from one load.

    Args:
        connect: gives connections, of which up to `connecting.AT_ONCE` are held at a time.
        cache: of the same index.
        query: what is asked.
        vector: its unit vector, or None.
        fingerprint: whose vector that is; a load of another fingerprint has no vector ranking.
        hnsw: settings of the approximate index; None to search exactly.
        ranker: runs what would hold the event loop for too long: a log keeps the scorer busy.
    """
    terms = query_terms(query.text)
    async with connect() as connection:
        known = await cache.get(connection, terms)
    if known is None:
        return Rankings(load=None)
    names = chosen_identifiers(terms, known.names, known.chunks)
    by_words, by_meaning = query.mode != "vector", query.mode != "lexical"
    by_meaning = by_meaning and vector is not None and fingerprint == known.fingerprint
    if not (by_meaning and vector is not None and np.isfinite(vector).all()):
        vector = None
    matching, identified, nearest = await asyncio.gather(
        _matching(connect, known, query, terms) if by_words else _nothing(),
        _identified(connect, known, query, names) if by_words and names else _nothing(),
        _nearest(connect, known, query, vector, hnsw) if vector is not None else _nothing(),
    )
    found = await _read(connect, known, {*matching, *identified, *nearest}, vector)
    asked = Asked(terms, names, by_words, by_meaning, query.pool)
    return await asyncio.get_running_loop().run_in_executor(
        ranker, _rank, known, asked, found, identified, nearest
    )


async def fetch(connection: Connection, chunks: Sequence[int], load: int) -> list[FetchedChunk]:
    """Bodies in the given order, without those that `load` doesn't show or that lost trust."""
    async with connection.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(SQL["fetch"], {"chunks": list(chunks), "load": load})
        found = {row["id"]: _fetched(row) for row in await cursor.fetchall()}
    return [found[chunk] for chunk in chunks if chunk in found]


def _rank(
    known: Statistics,
    asked: Asked,
    found: Sequence[Found],
    identified: Sequence[int],
    nearest: Sequence[int],
) -> Rankings:
    """Score what was read of the candidates, and put each ranking in order."""
    rankings: dict[str, tuple[int, ...]] = {}
    values: dict[int, float] = {}
    scores: dict[int, float] = {}
    coverage = 0.0
    if asked.by_words:
        scorer = LexicalScorer(
            asked.terms,
            {word: known.words[word] for word in asked.terms.words},
            known.chunks,
            known.average_length,
        )
        values = _identifier_values(found, asked.names)
        scores, coverage = score_lexically(
            scorer, [ScoredChunk(row.chunk, row.header, row.words, row.length) for row in found]
        )
        rankings["identifiers"] = top(
            {chunk: values[chunk] for chunk in identified if chunk in values}, asked.pool
        )
        rankings["lexical"] = top(scores, asked.pool)
    if asked.by_meaning:
        cosines = {row.chunk: row.cosine for row in found if row.cosine is not None}
        rankings["vector"] = top(
            {chunk: cosines[chunk] for chunk in nearest if chunk in cosines}, asked.pool
        )
    by_id = {row.chunk: row for row in found}
    return assemble(
        known.load,
        rankings,
        lexical=scores,
        identifiers=values,
        details=lambda chunks: [(by_id[chunk].document, by_id[chunk].cosine) for chunk in chunks],
        coverage=coverage,
    )


async def _matching(
    connect: Connect, known: Statistics, query: Query, terms: QueryTerms
) -> list[int]:
    """Candidates by words, OR-joined behind the rare-word gate (see `ranking.steps`)."""
    frequencies = {word: known.words[word] for word in terms.words}
    filtered = query.corpus is not None or query.service is not None
    found: dict[int, None] = {}
    async with connect() as connection:
        for step in steps(frequencies, known.chunks):
            values = _filters(known, query) | {
                **_lookups(step),
                "weights": [
                    idf(frequencies[word], known.chunks) * terms.words[word] ** 0.5
                    for word in step.words
                ],
                "classes": CLASSES,
                "base": 1.0 - B,
                "slope": B / max(known.average_length, 1.0),
                "header": HEADER_WEIGHT,
                "saturation": K1,
                "limit": 2 * query.pool,
            }
            cursor = await connection.execute(SQL["matching"], values)
            found.update(dict.fromkeys(row[0] for row in await cursor.fetchall()))
            if len(found) >= query.pool or not (filtered or step.together):
                break
    return list(found)


async def _identified(
    connect: Connect, known: Statistics, query: Query, names: Mapping[str, float]
) -> list[int]:
    """Candidates by identifiers, from the rarest up until there are enough.

    A pasted log holds dozens, and a common one adds little to a candidate and much to the work.
    """
    found: dict[int, None] = {}
    async with connect() as connection:
        for step in steps({name: known.names[name] for name in names}, known.chunks):
            if step.together:
                continue
            worth = [names[name] for name in step.words]
            values = _filters(known, query) | {
                "names": list(step.words),
                "whole": [round(UNIT * identifier_value(value, True)) for value in worth],
                "piece": [round(UNIT * identifier_value(value, False)) for value in worth],
                "limit": query.pool,
            }
            cursor = await connection.execute(SQL["identified"], values)
            found.update(dict.fromkeys(row[0] for row in await cursor.fetchall()))
            if len(found) >= query.pool:
                break
    return list(found)


async def _nearest(
    connect: Connect, known: Statistics, query: Query, vector: Vectors, hnsw: Hnsw | None
) -> list[int]:
    """Nearest chunks, exactly, or by the approximate index where that is good enough."""
    if known.tables is None:
        return []
    limit = round(query.pool * SLACK)
    values = _filters(known, query) | {"vector": HalfVector(vector), "limit": limit}
    filtered = query.corpus is not None or query.service is not None
    approximately = hnsw is not None and not filtered and (known.recall or 0.0) >= hnsw.min_recall
    async with connect() as connection:
        await know_vectors(connection)
        if hnsw is not None and approximately:
            found = await near(connection, known.tables, hnsw, values, query.pool)
            if len(found) >= min(query.pool, known.chunks):
                return found
        cursor = await connection.execute(SQL.on("nearest", known.tables), values)
        return [row[0] for row in await cursor.fetchall()]


async def _read(
    connect: Connect, known: Statistics, chunks: set[int], vector: Vectors | None
) -> list[Found]:
    """Candidates by id, in order."""
    if not chunks:
        return []
    values: dict[str, Any] = {"chunks": sorted(chunks)}
    async with connect() as connection:
        if vector is None or known.tables is None:
            cursor = await connection.execute(SQL["scored"], values)
        else:
            await know_vectors(connection)
            statement = SQL.on("scored_with_cosine", known.tables)
            cursor = await connection.execute(statement, values | {"vector": Vector(vector)})
        return sorted(Found(*row) for row in await cursor.fetchall())


async def _nothing() -> list[int]:
    return []


def _filters(known: Statistics, query: Query) -> dict[str, Any]:
    clean = Cleaner()
    return {
        "load": known.load,
        "corpus": clean.maybe(query.corpus),
        "service": clean.maybe(query.service),
    }


def _lookups(step: Step) -> dict[str, list[str]]:
    """Each word as a tsquery of one lexeme; with AND, only chunks that match them all."""
    words = [_lexeme(word) for word in step.words]
    matches = [" & ".join(words)] * len(words) if step.together else words
    return {"words": words, "matches": matches}


def _lexeme(word: str) -> str:
    """A word as a quoted lexeme of a tsquery, so nothing in it is an operator."""
    return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'"


def _identifier_values(found: Sequence[Found], names: Mapping[str, float]) -> dict[int, float]:
    """Sum of what each candidate's identifiers are worth, in the order of the query."""
    values: dict[int, float] = {}
    order = {name: number for number, name in enumerate(names)}
    for row in found:
        if held := names.keys() & row.names:
            wholes = set(row.names[: row.wholes])
            values[row.chunk] = sum(
                identifier_value(names[name], name in wholes)
                for name in sorted(held, key=order.__getitem__)
            )
    return values


def _fetched(row: Mapping[str, Any]) -> FetchedChunk:
    return fetched_chunk(
        row,
        modified_at=row["modified_at"],
        identifiers=tuple(row["names"][: row["wholes"]]),
        metadata=row["metadata"],
    )
