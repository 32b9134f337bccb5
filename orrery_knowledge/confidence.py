"""Is the answer there at all? Judged on raw signals, never on fused scores.

Fused scores say nothing here: the best candidate of an off-topic query also ranks first. Until
calibration per embedder exists, the confidence is the top cosine, or, without vectors, the share of
the query's information that the best lexical candidate holds (its coverage). A name says little to
an embedder, so what a passage says word for word counts as a second, independent sign: see
`EXACT_WEIGHT`.
"""

from __future__ import annotations

import math

from orrery_knowledge.identifiers import query_terms
from orrery_knowledge.models import FetchedChunk, Rankings

CONFIDENT = 0.45
"""Confidence from which an answer counts as one."""

FLOOR = 0.2
"""Below this, and without any word or identifier in common, nothing was found."""

COVERAGE_FLOOR = 0.15
"""Share of the query's information below which matching words alone are no answer."""

EXACT_WEIGHT = 0.3
"""How sure an exact identifier alone makes, where it is all that was asked for.

With coverage c and top cosine s the confidence is then ``1 - (1 - s) * (1 - EXACT_WEIGHT * c)``: a
noisy or, in which either sign can only add. An identifier in passing (c near 0) adds next to
nothing.
"""

RARE = 2.0
"""Identifier score (weight * idf) from which an identifier is rare: about one chunk in seven."""


def confidence(rankings: Rankings, query: str = "", best: FetchedChunk | None = None) -> float:
    """Confidence in [0, 1] that the candidates hold an answer.

    Args:
        rankings: what was found.
        query: what was asked.
        best: the passage that would be shown first.
    """
    cosines = [c.vector for c in rankings.candidates.values() if c.vector is not None]
    finite = [cosine for cosine in cosines if math.isfinite(cosine)]
    value = max(finite) if finite else rankings.coverage
    if best is not None and _names_exactly(rankings, query, best):
        value = 1.0 - (1.0 - value) * (1.0 - EXACT_WEIGHT * rankings.coverage)
    return min(max(value, 0.0), 1.0) if math.isfinite(value) else 0.0


def found_something(rankings: Rankings) -> bool:
    """Whether any candidate reaches a floor; else the answer is an honest `no_match`."""
    candidates = rankings.candidates.values()
    return (
        any(candidate.identifiers > 0.0 for candidate in candidates)
        or any(c.vector is not None and c.vector >= FLOOR for c in candidates)
        or rankings.coverage >= COVERAGE_FLOOR
    )


def _names_exactly(rankings: Rankings, query: str, best: FetchedChunk) -> bool:
    """Whether a passage holds a rare identifier of the query as it stands, pieces don't count."""
    candidate = rankings.candidates.get(best.id)
    if candidate is None or candidate.identifiers < RARE:
        return False
    asked = {name for name, weight in query_terms(query).identifiers.items() if weight == 1.0}
    return not asked.isdisjoint(best.identifiers)
