"""What every search reads of all chunks, as numpy arrays cached once a process."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from orrery_knowledge.backends.statements import load_statements
from orrery_knowledge.protocols import Vectors

SQL = load_statements("orrery_knowledge.backends.sqlite", "search.sql")


@dataclass(frozen=True)
class Snapshot:
    """The searchable chunks of one generation, row by row in order of chunk id.

    Attributes:
        generation: the index's counter of visible changes.
        load: the active load.
        fingerprint: whose vectors `matrix` holds.
        ids: chunk ids, ascending, shape (n,).
        documents: document ids, shape (n,).
        lengths: of each chunk in words, shape (n,).
        corpora: corpus of each chunk, shape (n,).
        services: service of each chunk, "" for none, shape (n,).
        matrix: unit vectors, shape (n, dimensions); rows of chunks without a vector are NaN. None
            when the load has no fingerprint.
        average_length: mean chunk length in words.
        frequencies: document frequencies that were looked up so far.
        names: identifier frequencies that were looked up so far.
        turn: held by the one search that scores. Scoring holds the interpreter anyway, and an event
            loop that wants it would have to wait for each thread that does, not for one.
    """

    generation: int
    load: int
    fingerprint: str | None
    ids: NDArray[np.int64]
    documents: NDArray[np.int64]
    lengths: NDArray[np.int64]
    corpora: NDArray[np.str_]
    services: NDArray[np.str_]
    matrix: Vectors | None
    average_length: float
    frequencies: dict[str, int] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)
    turn: threading.Lock = field(default_factory=threading.Lock)

    def mask(self, corpus: str | None, service: str | None) -> NDArray[np.bool_] | None:
        """Which chunks a filter lets through; None for all."""
        mask: NDArray[np.bool_] | None = None
        if corpus is not None:
            mask = self.corpora == corpus
        if service is not None:
            by_service = self.services == service
            mask = by_service if mask is None else mask & by_service
        return mask

    def held(self, chunks: list[int]) -> list[int]:
        """Those that are here: search tables outlive rows that somebody deleted behind our back."""
        found = np.asarray(chunks, dtype=np.int64)
        held: list[int] = found[self.rows(found)[1]].tolist()
        return held

    def rows(self, chunks: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Rows of those chunk ids that are here, and which ids those are."""
        if not len(self.ids):
            return np.empty(0, dtype=np.intp), np.zeros(len(chunks), dtype=np.bool_)
        rows = np.minimum(np.searchsorted(self.ids, chunks), len(self.ids) - 1)
        here = self.ids[rows] == chunks
        return rows[here], here

    def positions(self, chunks: Sequence[int]) -> NDArray[np.intp]:
        """Rows of chunk ids, all of which are known to be here."""
        return np.searchsorted(self.ids, np.asarray(chunks, dtype=np.int64))


class SnapshotCache:
    """Keeps the newest snapshot; a change reads only the vectors that weren't there before."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._newest: tuple[object, Snapshot] | None = None

    def get(self, db: sqlite3.Connection, file: object = None) -> Snapshot | None:
        """The snapshot of the transaction that `db` is in; None before the first load.

        Args:
            db: a connection inside a transaction.
            file: what it reads; an index that was built anew counts its generations from 0.
        """
        pointer = db.execute(SQL["pointer"]).fetchone()
        if not pointer["active"]:
            return None
        cached = self._of(file)
        if cached is not None and cached.generation == pointer["generation"]:
            return cached
        with self._lock:
            cached = self._of(file)
            if cached is not None and cached.generation == pointer["generation"]:
                return cached
            fresh = _read(db, pointer, cached)
            if cached is None or fresh.generation > cached.generation:
                self._newest = file, fresh
            return fresh

    def _of(self, file: object) -> Snapshot | None:
        newest = self._newest
        return newest[1] if newest is not None and newest[0] == file else None


def _read(db: sqlite3.Connection, pointer: sqlite3.Row, cached: Snapshot | None) -> Snapshot:
    load, fingerprint = pointer["active"], pointer["fingerprint"]
    rows = db.execute(SQL["searchable"], {"load": load}).fetchall()
    ids = np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))
    lengths = np.fromiter((row[2] for row in rows), dtype=np.int64, count=len(rows))
    return Snapshot(
        generation=pointer["generation"],
        load=load,
        fingerprint=fingerprint,
        ids=ids,
        documents=np.fromiter((row[1] for row in rows), dtype=np.int64, count=len(rows)),
        lengths=lengths,
        corpora=np.array([row[3] for row in rows], dtype=np.str_),
        services=np.array([row[4] or "" for row in rows], dtype=np.str_),
        matrix=_matrix(db, fingerprint, ids, cached) if fingerprint else None,
        average_length=int(lengths.sum()) / len(lengths) if len(lengths) else 1.0,
    )


def _matrix(
    db: sqlite3.Connection, fingerprint: str, ids: NDArray[np.int64], cached: Snapshot | None
) -> Vectors | None:
    old_ids = np.empty(0, dtype=np.int64)
    old: Vectors | None = None
    if cached is not None and cached.fingerprint == fingerprint and cached.matrix is not None:
        old_ids, old = cached.ids, cached.matrix
    new = ids[~np.isin(ids, old_ids)]
    found_ids: list[int] = []
    blobs: list[bytes] = []
    if len(new):
        bounds = {"fingerprint": fingerprint, "first": int(new[0]), "last": int(new[-1])}
        for chunk, value in db.execute(SQL["vectors"], bounds):
            found_ids.append(chunk)
            blobs.append(value)
    if not blobs:
        dimensions = old.shape[1] if old is not None else 0
        fetched: Vectors = np.empty((0, dimensions), dtype=np.float32)
    else:
        fetched = np.frombuffer(b"".join(blobs), dtype="<f4").reshape(len(blobs), -1)
    if old is None and not blobs:
        return None
    # A row without a vector must have no cosine; 0 would rank above a negative one.
    matrix: Vectors = np.full((len(ids), fetched.shape[1]), np.nan, dtype=np.float32)
    if old is not None:
        kept = np.isin(ids, old_ids)
        matrix[kept] = old[np.searchsorted(old_ids, ids[kept])]
    at = np.asarray(found_ids, dtype=np.int64)
    wanted = np.isin(at, new)
    matrix[np.searchsorted(ids, at[wanted])] = fetched[wanted]
    return matrix
