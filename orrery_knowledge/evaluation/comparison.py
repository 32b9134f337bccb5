"""The same queries by words, by meaning, and by both with each way of fusing them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from orrery_knowledge.evaluation.datasets import LabelledQuery
from orrery_knowledge.evaluation.held_out import without
from orrery_knowledge.evaluation.intervals import interval, paired_difference
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.models import Fusion, Mode, Model, Query
from orrery_knowledge.protocols import Embedder, KnowledgeIndex
from orrery_knowledge.retrieval import Retrieval

Sections = Mapping[tuple[str, str], float]
"""Sections with their scores, best first."""

DEFAULT = "both, scores"
"""What a search does by default, which the others are compared with."""

VARIANTS: Mapping[str, tuple[Mode, Fusion]] = {
    "words": ("lexical", "scores"),
    "meaning": ("vector", "scores"),
    DEFAULT: ("hybrid", "scores"),
    "both, rrf": ("hybrid", "rrf"),
    "both, weighted": ("hybrid", "weighted"),
}


class Variant(Model):
    """How one variant did.

    Attributes:
        name: of the variant.
        queries: answerable ones.
        ndcg_10: their mean.
        interval: of the mean, 95 %.
        difference: to the default's mean; None for the default itself.
        difference_interval: of the paired differences, 95 %; one that holds 0 shows no difference.
    """

    name: str
    queries: int
    ndcg_10: float
    interval: tuple[float, float]
    difference: float | None = None
    difference_interval: tuple[float, float] | None = None


async def compare_variants(
    queries: Iterable[LabelledQuery],
    index: KnowledgeIndex,
    ledger: Ledger,
    embedder: Embedder | None,
    *,
    pool: int,
    measure: Callable[[LabelledQuery, Sections], float],
) -> tuple[Variant, ...]:
    """Rank the answerable queries in every variant.

    Only rankings are compared: an alert's own runbook link or name, which routing looks at first,
    plays no part. The age of documents doesn't either, so that results stay the same.

    Args:
        queries: of a dataset.
        index: that holds its documents.
        ledger: that belongs to the index.
        embedder: None leaves only the variant by words, which is then compared with nothing.
        pool: candidates a ranking.
        measure: nDCG@10 of a query's sections.
    """
    asked = [query for query in queries if query.answerable]
    values: dict[str, list[float]] = {}
    for name, (mode, fusion) in VARIANTS.items():
        if embedder is None and mode != "lexical":
            continue
        retrieval = Retrieval(index, ledger, embedder, fusion=fusion, age_penalty=0.0)
        values[name] = [
            measure(query, await _sections(retrieval, query, mode, pool)) for query in asked
        ]
    return tuple(_variant(name, found, values.get(DEFAULT)) for name, found in values.items())


async def _sections(
    retrieval: Retrieval, query: LabelledQuery, mode: Mode, pool: int
) -> dict[tuple[str, str], float]:
    asked = Query(text=query.searched, mode=mode, per_document=0, pool=pool)
    _, found = without(*await retrieval.rank(asked), query.held_out)
    sections: dict[tuple[str, str], float] = {}
    for item, body in found:
        sections.setdefault((body.path, body.chunk.anchor), item.score)
    return sections


def _variant(name: str, found: Sequence[float], default: Sequence[float] | None) -> Variant:
    if not found:
        return Variant(name=name, queries=0, ndcg_10=0.0, interval=(0.0, 0.0))
    own = interval(found)
    variant = Variant(
        name=name,
        queries=len(found),
        ndcg_10=round(own.mean, 4),
        interval=(round(own.low, 4), round(own.high, 4)),
    )
    if default is None or name == DEFAULT:
        return variant
    gap = paired_difference(default, found)
    return variant.model_copy(
        update={
            "difference": round(gap.mean, 4),
            "difference_interval": (round(gap.low, 4), round(gap.high, 4)),
        }
    )
