"""Query to rankings to fusion to best passages: what every search goes through.

The agent tool, the command line and every server ask here, so that eligibility, screening and
evidence hold for each of them.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime
from functools import partial

from orrery_knowledge.confidence import (
    Calibration,
    Confidence,
    confidence,
    found_something,
    read_calibration,
)
from orrery_knowledge.errors import EmbedderError, KnowledgeError
from orrery_knowledge.explanations import is_name, kept_out, nothing_shown, unknown_filter
from orrery_knowledge.fusion import Fused, aged, fuse, within_reach
from orrery_knowledge.governance.citations import format_citation
from orrery_knowledge.governance.evidence import record
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.governance.outcomes import plain_words
from orrery_knowledge.governance.records import GapKind
from orrery_knowledge.governance.reviews import apply_decisions
from orrery_knowledge.identifiers import MAX_QUERY, bounded_query, spoken
from orrery_knowledge.models import (
    AGE_PENALTY,
    Counts,
    FailedRemedy,
    FetchedChunk,
    Fusion,
    Named,
    OutlinedChunk,
    Passage,
    PersonalKind,
    Query,
    Rankings,
    Ranks,
    SearchResult,
)
from orrery_knowledge.naming import at_least, is_named, named_first, with_named
from orrery_knowledge.protocols import Embedder, KnowledgeRetriever, Vectors, is_index
from orrery_knowledge.query_vectors import QueryVectors
from orrery_knowledge.screening import PERSONAL_KINDS, label_text, remembering, screen
from orrery_knowledge.telemetry import retrieval_span

logger = logging.getLogger(__name__)

NOTHING_INDEXED = "nothing has been indexed yet; run: orrery-knowledge sync"
RUN_AGAIN = "if a sync was interrupted, run it again: orrery-knowledge sync"

Answer = tuple[Rankings, list[tuple[Fused, FetchedChunk]]]


class Retrieval:
    """Answers queries over one index.

    Args:
        index: what is searched; a backend that sync fills also gets the ledger's decisions.
        ledger: whose decisions hold, and where evidence is kept; opened on first use.
        embedder: of the index's vectors; None searches by words alone.
        stale_after_days: untouched for this long marks a passage as stale.
        corpora: that are configured; with those of the index, what a query may name.
        calibration: how raw signals become a confidence; the one that is shipped if None.
        fusion: how rankings become one order.
        age_penalty: share of its score that stale advice loses at most, from 0 to `AGE_PENALTY`.
        personal: kinds of personal data that passages are shown without.
        record_gaps: whether what finds nothing is counted in the ledger (see `note_gap`).
    """

    def __init__(
        self,
        index: KnowledgeRetriever,
        ledger: Ledger,
        embedder: Embedder | None,
        *,
        stale_after_days: int = 180,
        corpora: Collection[str] = (),
        calibration: Calibration | None = None,
        fusion: Fusion = "scores",
        age_penalty: float = AGE_PENALTY,
        personal: Collection[PersonalKind] = PERSONAL_KINDS,
        record_gaps: bool = False,
    ) -> None:
        self._index = index
        self._ledger = ledger
        self._embedder = embedder
        self._query_vectors = QueryVectors()
        self._stale_after_days = stale_after_days
        self._corpora = frozenset(corpora)
        self._calibration = calibration or read_calibration()
        self._fusion = fusion
        self._age_penalty = age_penalty
        self._screened = remembering(partial(screen, kinds=frozenset(personal)))
        self._record_gaps = record_gaps
        self._several_sources: tuple[int, bool] | None = None

    async def search(
        self, query: Query, *, investigation: str | None = None, named: Named | None = None
    ) -> SearchResult:
        """Answer one query; never raises for a backend that is gone.

        Args:
            query: what is asked.
            investigation: under which the passages are saved as evidence; None saves nothing, and
                a question that nothing answers counts as somebody's trial, not as a gap.
            named: what comes first, whatever its words; made of what `outline` lists.

        Returns:
            status ``ok`` with passages, ``no_match``, ``invalid`` with the reason, or
            ``unavailable`` with the reason when the index, the ledger or the evidence fails.
        """
        started = time.perf_counter()
        with retrieval_span(
            data_source=query.corpus, top_k=query.top_k, strategy=query.mode
        ) as span:
            if reason := self._invalid(query, investigation):
                result = _failure("invalid", query, reason)
                span.result(error_type="invalid")
            else:
                try:
                    result = await self._answer(query, investigation, named)
                    span.result(
                        result_count=len(result.passages),
                        candidate_count=sum(result.counts.model_dump().values()),
                        load=result.load,
                        empty=result.status == "no_match",
                        score_max=result.passages[0].score if result.passages else None,
                        error_type="unavailable" if result.status == "unavailable" else None,
                    )
                    span.content(query.text, [(p.citation, p.score) for p in result.passages])
                except KnowledgeError as error:
                    span.result(error_type=type(error).__name__)
                    result = _failure("unavailable", query, str(error))
        if investigation is not None and result.is_gap:
            await self.note_gap("question", query.text, unsure=result.status == "ok")
        took = round((time.perf_counter() - started) * 1000, 1)
        return result.model_copy(update={"took_ms": took})

    async def note_gap(self, kind: GapKind, text: str, *, unsure: bool = False) -> None:
        """Count what nobody has written an answer to; never raises, and never fails a search.

        Args:
            kind: who asked.
            text: the question, or the name of the alert; redacted before it is written.
            unsure: something was found, but nothing to rely on.
        """
        if not self._record_gaps:
            return
        try:
            await self._ledger.open()
            await self._ledger.note_gap(kind, text, unsure=unsure)
        except KnowledgeError as error:
            logger.warning("a gap was not counted: %s", type(error).__name__)

    async def new_deliveries(self, keys: Sequence[str]) -> set[str]:
        """Remember deliveries of alerts for a day, and tell which of them are new.

        Raises:
            BackendUnavailable: the ledger does not answer.
        """
        await self._ledger.open()
        return await self._ledger.new_deliveries(keys)

    async def mark_not_issued(self, investigation: str, citations: Iterable[str]) -> int:
        """Take passages of the last answer back that were dropped on their way out.

        Returns:
            how many evidence rows say now that they were not issued.

        Raises:
            BackendUnavailable: the ledger does not answer.
        """
        await self._ledger.open()
        return await self._ledger.mark_not_issued(investigation, citations)

    async def state(self) -> tuple[int | None, int]:
        """What answers depend on besides the question: the active load, the last decision applied.

        Raises:
            BackendUnavailable: the index or the ledger does not answer.
        """
        load = await self._index.active_load()
        if not is_index(self._index) or (load is None and not await self._ledger.exists()):
            return load, 0
        await self._ledger.open()
        await apply_decisions(self._index, self._ledger)
        return await self._index.active_load(), await self._index.applied_decision()

    async def outline(self) -> list[OutlinedChunk]:
        """What can be named: nothing where the backend is only searched.

        Raises:
            BackendUnavailable: the index does not answer.
        """
        return await self._index.outline() if is_index(self._index) else []

    async def rank(
        self, query: Query, named: Named | None = None
    ) -> tuple[Rankings, list[tuple[Fused, FetchedChunk]]]:
        """Ranked chunks with their bodies, before any confidence cut; what evaluation looks at.

        Raises:
            BackendUnavailable: the index does not answer.
            EmbedderError: the query can't be embedded.
        """
        query = query.model_copy(update={"text": bounded_query(query.text)})
        vector, fingerprint = await self._vector(query, None)
        return await self._candidates(query, vector, fingerprint, None, named)

    def sure(
        self,
        rankings: Rankings,
        query: str,
        best: FetchedChunk | None,
        named: Named | None = None,
    ) -> Confidence:
        """How likely the first passage answers, by the calibration in use.

        Args:
            rankings: what `rank` found.
            query: what was asked.
            best: the passage that comes first; None when there is none.
            named: what was named outright.
        """
        fingerprint = self._embedder.fingerprint if self._embedder else None
        sure = confidence(rankings, query, best, self._calibration, fingerprint)
        return at_least(sure, best, named)

    async def close(self) -> None:
        """Close the index and the ledger; safe to call twice."""
        await self._index.close()
        await self._ledger.close()

    def _invalid(self, query: Query, investigation: str | None) -> str | None:
        if not query.text.strip():
            return "the query is empty"
        if query.mode == "vector" and self._embedder is None:
            return "search by meaning needs an embedder, and none is configured"
        names = {"service": query.service, "corpus": query.corpus, "investigation": investigation}
        for what, name in names.items():
            if name is not None and not is_name(name):
                return f"the {what} is empty or holds characters that no name has"
        return None

    async def _answer(
        self, query: Query, investigation: str | None, named: Named | None
    ) -> SearchResult:
        if not await self._ledger.exists() and await self._index.active_load() is None:
            return _failure("unavailable", query, NOTHING_INDEXED)
        await self._ledger.open()
        if is_index(self._index):
            await apply_decisions(self._index, self._ledger)
        note = None
        if len(query.text) > MAX_QUERY:
            query = query.model_copy(update={"text": bounded_query(query.text)})
            note = f"the query is long: only its first and last {MAX_QUERY // 2} characters count"
        try:
            vector, fingerprint = await self._vector(query, investigation)
        except EmbedderError as error:
            if query.mode == "vector":
                raise
            vector, fingerprint = None, None
            words = f"searched by words alone: {error}"
            note = f"{note}; {words}" if note else words
        rankings, found = await self._candidates(query, vector, fingerprint, query.top_k, named)
        if rankings.load is None:
            kept = await kept_out(self._ledger)
            return _failure(
                "unavailable", query, f"{kept}; {RUN_AGAIN}" if kept else NOTHING_INDEXED
            )
        if not found and is_index(self._index):
            there = await self._index.filters()
            if all(query.corpus not in (None, corpus) for corpus, _ in there) and (
                reason := await nothing_shown(self._index, self._ledger, query.corpus)
            ):
                result = _failure("unavailable", query, reason)
                return result.model_copy(update={"load": rankings.load})
            if reason := unknown_filter(query, there, self._corpora):
                return _failure("invalid", query, reason)
        best = found[0][1] if found else None
        sure = self.sure(rankings, query.text, best, named)
        counts = Counts(**{name: len(rankings.rankings.get(name, ())) for name in _COUNTED})
        if not found or not (is_named(best, named) or found_something(rankings)):
            return SearchResult(
                status="no_match",
                confident=False,
                confidence=sure.probability,
                query=query.text,
                counts=counts,
                load=rankings.load,
                reason=note,
            )
        cited = await self._cites_source(rankings.load)
        passages = await asyncio.to_thread(self._passages, rankings, found, cited, named)
        result = SearchResult(
            status="ok",
            confident=sure.confident,
            confidence=sure.probability,
            query=query.text,
            passages=passages,
            counts=counts,
            load=rankings.load,
            reason=note,
            failed_remedies=await self._failed_before(query, passages),
        )
        if investigation is not None:
            digests = {
                passage.citation: body.digest
                for passage, (_, body) in zip(passages, found, strict=True)
            }
            await record(self._ledger, investigation, result, digests)
        return result

    async def _failed_before(
        self, query: Query, passages: Sequence[Passage]
    ) -> tuple[FailedRemedy, ...]:
        """What failed before on the services that are asked about or answer."""
        services = {query.service, *(passage.service for passage in passages)} - {None}
        failed = await self._ledger.failed_remedies(str(name) for name in services)
        return tuple(
            FailedRemedy(
                remedy=one.text,
                service=one.service or "",
                investigation=label_text(one.investigation),
                passages=tuple(
                    passage.citation
                    for passage in passages
                    if plain_words(one.text) in plain_words(passage.text)
                ),
            )
            for one in failed
        )

    async def _vector(
        self, query: Query, investigation: str | None
    ) -> tuple[Vectors | None, str | None]:
        if self._embedder is None or query.mode == "lexical":
            return None, None
        vector = await self._query_vectors.embed(self._embedder, spoken(query.text), investigation)
        return vector, self._embedder.fingerprint

    async def _candidates(
        self,
        query: Query,
        vector: Vectors | None,
        fingerprint: str | None,
        top_k: int | None,
        named: Named | None,
    ) -> Answer:
        """Search and fetch on one load; once more if the pointer moved in between."""
        for _ in range(2):
            answered = await self._index.search(query, vector, fingerprint)
            rankings = with_named(answered, named)
            if rankings.load is None:
                return rankings, []
            fused = named_first(fuse(rankings, self._fusion), query.per_document, named)
            chosen = within_reach(fused, top_k or len(fused), self._age_penalty)
            bodies = await self._index.fetch([item.chunk for item in chosen], rankings.load)
            by_id = {body.id: body for body in bodies}
            found = [(item, by_id[item.chunk]) for item in chosen if item.chunk in by_id]
            if len(found) == len(chosen) or await self._index.active_load() == rankings.load:
                break
        return rankings, self._by_age(found)[:top_k]

    def _by_age(
        self, found: Sequence[tuple[Fused, FetchedChunk]]
    ) -> list[tuple[Fused, FetchedChunk]]:
        now = datetime.now(UTC)
        penalised = [
            (aged(item, _age(body, now), self._stale_after_days, self._age_penalty), body)
            for item, body in found
        ]
        return sorted(penalised, key=lambda pair: (-pair[0].score, pair[0].chunk))

    def _passages(
        self,
        rankings: Rankings,
        found: Sequence[tuple[Fused, FetchedChunk]],
        cited: bool,
        named: Named | None,
    ) -> tuple[Passage, ...]:
        now = datetime.now(UTC)
        passages = []
        for item, body in found:
            passage = self._passage(rankings, item, body, now, cited)
            if named and is_named(body, named):
                passage = passage.model_copy(update={"matched": (named.by, *passage.matched)})
            passages.append(passage)
        return tuple(passages)

    async def _cites_source(self, load: int) -> bool:
        """Whether citations name the source: as soon as the index holds two.

        The configuration of one process says nothing: another one searches the same index.
        """
        if not is_index(self._index):
            return True
        if self._several_sources is None or self._several_sources[0] != load:
            self._several_sources = (load, len(await self._index.sources()) != 1)
        return self._several_sources[1]

    def _passage(
        self, rankings: Rankings, item: Fused, body: FetchedChunk, now: datetime, cited: bool
    ) -> Passage:
        chunk = body.chunk
        age = _age(body, now)
        stale = age is not None and age >= self._stale_after_days
        section = label_text(self._screened(chunk.section).text)
        title = label_text(self._screened(body.title).text)
        part = f" (part {chunk.part}/{chunk.parts})" if chunk.parts > 1 else ""
        candidate = rankings.candidates[item.chunk]
        matched = [
            name
            for name, hit in (
                ("identifier", candidate.identifiers > 0.0),
                ("words", candidate.lexical > 0.0),
                ("meaning", "vector" in item.ranks),
            )
            if hit
        ]
        return Passage(
            text=self._screened(chunk.text).text,
            citation=format_citation(
                body.path,
                anchor=chunk.anchor,
                part=chunk.part if chunk.parts > 1 else None,
                digest=body.digest,
                source=body.source if cited else None,
            ),
            label=f"{label_text(body.path)} § {section or title}{part}",
            source=label_text(body.uri),
            title=title,
            section=section,
            anchor=label_text(chunk.anchor),
            part=chunk.part,
            parts=chunk.parts,
            line_start=chunk.line_start,
            line_end=chunk.line_end,
            revision=label_text(body.commit or body.revision),
            modified_at=body.modified_at,
            age_days=age,
            stale=stale,
            needs_review=stale or _expired(body, now),
            trust=body.trust,
            matched=tuple(matched),
            corpus=body.corpus,
            service=body.service and label_text(body.service),
            score=round(item.score, 6),
            ranks=Ranks(**{name: item.ranks.get(name) for name in _COUNTED}),
            load=rankings.load or 0,
        )


_COUNTED = ("lexical", "identifiers", "vector")


def _age(body: FetchedChunk, now: datetime) -> int | None:
    return (now - body.modified_at).days if body.modified_at else None


def _expired(body: FetchedChunk, now: datetime) -> bool:
    expires = body.metadata.get("expires_at")
    return isinstance(expires, str) and expires <= now.date().isoformat()


def _failure(status: str, query: Query, reason: str) -> SearchResult:
    return SearchResult.model_validate(
        {
            "status": status,
            "confident": False,
            "confidence": 0.0,
            "query": query.text,
            "reason": reason,
        }
    )
