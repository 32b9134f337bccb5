"""Keeps a query's own source out of its answer.

A query that was made from an incident would find the report of that incident first. That says how
well texts match themselves, not what the next incident will find.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from orrery_knowledge.fusion import Fused
from orrery_knowledge.models import FetchedChunk, Rankings

Found = Sequence[tuple[Fused, FetchedChunk]]


def without(rankings: Rankings, found: Found, held_out: Collection[str]) -> tuple[Rankings, Found]:
    """The same answer as if these documents were not in it; the others keep their order.

    Coverage belongs to the best lexical candidate. Where that one leaves, the coverage shrinks as
    the best lexical score does: an estimate, since only the index knows the words of the next one.

    Args:
        rankings: what was found.
        found: all of it with bodies, best first.
        held_out: paths of documents.
    """
    if not held_out:
        return rankings, found
    kept = [(item, body) for item, body in found if body.path not in held_out]
    gone = {item.chunk for item, body in found if body.path in held_out}
    candidates = {id_: c for id_, c in rankings.candidates.items() if id_ not in gone}
    best = max((c.lexical for c in rankings.candidates.values()), default=0.0)
    left = max((c.lexical for c in candidates.values()), default=0.0)
    return (
        rankings.model_copy(
            update={
                "rankings": {
                    name: tuple(chunk for chunk in chunks if chunk not in gone)
                    for name, chunks in rankings.rankings.items()
                },
                "candidates": candidates,
                "coverage": rankings.coverage * left / best if best > 0.0 else rankings.coverage,
            }
        ),
        kept,
    )
