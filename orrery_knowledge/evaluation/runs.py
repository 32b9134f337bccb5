"""Runs a dataset through the real pipeline, in an index that nothing else can see."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from orrery_knowledge.confidence import confidence
from orrery_knowledge.errors import KnowledgeError
from orrery_knowledge.evaluation.datasets import DOCUMENT_GLOBS, Dataset, LabelledQuery
from orrery_knowledge.evaluation.held_out import without
from orrery_knowledge.evaluation.metrics import Judged
from orrery_knowledge.evaluation.workspace import workspace
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.governance.shown import shown_path
from orrery_knowledge.models import Mode, Model, Query, SyncReport
from orrery_knowledge.protocols import Embedder, KnowledgeIndex
from orrery_knowledge.retrieval import Retrieval
from orrery_knowledge.sources.filesystem import FilesystemSource, FilesystemSourceConfig
from orrery_knowledge.sync import Progress, SyncOptions, sync

POOL = 400
"""Candidates a ranking: deep enough that a hundred sections are ranked."""

DEPTH = 100
"""Sections of a query that a run file lists at most."""

Target = tuple[str, str]


class Ranked(NamedTuple):
    """One query's answer: sections with fused scores, best first, and the confidence."""

    sections: tuple[tuple[Target, float], ...]
    confidence: float


class Scores(Model):
    """Means over the answerable queries of one kind, at section level where labels have it."""

    queries: int
    recall_5: float
    precision_5: float
    mrr_10: float
    ndcg_10: float
    document_recall_1: float
    document_recall_5: float


class Evaluation(Model):
    """What a run found.

    Attributes:
        mode: which rankings took part.
        scores: by kind, and ``"all"``.
        confidence: mean confidence by ``"answerable"``, ``"far"``, ``"near"``.
        sync: how the documents were indexed; what was quarantined can't be found.
        warnings: labels that are odd, and labelled documents that the index doesn't hold.
    """

    dataset: str
    mode: Mode
    scores: dict[str, Scores]
    confidence: dict[str, float]
    sync: SyncReport
    warnings: tuple[str, ...] = ()


async def run_dataset(
    dataset: Dataset,
    make_index: Callable[[Path], KnowledgeIndex],
    embedder: Embedder | None,
    *,
    mode: Mode = "hybrid",
    chunk_size: int = 800,
    progress: Progress | None = None,
    on_query: Callable[[int, int], None] | None = None,
) -> tuple[Evaluation, dict[str, Ranked]]:
    """Index the dataset's documents in a folder of its own, rank every query, score, clean up.

    Nothing is written anywhere else, so no evaluation can leak into what agents find. The
    documents count as reviewed there; screening applies as always.

    Args:
        dataset: what to ask.
        make_index: gives an empty index that nobody else sees; it is destroyed in the end.
        embedder: None for search by words alone.
        mode: which rankings take part.
        chunk_size: in characters.
        progress: told while documents are indexed.
        on_query: told (done, all) while queries are ranked.
    """
    with workspace() as state:
        index = make_index(state)
        ledger = Ledger(state / "ledger.db")
        source = FilesystemSource(
            FilesystemSourceConfig(
                id="eval",
                corpus="eval",
                path=str(dataset.documents.resolve()),
                paths=DOCUMENT_GLOBS,
                trust="reviewed",
            ),
            root=state,
            state=state,
        )
        retrieval = Retrieval(index, ledger, embedder)
        try:
            await ledger.open()
            options = SyncOptions(chunk_size=chunk_size)
            report = await sync(index, ledger, [source], embedder, options, progress)
            if not report.activated:
                reasons = "; ".join(f"{e.source}: {e.reason}" for e in report.errors[:3])
                raise KnowledgeError(f"{dataset.folder.name}: nothing was indexed: {reasons}")
            lost = _not_indexed(dataset, {path for _, _, path, _ in await index.visible()})
            ranked = {}
            for number, query in enumerate(dataset.queries, start=1):
                ranked[query.id] = await _rank(retrieval, query, mode)
                if on_query is not None:
                    on_query(number, len(dataset.queries))
        finally:
            await source.close()
            await asyncio.shield(index.destroy())
            await retrieval.close()
    found = _evaluate(dataset, mode, ranked, report)
    return found.model_copy(update={"warnings": (*dataset.warnings, *lost)}), ranked


