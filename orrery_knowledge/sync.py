"""Sources to documents to chunks to vectors to a candidate load; checks; activation.

What changed is written, what didn't is skipped, and nothing that is searched changes before the
whole load is. See ``docs/aep/025-knowledge-retrieval.md``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

from orrery_knowledge.embedding import Embedding
from orrery_knowledge.errors import (
    CheckFailed,
    ConfigurationError,
    DocumentError,
    KnowledgeError,
    LoadsHeld,
    NoText,
    SourceError,
    Superseded,
)
from orrery_knowledge.filing import Answer, Decisions, Filing
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.governance.outcomes import REPORTS
from orrery_knowledge.governance.records import Decision
from orrery_knowledge.governance.reviews import apply_decisions, unapplied
from orrery_knowledge.governance.shown import shown_path
from orrery_knowledge.losses import Losses
from orrery_knowledge.models import (
    Document,
    IndexedDocument,
    KnownDocument,
    SourceEntry,
    SyncReport,
)
from orrery_knowledge.preparation import Prepared, is_unchanged, prepare, processing_key
from orrery_knowledge.protocols import Embedder, KnowledgeIndex, KnowledgeSource
from orrery_knowledge.provenance import Provenances
from orrery_knowledge.sync_options import SyncOptions as SyncOptions
from orrery_knowledge.tally import Tally
from orrery_knowledge.telemetry import sync_span

BATCH_CHUNKS = 256
"""Documents are embedded and written once they hold this many chunks: bounds the memory."""

NOTHING_LEFT = "nothing would be left to search"
HELD = "a rollback holds the index; `orrery-knowledge loads resume` lets syncs run again"

Progress = Callable[[str, int, int], None]
"""Told (what is read now, documents seen, chunks written) as a sync goes on."""


async def sync(
    index: KnowledgeIndex,
    ledger: Ledger,
    sources: Sequence[KnowledgeSource],
    embedder: Embedder | None,
    options: SyncOptions,
    progress: Progress | None = None,
) -> SyncReport:
    """Bring an index up to date with its sources.

    Args:
        index: what is filled.
        ledger: who decided what; gets what is quarantined or waits.
        sources: every configured source, also those that `options.source` leaves out.
        embedder: computes vectors; None for search by words alone.
        options: see `SyncOptions`.
        progress: told as the sync goes on.

    Raises:
        SyncRunning: another sync holds the lock.
        Superseded: another load was activated meanwhile; this one is not.
        LoadsHeld: a rollback holds the index.
        ConfigurationError: the options don't fit the sources.
        BackendUnavailable: the index or ledger does not answer.
    """
    run = _Run(index, ledger, sources, embedder, options, progress)
    with sync_span() as span:
        report = await _guarded(run)
        span.counts(
            load=report.load,
            activated=report.activated,
            documents=report.documents,
            chunks=report.chunks,
            skipped=report.skipped,
            removed=report.removed,
            quarantined=report.quarantined,
            failed=report.failed,
            embedded=report.embedded,
        )
        return report


async def activate_approved(
    index: KnowledgeIndex,
    ledger: Ledger,
    sources: Sequence[KnowledgeSource],
    embedder: Embedder | None,
    options: SyncOptions,
) -> SyncReport:
    """Make approved texts that wait in the ledger answer: a small load that reads no source.

    Args:
        index: what is filled.
        ledger: who approved what.
        sources: every configured source; a text of any other one stays where it is.
        embedder: computes vectors; None for search by words alone.
        options: those of a sync, without a source.

    Raises:
        SyncRunning: a sync holds the lock.
        Superseded: another load was activated meanwhile.
        LoadsHeld: a rollback holds the index.
        ConfigurationError: the embedder has changed, which takes a whole sync.
        BackendUnavailable: the index or ledger does not answer.
    """
    run = _Run(index, ledger, sources, embedder, replace(options, dry_run=False))
    run.wanted = []
    return await _guarded(run)


async def _guarded(run: _Run) -> SyncReport:
    """Build under the lock; undo what was built unless it was activated."""
    index, ledger, embedder = run.index, run.ledger, run.embedder
    if run.options.dry_run:
        await unapplied(index, ledger)
        return await run.build(None, refused=HELD if await index.held() else None)
    async with index.lock():
        run.answered = await index.visible()
        await apply_decisions(index, ledger)
        if await index.held():
            raise LoadsHeld(HELD)
        details = {"sources": sorted(source.id for source in run.wanted)}
        load = await index.begin(embedder.fingerprint if embedder else None, details)
        try:
            return await run.build(load.number)
        except Superseded as error:
            raise Superseded(f"{error}; this sync has activated nothing, run it again") from error
        finally:
            # After an activation this does nothing; a cancelled build is undone before we go.
            await asyncio.shield(index.abandon(load.number))


class _Run:
    def __init__(
        self,
        index: KnowledgeIndex,
        ledger: Ledger,
        sources: Sequence[KnowledgeSource],
        embedder: Embedder | None,
        options: SyncOptions,
        progress: Progress | None = None,
    ) -> None:
        self.index = index
        self.ledger = ledger
        self.embedder = embedder
        self.options = options
        self.progress = progress or (lambda *_: None)
        self.sources = {source.id: source for source in sources}
        if options.source is not None and options.source not in self.sources:
            known = ", ".join(sorted(self.sources)) or "none"
            raise ConfigurationError(f"there is no source {options.source!r}; configured: {known}")
        self.wanted = [s for s in sources if options.source in (None, s.id)]
        self.tally = Tally(dry_run=options.dry_run)
        self.load: int | None = None
        self.buffer: list[tuple[IndexedDocument, KnownDocument | None]] = []
        self.buffered_chunks = 0
        self.filing = Filing(ledger, self.tally)
        self.embedding = Embedding(index, embedder, self.tally) if embedder else None
        self.provenances = Provenances(index, self.tally)
        self.written: set[tuple[str, str]] = set()
        self.answered: Sequence[Answer] = ()
        self.decided = 0
        self.losses = Losses(
            max_share=options.max_delete_share,
            allow_mass_delete=options.allow_mass_delete,
            allow_empty=options.allow_empty,
        )

    async def build(self, load: int | None, refused: str | None = None) -> SyncReport:
        """Fill a load (or, without one, only count), check it and activate it.

        Args:
            load: the number that it was begun with; None for a dry run.
            refused: why a dry run stands for a sync that would not run.
        """
        self.load = load
        self.decided = await self.ledger.last_decision()
        active = await self.index.active_load()
        new_embedder = await self._is_new_embedder()
        present: dict[str, set[str]] = {}
        gone: dict[str, list[str]] = {}
        known_total = 0
        for source in self.wanted:
            known = await self.index.known(source.id)
            known_total += len(known)
            with sync_span(source.id):
                present[source.id] = await self._read_source(source, known)
                await self._flush()
                await self.provenances.write(source.id)
            if new_embedder:
                self._warn_of_words_only(source.id, known.keys() & present[source.id])
            gone[source.id] = sorted(known.keys() - present[source.id])
        if self.options.source is None and self.wanted:
            for source_id in set(await self.index.sources()) - self.sources.keys() - {REPORTS}:
                known = await self.index.known(source_id)
                known_total += len(known)
                gone[source_id] = sorted(known)
        lost = await self._remove(gone, known_total) if self.wanted else None
        report = await self._finish(active, refused or lost)
        if report.dry_run:
            return report
        if not report.refused:
            everything = self.options.source is None and self.wanted
            # A sync that began before the first report was filed must not end it.
            configured = {*self.sources, REPORTS} if everything else None
            await _uninterrupted(self.filing.close(present, configured=configured))
        return await self._with_answers(report)

    async def _is_new_embedder(self) -> bool:
        loads = await self.index.loads()
        active = next((load for load in loads if load.status == "active"), None)
        fingerprint = self.embedder.fingerprint if self.embedder else None
        if active is None or active.fingerprint == fingerprint:
            return False
        if self.options.source is not None or not self.wanted:
            raise ConfigurationError(
                "the embedder has changed, so every source must be read: run sync without --source"
            )
        return self.embedder is not None

    def _warn_of_words_only(self, source: str, paths: Set[str]) -> None:
        for path in sorted(paths):
            if (source, path) not in self.written:
                reason = "this embedder can't read its last good version: it is found by words only"
                self.tally.warn(f"{source}: {path}", reason)

    async def _read_source(
        self, source: KnowledgeSource, known: Mapping[str, KnownDocument]
    ) -> set[str]:
        """Read what changed in a source; returns the paths of documents that are there."""
        key = self._key(source)
        decisions = await self.ledger.approvals(source=source.id)
        await self._withdraw_trust(source, decisions)
        seen: set[str] = set()
        try:
            async for entry in source.entries():
                self.tally.seen += 1
                self.progress(source.id, self.tally.seen, self.tally.chunks)
                if entry.skipped is not None:
                    self.tally.pass_over(entry.skipped)
                    continue
                seen.add(entry.path)
                before = known.get(entry.path)
                mine = decisions.get((source.corpus, source.id, entry.path), {})
                same = before is not None and is_unchanged(before, entry, key, mine)
                if before is not None and same and not self.options.full:
                    self.tally.skipped += 1
                    self.filing.settle(source.id, entry.path, before.digest)
                    await self.provenances.look_at(source, entry, before)
                    continue
                if not await self._read_entry(source, entry, decisions, before):
                    seen.discard(entry.path)
        except SourceError as error:
            self.tally.fail(source.id, str(error))
        return seen

    async def _withdraw_trust(self, source: KnowledgeSource, decisions: Decisions) -> None:
        """Take out what answers only because its source was called reviewed once."""
        if source.trust == "reviewed":
            return
        applied = await self.index.applied_decision()
        for corpus, source_id, path, digest in await self.index.visible():
            if source_id != source.id:
                continue
            key = (corpus, source_id, path)
            decision = decisions.get(key, {}).get(digest)
            if decision is not None and decision.decision == "approved":
                continue
            if self.load is None:
                self.tally.stopped += 1
            else:
                await self.index.set_eligible(key, digest, False, applied)

    async def _read_entry(
        self,
        source: KnowledgeSource,
        entry: SourceEntry,
        decisions: Decisions,
        known: KnownDocument | None,
    ) -> bool:
        """Read one entry; returns False when it holds no text, which is as good as gone."""
        where = f"{source.id}: {shown_path(entry.path)}"
        try:
            document = await source.read(entry)
        except NoText:
            self.tally.pass_over("binary")
            return False
        except DocumentError as error:
            self.tally.fail(where, str(error).removeprefix(f"{entry.path}: "))
            return True
        mine = decisions.get((document.corpus, document.source, document.path), {})
        prepared = await self._prepare(source, document, mine)
        for warning in (*document.warnings, *prepared.warnings):
            self.tally.warn(where, warning)
        await self.filing.file(document, prepared, where)
        kept_out = prepared.outcome not in ("index", "pending")
        self.filing.settle(source.id, entry.path, None if kept_out else prepared.digest)
        indexed = prepared.indexed
        if prepared.outcome != "index" or indexed is None:
            if known is not None:
                await self._end_earlier(source, document, prepared, known)
            return prepared.outcome != "empty"
        refused = not indexed.eligible and indexed.status == "stable"
        if refused and known is not None and known.eligible and known.digest != indexed.digest:
            return True  # a decision refused this version; the one before goes on answering
        self.buffer.append((indexed, known))
        self.written.add((source.id, entry.path))
        self.buffered_chunks += len(indexed.chunks)
        if self.buffered_chunks >= BATCH_CHUNKS:
            await self._flush()
        return True

    async def _prepare(
        self, source: KnowledgeSource, document: Document, decisions: Mapping[str, Decision]
    ) -> Prepared:
        return await asyncio.to_thread(
            prepare,
            document,
            trust=source.trust,
            decisions=decisions,
            key=self._key(source),
            size=self.options.chunk_size,
            embedded=self.embedder is not None,
        )

    def _key(self, source: KnowledgeSource) -> str:
        return processing_key(
            source,
            fingerprint=self.embedder.fingerprint if self.embedder else None,
            size=self.options.chunk_size,
        )

    async def _end_earlier(
        self, source: KnowledgeSource, document: Document, prepared: Prepared, known: KnownDocument
    ) -> None:
        """End the version that answers now where it may not go on while this one is kept out.

        Mostly it may. Not so when screening refuses its own text today, which then no rollback
        shows either, or when the policy wants an edit that waits to silence the approved text.
        """
        same = known.digest == prepared.digest
        refused = prepared.unsafe if same else await self._refuses(source, document, known)
        waits = prepared.outcome == "pending" and not self.options.answer_while_pending
        if not (refused or waits or (same and prepared.outcome == "quarantine")):
            return
        ended = known.chunks
        if self.load is not None:
            ended = await self.index.remove(self.load, source.id, [document.path])
            if refused:
                key = (document.corpus, source.id, document.path)
                applied = await self.index.applied_decision()
                await self.index.set_eligible(key, known.digest, False, applied)
        self.tally.pruned += ended

    async def _refuses(
        self, source: KnowledgeSource, document: Document, known: KnownDocument
    ) -> bool:
        """Whether today's screening refuses the approved text that answers while an edit waits."""
        if not known.eligible or known.processing_key == self._key(source):
            return False
        key = (document.corpus, document.source, document.path)
        filed = await self.ledger.pending(key, known.digest)
        return filed is not None and (await self._prepare(source, filed.document, {})).unsafe

    async def _flush(self) -> None:
        """Embed and write what was read."""
        batch, self.buffer, self.buffered_chunks = self.buffer, [], 0
        if not batch:
            return
        documents = [document for document, _ in batch]
        if self.embedding is not None:
            documents = await self.embedding.fill(documents)
        if self.load is None:
            self.tally.pruned += sum(known.chunks for _, known in batch if known is not None)
        else:
            for document in documents:
                if document.status != "stable":
                    # The author lowered it: what is replaced must not go on answering.
                    paths = [document.path]
                    self.tally.pruned += await self.index.remove(self.load, document.source, paths)
            self.tally.pruned += await self.index.write(self.load, documents)
        self.tally.documents += len(documents)
        self.tally.chunks += sum(len(document.chunks) for document in documents)
        self.progress("writing", self.tally.seen, self.tally.chunks)

    async def _remove(self, gone: Mapping[str, Sequence[str]], known: int) -> str | None:
        """End documents that are gone; returns why nothing may be activated, if so."""
        if self.tally.failed:
            return None
        count = sum(len(paths) for paths in gone.values())
        self.tally.removed = count
        nothing_listed = not self.tally.seen
        nothing_left = nothing_listed or (
            count == known > 0
            and not self.tally.documents
            and not set(await self.index.sources()) - gone.keys()
        )
        self.losses = replace(self.losses, gone=count, known=known, nothing_left=nothing_left)
        if not self.losses.are_allowed:
            why = "the sources hold no document" if nothing_listed else NOTHING_LEFT
            return self.losses.refusal(why, check_paths=nothing_listed)
        for source, paths in gone.items():
            if self.load is not None and paths:
                await self.index.remove(self.load, source, paths)
        return None

    async def _finish(self, active: int | None, refused: str | None) -> SyncReport:
        if refused is not None:
            return self.tally.refusal(active, refused)
        if self.load is None:
            return self.tally.report(active, activated=False)
        if self.tally.documents:
            await self.index.prepare(self.load)
        async with self.ledger.decision_lock():
            await apply_decisions(self.index, self.ledger)
            await self._take_along()
            # Again, to the rows that were written by what was known when the build began.
            await apply_decisions(self.index, self.ledger, since=self.decided)
            if not (self.tally.documents or self.tally.removed or self.tally.pruned):
                return self.tally.report(active, activated=False)
            reason = await self._check(self.load)
            if reason is not None:
                return self.tally.refusal(active, reason)
            await _uninterrupted(self.index.activate(self.load))
        await _uninterrupted(self._collect())
        return self.tally.report(self.load, activated=True)

    async def _collect(self) -> None:
        """Delete old rows; a failure must not hide that the new load is active."""
        try:
            await self.index.gc()
        except KnowledgeError as error:
            self.tally.warn("sync", f"rows of old loads are still there: {error}")

    async def _take_along(self) -> None:
        """Write the texts that were approved and don't answer yet (rule 4)."""
        answering = set(await self.index.visible())
        read = {source.id for source in self.wanted}
        async for document, decision in self.filing.owed(answering, read):
            source = self.sources.get(document.source)
            if source is None or source.corpus != document.corpus:
                continue
            prepared = await self._prepare(source, document, {decision.digest: decision})
            if prepared.outcome == "index" and prepared.indexed is not None:
                self.buffer.append((prepared.indexed, None))
        await self._flush()

    async def _check(self, load: int) -> str | None:
        """Why a built load must not be activated; None when it may."""
        try:
            record = await self.index.check(load)
        except CheckFailed as error:
            return str(error)
        if record.documents == 0 and not self.options.allow_empty:
            losses = replace(self.losses, nothing_left=True)
            return losses.refusal(NOTHING_LEFT)
        return None

    async def _with_answers(self, report: SyncReport) -> SyncReport:
        """Count what has begun and what has stopped to answer, for whatever reason."""
        before = {document[:3] for document in self.answered}
        try:
            now = {document[:3] for document in await self.index.visible()}
        except KnowledgeError:
            return report  # what was done is done, and must be said
        return report.model_copy(update={"began": len(now - before), "stopped": len(before - now)})


async def _uninterrupted(work: Coroutine[Any, Any, object]) -> None:
    """Finish what has begun, even if we are cancelled meanwhile.

    A pointer moves in a thread that nobody can stop. A sync that went away at that moment would
    say that nothing has changed while its load is active.
    """
    task = asyncio.ensure_future(work)
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.done():
                break
    await task
