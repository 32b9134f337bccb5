"""The one function that fuses rankings, for every backend."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from orrery_knowledge.models import Fusion, Rankings

RRF_K = 60
"""Constant of Reciprocal Rank Fusion (Cormack, Clarke and Buettcher 2009)."""

RANK_WEIGHTS: Mapping[str, float] = {"vector": 0.7, "lexical": 0.3}
"""Weights of the positions in the rankings, of method ``weighted``."""

SCORE_WEIGHTS: Mapping[str, float] = {"lexical": 0.5, "identifiers": 0.05, "vector": 0.5}
"""Weights of the normalised scores; chosen on data, see ``docs/reference/search-quality.md``."""


class Fused(NamedTuple):
    """One chunk with its fused score (higher is better) and its rank, from 1, in each ranking."""

    chunk: int
    document: int
    score: float
    ranks: dict[str, int]


def fuse(rankings: Rankings, method: Fusion = "scores") -> list[Fused]:
    """Merge rankings into one order, best first.

    ``scores`` sums each scale's score over its maximum, weighted; every candidate has every score,
    so no list outvotes another by rank alone. ``rrf`` sums 1 / (60 + rank). ``weighted`` sums the
    weights `RANK_WEIGHTS`, each times the share of its ranking that comes no earlier. Identifiers
    count in the lexical score as well, so the two that go by rank leave their ranking out where
    there is a lexical one. Where a ranking has no scale of ours (a managed retriever's), ranks are
    all there is to go by, so ``rrf`` is taken. The order is total: NaN counts as the lowest score,
    ties are broken by chunk id.

    Args:
        rankings: what a retriever found.
        method: how to fuse; a retriever that returns a single ranking keeps its order either way.
    """
    ranks: dict[int, dict[str, int]] = {chunk: {} for chunk in rankings.candidates}
    for name, chunks in rankings.rankings.items():
        for rank, chunk in enumerate(chunks, start=1):
            if chunk in ranks:
                ranks[chunk].setdefault(name, rank)
    if not _scored(rankings):
        score = _rrf(ranks)
    elif method == "scores":
        score = _scores(rankings)
    else:
        voting = {
            chunk: {name: rank for name, rank in by_name.items() if _votes(name, rankings)}
            for chunk, by_name in ranks.items()
        }
        score = _rrf(voting) if method == "rrf" else _weighted(voting, rankings)
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


def within_reach(fused: Sequence[Fused], count: int, penalty: float) -> list[Fused]:
    """Those that can be among the first `count` once each has lost up to `penalty` of its score.

    Args:
        fused: best first.
        count: how many will be kept.
        penalty: share that any of them may lose, in [0, 1).
    """
    if len(fused) <= count:
        return list(fused)
    least = fused[count - 1].score * (1.0 - penalty)
    return [item for place, item in enumerate(fused) if place < count or item.score > least]


def aged(item: Fused, age_days: int | None, fresh_days: int, penalty: float) -> Fused:
    """Take from old advice up to `penalty` of its score: the newer of two equals comes first.

    Nothing until it is `fresh_days` old; from there ``penalty * (1 - fresh_days / age)``, half of
    the penalty at twice that age. What is much better stays first however old it is.

    Args:
        item: a chunk.
        age_days: since its document was last changed; None when unknown, which costs nothing.
        fresh_days: how long advice counts as fresh, at least one day.
        penalty: share of the score that it loses at most, in [0, 1).
    """
    if age_days is None or age_days <= fresh_days:
        return item
    return item._replace(score=item.score * (1.0 - penalty * (1.0 - fresh_days / age_days)))


def _votes(name: str, rankings: Rankings) -> bool:
    return name != "identifiers" or "lexical" not in rankings.rankings


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


def _weighted(ranks: Mapping[int, Mapping[str, int]], rankings: Rankings) -> dict[int, float]:
    return {
        chunk: math.fsum(
            RANK_WEIGHTS.get(name, RANK_WEIGHTS["lexical"])
            * (1.0 - (rank - 1) / len(rankings.rankings[name]))
            for name, rank in by_name.items()
        )
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