def _not_indexed(dataset: Dataset, indexed: Set[str]) -> Iterator[str]:
    """Labelled documents that no query can find."""
    counts: dict[str, int] = {}
    for grades in dataset.qrels.values():
        for document in {document for (document, _), grade in grades.items() if grade}:
            counts[document] = counts.get(document, 0) + 1
    for document, count in sorted(counts.items()):
        if document not in indexed:
            yield f"{shown_path(document)} answers {count} queries, and is not indexed"


async def _rank(retrieval: Retrieval, query: LabelledQuery, mode: Mode) -> Ranked:
    asked = Query(text=query.searched, mode=mode, per_document=0, pool=POOL)
    rankings, found = without(*await retrieval.rank(asked), query.held_out)
    sections: dict[Target, float] = {}
    for item, body in found:
        sections.setdefault((body.path, body.chunk.anchor), item.score)
    best = found[0][1] if found else None
    return Ranked(tuple(sections.items())[:DEPTH], confidence(rankings, query.searched, best))


def _evaluate(
    dataset: Dataset, mode: Mode, ranked: Mapping[str, Ranked], report: SyncReport
) -> Evaluation:
    by_kind: dict[str, list[Scores]] = {}
    for query in dataset.queries:
        if query.answerable:
            score = _score(ranked[query.id], dataset.qrels[query.id])
            for kind in ("all", query.kind):
                by_kind.setdefault(kind, []).append(score)
    sure: dict[str, list[float]] = {}
    for query in dataset.queries:
        group = "answerable" if query.answerable else (query.no_answer or "unanswerable")
        sure.setdefault(group, []).append(ranked[query.id].confidence)
    return Evaluation(
        dataset=dataset.folder.name,
        mode=mode,
        scores={kind: _mean(scores) for kind, scores in by_kind.items()},
        confidence={group: round(mean(values), 4) for group, values in sure.items()},
        sync=report,
    )


def _score(ranked: Ranked, grades: Mapping[Target, int]) -> Scores:
    sections = [_label(target, grades) for target, _ in ranked.sections]
    judged = Judged(sections, grades)
    documents: dict[str, int] = {}
    for (document, _), grade in grades.items():
        documents[document] = max(documents.get(document, 0), grade)
    by_document = Judged([target[0] for target, _ in ranked.sections], documents)
    return Scores(
        queries=1,
        recall_5=judged.recall(5),
        precision_5=judged.precision(5),
        mrr_10=judged.reciprocal_rank(),
        ndcg_10=judged.ndcg(),
        document_recall_1=by_document.recall(1),
        document_recall_5=by_document.recall(5),
    )


def _label(target: Target, grades: Mapping[Target, int]) -> Target:
    """A label without a section is met by any section of its document."""
    whole = (target[0], "")
    return whole if target not in grades and whole in grades else target


def _mean(scores: Sequence[Scores]) -> Scores:
    fields = [name for name in Scores.model_fields if name != "queries"]
    means = {name: round(mean(getattr(score, name) for score in scores), 4) for name in fields}
    return Scores(queries=len(scores), **means)


def write_run(file: Path, ranked: Mapping[str, Ranked]) -> None:
    """Write a TREC-like run: query-id, rank, document#anchor, score; tab-separated."""
    with file.open("w", encoding="utf-8") as out:
        for query, answer in ranked.items():
            for rank, ((document, anchor), score) in enumerate(answer.sections, start=1):
                target = f"{document}#{anchor}" if anchor else document
                out.write(f"{query}\t{rank}\t{target}\t{score:.6f}\n")


def write_confidence(file: Path, ranked: Mapping[str, Ranked]) -> None:
    """Write query-id and confidence, tab-separated."""
    with file.open("w", encoding="utf-8") as out:
        for query, answer in ranked.items():
            out.write(f"{query}\t{answer.confidence:.6f}\n")
