"""Is the answer there at all? Judged on raw signals, never on fused scores.

Fused scores say nothing here: the best candidate of an off-topic query also ranks first. Until
calibration per embedder exists, the confidence is the top cosine, or, without vectors, the share of
the query's information that the best lexical candidate holds.
"""

from __future__ import annotations

import math

from orrery_knowledge.models import Rankings

CONFIDENT = 0.45
"""Confidence from which an answer counts as one."""

FLOOR = 0.2
"""Below this, and without any word or identifier in common, nothing was found."""

COVERAGE_FLOOR = 0.15
"""Share of the query's information below which matching words alone are no answer."""


def confidence(rankings: Rankings) -> float:
    """Confidence in [0, 1] that the candidates hold an answer."""
    cosines = [c.vector for c in rankings.candidates.values() if c.vector is not None]
    finite = [cosine for cosine in cosines if math.isfinite(cosine)]
    value = max(finite) if finite else rankings.coverage
    return min(max(value, 0.0), 1.0) if math.isfinite(value) else 0.0


def found_something(rankings: Rankings) -> bool:
    """Whether any candidate reaches a floor; else the answer is an honest `no_match`."""
    candidates = rankings.candidates.values()
    return (
        any(candidate.identifiers > 0.0 for candidate in candidates)
        or any(c.vector is not None and c.vector >= FLOOR for c in candidates)
        or rankings.coverage >= COVERAGE_FLOOR
    )
