"""Runs a dataset through the real pipeline, in an index that nothing else can see."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from orrery_knowledge.alerts import Runbooks
from orrery_knowledge.confidence import Calibration, Signals, signals
from orrery_knowledge.errors import KnowledgeError
from orrery_knowledge.evaluation.comparison import Sections, Variant, compare_variants
from orrery_knowledge.evaluation.datasets import (
    DOCUMENT_GLOBS,
    Dataset,
    LabelledQuery,
    Target,
)
from orrery_knowledge.evaluation.held_out import without
from orrery_knowledge.evaluation.intervals import interval
from orrery_knowledge.evaluation.metrics import Judged
from orrery_knowledge.evaluation.payloads import read_alert
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


class Ranked(NamedTuple):
    """One query's answer.

    Attributes:
        sections: with fused scores, best first.
        confidence: that the first one answers.
        signals: what that is read off; None when nothing was found.
    """

    sections: tuple[tuple[Target, float], ...]
    confidence: float
    signals: Signals | None = None


class Scores(Model):
    """Means over the answerable queries of one kind, at section level where labels have it."""

    queries: int
    recall_5: float
    precision_5: float
    mrr_10: float
    ndcg_10: float
    document_recall_1: float
    document_recall_5: float


MEASURES = tuple(name for name in Scores.model_fields if name != "queries")


class Evaluation(Model):
    """What a run found.

    Attributes:
        mode: which rankings took part.
        scores: by kind, and ``"all"``.
        intervals: bounds of 95 % of each mean over all, by measure; the queries are few.
        confidence: mean confidence by ``"answerable"``, ``"far"``, ``"near"``.
        sync: how the documents were indexed; what was quarantined can't be found.
        warnings: labels that are odd, and labelled documents that the index doesn't hold.
        comparison: of the ways to rank, where it was asked for.
    """

    dataset: str
    mode: Mode
    scores: dict[str, Scores]
    intervals: dict[str, tuple[float, float]]
    confidence: dict[str, float]
    sync: SyncReport
    warnings: tuple[str, ...] = ()
    comparison: tuple[Variant, ...] = ()


async def run_dataset(
    dataset: Dataset,
    make_index: Callable[[Path], KnowledgeIndex],
    embedder: Embedder | None,
    *,
    mode: Mode = "hybrid",
    chunk_size: int = 800,
    progress: Progress | None = None,
    on_query: Callable[[int, int], None] | None = None,
    calibration: Calibration | None = None,
    compare: bool = False,
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
        calibration: of the confidences; the one that is shipped if None.
        compare: whether every way to rank is measured beside `mode`.
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
        # Without a penalty for age: files grow old, and the same run must give the same scores.
        retrieval = Retrieval(index, ledger, embedder, calibration=calibration, age_penalty=0.0)
        try:
            await ledger.open()
            options = SyncOptions(chunk_size=chunk_size)
            report = await sync(index, ledger, [source], embedder, options, progress)
            if not report.activated:
                reasons = "; ".join(f"{e.source}: {e.reason}" for e in report.errors[:3])
                raise KnowledgeError(f"{dataset.name}: nothing was indexed: {reasons}")
            lost = _not_indexed(dataset, {path for _, _, path, _ in await index.visible()})
            runbooks = Runbooks(await retrieval.outline())
            ranked = {}
            for number, query in enumerate(dataset.queries, start=1):
                ranked[query.id] = await _rank(retrieval, query, mode, runbooks)
                if on_query is not None:
                    on_query(number, len(dataset.queries))
            comparison: tuple[Variant, ...] = ()
            if compare:
                comparison = await compare_variants(
                    dataset.queries,
                    index,
                    ledger,
                    embedder,
                    pool=POOL,
                    measure=lambda query, found: _ndcg(dataset, query.id, found),
                )
        finally:
            await source.close()
            await asyncio.shield(index.destroy())
            await retrieval.close()
    found = _evaluate(dataset, mode, ranked, report)
    warnings = (*dataset.warnings, *lost)
    return found.model_copy(update={"warnings": warnings, "comparison": comparison}), ranked


def _not_indexed(dataset: Dataset, indexed: Set[str]) -> Iterator[str]:
    """Labelled documents that no query can find."""
    counts: dict[str, int] = {}
    for grades in dataset.qrels.values():
        for document in {document for (document, _), grade in grades.items() if grade}:
            counts[document] = counts.get(document, 0) + 1
    for document, count in sorted(counts.items()):
        if document not in indexed:
            yield f"{shown_path(document)} answers {count} queries, and is not indexed"


async def _rank(
    retrieval: Retrieval, query: LabelledQuery, mode: Mode, runbooks: Runbooks
) -> Ranked:
    asked = Query(text=query.searched, mode=mode, per_document=0, pool=POOL)
    alert = read_alert(query.payload).alert if query.payload else None
    named = runbooks.find(alert) if alert else None
    rankings, found = without(*await retrieval.rank(asked, named), query.held_out)
    sections: dict[Target, float] = {}
    for item, body in found:
        sections.setdefault((body.path, body.chunk.anchor), item.score)
    best = found[0][1] if found else None
    return Ranked(
        tuple(sections.items())[:DEPTH],
        retrieval.sure(rankings, asked.text, best, named).probability,
        signals(rankings, asked.text, best) if best else None,
    )


def _evaluate(
    dataset: Dataset, mode: Mode, ranked: Mapping[str, Ranked], report: SyncReport
) -> Evaluation:
    by_query = scores_of(dataset, ranked)
    by_kind: dict[str, list[Scores]] = {}
    for query in dataset.queries:
        if query.answerable:
            for kind in ("all", query.kind):
                by_kind.setdefault(kind, []).append(by_query[query.id])
    sure: dict[str, list[float]] = {}
    for query in dataset.queries:
        group = "answerable" if query.answerable else (query.no_answer or "unanswerable")
        sure.setdefault(group, []).append(ranked[query.id].confidence)
    return Evaluation(
        dataset=dataset.name,
        mode=mode,
        scores={kind: _mean(scores) for kind, scores in by_kind.items()},
        intervals=_intervals(list(by_query.values())),
        confidence={group: round(mean(values), 4) for group, values in sure.items()},
        sync=report,
    )


def scores_of(dataset: Dataset, ranked: Mapping[str, Ranked]) -> dict[str, Scores]:
    """The scores of each answerable query, by its id; what runs are compared by."""
    return {
        query.id: _score(dataset, query.id, ranked[query.id])
        for query in dataset.queries
        if query.answerable
    }


def _score(dataset: Dataset, query: str, ranked: Ranked) -> Scores:
    grades = dataset.qrels[query]
    sections = [dataset.label_of(query, target) for target, _ in ranked.sections]
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


def _ndcg(dataset: Dataset, query: str, sections: Sections) -> float:
    labelled = [dataset.label_of(query, target) for target in sections]
    return Judged(labelled, dataset.qrels[query]).ndcg()


def grade_of_first(dataset: Dataset, query: str, ranked: Ranked) -> int:
    """Relevance of the first section; 0 when nothing was found."""
    if not ranked.sections:
        return 0
    return dataset.qrels.get(query, {}).get(dataset.label_of(query, ranked.sections[0][0]), 0)


def _mean(scores: Sequence[Scores]) -> Scores:
    means = {name: round(mean(getattr(score, name) for score in scores), 4) for name in MEASURES}
    return Scores(queries=len(scores), **means)


def _intervals(scores: Sequence[Scores]) -> dict[str, tuple[float, float]]:
    if not scores:
        return {}
    found = {name: interval([getattr(score, name) for score in scores]) for name in MEASURES}
    return {name: (round(one.low, 4), round(one.high, 4)) for name, one in found.items()}


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
