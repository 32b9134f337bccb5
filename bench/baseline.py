"""As little as a hybrid search can be: bm25s and numpy in this process, nothing durable."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import bm25s
import numpy as np
import Stemmer
from numpy.typing import NDArray

from bench.corpus import Batch
from bench.engines import Answer
from bench.queries import PASSAGES, POOL, Asked
from orrery_knowledge.fusion import RRF_K
from orrery_knowledge.preparation import embedding_text
from orrery_knowledge.protocols import Vectors


class BaselineEngine:
    """Scores every row, keeps the best of each list, and fuses the two by rank."""

    name = "baseline"

    def __init__(self) -> None:
        self._stem = Stemmer.Stemmer("english")
        self._bodies: list[str] = []
        self._services: list[str] = []
        self._eligible: list[bool] = []
        self._parts: list[Vectors] = []
        self._words = bm25s.BM25()

    async def add(self, batch: Batch) -> None:
        """See `Engine.add`."""
        self._parts.append(batch.vectors)
        for document in batch.documents:
            for item in document.chunks:
                self._bodies.append(embedding_text(item.chunk))
                self._services.append(document.service or "")
                self._eligible.append(document.eligible)

    async def finish(self) -> None:
        """See `Engine.finish`."""
        tokens = bm25s.tokenize(
            self._bodies, stopwords="en", stemmer=self._stem, show_progress=False
        )
        self._words.index(tokens, show_progress=False)
        self._matrix = np.concatenate(self._parts)
        self._parts.clear()
        self._allowed = np.array(self._eligible)
        self._names = np.array(self._services)

    async def search(self, asked: Asked, *, shared: bool = False) -> Answer:
        """See `Engine.search`."""
        return await asyncio.to_thread(self._search, asked) if shared else self._search(asked)

    def cpu_seconds(self) -> float:
        """See `Engine.cpu_seconds`."""
        return time.process_time()

    async def size(self) -> int:
        """Bytes of the arrays and texts that it keeps."""
        arrays: list[NDArray[Any]] = [self._matrix, self._allowed, self._names]
        arrays += [one for one in self._words.scores.values() if isinstance(one, np.ndarray)]
        return sum(one.nbytes for one in arrays) + sum(len(text) for text in self._bodies)

    async def close(self) -> None:
        """See `Engine.close`."""

    def _search(self, asked: Asked) -> Answer:
        [tokens] = bm25s.tokenize(
            asked.text,
            stopwords="en",
            stemmer=self._stem,
            return_ids=False,
            show_progress=False,
        )
        allowed = self._allowed
        if asked.service is not None:
            allowed = allowed & (self._names == asked.service)
        fused: dict[int, float] = {}
        for scores in (self._lexical(tokens), self._matrix @ asked.vector):
            for rank, row in enumerate(_best(scores, allowed), start=1):
                fused[row] = fused.get(row, 0.0) + 1.0 / (RRF_K + rank)
        found = sorted(fused, key=lambda row: (-fused[row], row))[:POOL]
        return Answer(len(found), tuple(self._bodies[row] for row in found[:PASSAGES]))

    def _lexical(self, tokens: list[str]) -> NDArray[np.float32]:
        known = [token for token in dict.fromkeys(tokens) if token in self._words.vocab_dict]
        if not known:
            return np.zeros(len(self._bodies), dtype=np.float32)
        return np.asarray(self._words.get_scores(known))


def _best(scores: NDArray[np.float32], allowed: NDArray[np.bool_]) -> list[int]:
    """Rows of the highest scores above zero, best first, ties by row."""
    values = np.where(allowed & (scores > 0.0), scores, -np.inf)
    count = min(POOL, int(np.isfinite(values).sum()))
    if not count:
        return []
    rows = np.argpartition(-values, count - 1)[:count]
    return [int(row) for row in rows[np.lexsort((rows, -values[rows]))]]
