"""The one function that fuses rankings, for every backend."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Literal, NamedTuple

from orrery_knowledge.models import Rankings

RRF_K = 60
"""Constant of Reciprocal Rank Fusion (Cormack, Clarke and Buettcher 2009)."""

Method = Literal["rrf", "scores"]

SCORE_WEIGHTS: Mapping[str, float] = {"lexical": 0.5, "identifiers": 0.05, "vector": 0.5}
"""Weights of the normalised scores; chosen on data, see ``docs/guides/evaluation.md``."""


class Fused(NamedTuple):
    """One chunk with its fused score (higher is better) and its rank, from 1, in each ranking."""

    chunk: int
    document: int
    score: float
    ranks: dict[str, int]


def fuse(rankings: Rankings, method: Method = "scores") -> list[Fused]:
    """Merge rankings into one order, best first.

    ``rrf`` sums 1 / (60 + rank) over the rankings. ``scores`` sums each scale's score over its
    maximum, weighted; every candidate has every score, so no list outvotes another by rank alone.
    Where a ranking has no scale of ours (a managed retriever's), ranks are all there is to go by,
    so ``rrf`` is taken. The order is total: NaN counts as the lowest score, ties are broken by
    chunk id.

    Args:
        rankings: what a retriever found.
        method: how to fuse; a retriever that returns a single ranking keeps its order either way.
    """
    ranks: dict[int, dict[str, int]] = {chunk: {} for chunk in rankings.candidates}
    for name, chunks in rankings.rankings.items():
        for rank, chunk in enumerate(chunks, start=1):
            if chunk in ranks:
                ranks[chunk].setdefault(name, rank)
    score = _rrf(ranks) if method == "rrf" or not _scored(rankings) else _scores(rankings)
    fused = [
        Fused(chunk, candidate.document, score[chunk], ranks[chunk])
        for chunk, candidate in rankings.candidates.items()
    ]
    return sorted(fused, key=lambda item: (-item.score, item.chunk))


def best_per_document(fused: Sequence[Fused], per_document: int) -> list[Fused]:
    """Keep the best `per_document` chunks of each document, in order; 0 keeps all."""
    if per_document <= 0:
        return list(fused)
    seen: dict[int, int] = {}
    kept: list[Fused] = []
    for item in fused:
        count = seen.get(item.document, 0)
        if count < per_document:
            kept.append(item)
            seen[item.document] = count + 1
    return kept


def _scored(rankings: Rankings) -> bool:
    """Whether scores can tell the candidates apart: every ranking has a scale, one has values."""
    return rankings.rankings.keys() <= SCORE_WEIGHTS.keys() and any(
        any(_raw(rankings, name)) for name in rankings.rankings
    )


def _rrf(ranks: Mapping[int, Mapping[str, int]]) -> dict[int, float]:
    return {
        chunk: sum(1.0 / (RRF_K + rank) for rank in by_name.values())
        for chunk, by_name in ranks.items()
    }


def _scores(rankings: Rankings) -> dict[int, float]:
    total = [0.0] * len(rankings.candidates)
    for name, weight in SCORE_WEIGHTS.items():
        if name not in rankings.rankings:
            continue
        raw = _raw(rankings, name)
        highest = max(raw, default=0.0)
        if highest > 0.0:
            total = [
                before + weight * value / highest for before, value in zip(total, raw, strict=True)
            ]
    return dict(zip(rankings.candidates, total, strict=True))


def _raw(rankings: Rankings, scale: str) -> list[float]:
    """Each candidate's score on a scale, a field of `Candidate`; 0 for no positive number."""
    values = map(attrgetter(scale), rankings.candidates.values())
    return [value if value is not None and 0.0 < value < math.inf else 0.0 for value in values]
