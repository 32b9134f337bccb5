"""What a question names outright comes before what was found for its words.

An alert that links its runbook, or whose name is a heading, leaves nothing to guess. Its sections
still go the way of every passage: eligibility, screening and evidence are those of a search.
"""

from __future__ import annotations

from collections.abc import Sequence

from orrery_knowledge.confidence import Confidence
from orrery_knowledge.fusion import Fused, best_per_document
from orrery_knowledge.models import Candidate, FetchedChunk, Named, Rankings

LIFT = 2.0
"""Added to the score of a named chunk: no other one reaches it, whatever age has cost."""

PASSAGES = 3
"""Passages that a named document may contribute: of its section the parts that fit best."""

CERTAIN = 0.97
"""Confidence of what was named, if nothing else can be meant; see
``docs/guides/alert-routing.md``."""


def with_named(rankings: Rankings, named: Named | None) -> Rankings:
    """Rankings whose candidates hold what was named, found or not."""
    missing = {
        one.chunk: Candidate(one.chunk, one.document)
        for one in (named.chunks if named else ())
        if one.chunk not in rankings.candidates
    }
    if not missing:
        return rankings
    return rankings.model_copy(update={"candidates": rankings.candidates | missing})


def named_first(fused: Sequence[Fused], per_document: int, named: Named | None) -> list[Fused]:
    """What was named, in the order of its scores, then the best of every other document.

    Args:
        fused: best first.
        per_document: how many chunks of a document are kept; 0 keeps all.
        named: what comes first.
    """
    if named is None:
        return best_per_document(fused, per_document)
    chunks = {one.chunk for one in named.chunks}
    first = [item._replace(score=item.score + LIFT) for item in fused if item.chunk in chunks]
    others = [item for item in fused if item.chunk not in chunks]
    if per_document <= 0:
        return first + others
    first = best_per_document(first, max(per_document, PASSAGES))
    held = {item.document for item in first}
    return first + best_per_document([o for o in others if o.document not in held], per_document)


def is_named(body: FetchedChunk | None, named: Named | None) -> bool:
    """Whether a chunk was named."""
    return bool(body and named and any(one.chunk == body.id for one in named.chunks))


def at_least(sure: Confidence, best: FetchedChunk | None, named: Named | None) -> Confidence:
    """A confidence, raised where the first passage is what can only be meant."""
    if named and named.certain and is_named(best, named):
        return Confidence(max(sure.probability, CERTAIN), True)
    return sure
