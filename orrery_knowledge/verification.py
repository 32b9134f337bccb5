"""Do sources, ledger and index say the same? Drift is found here, and mended where it can be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orrery_knowledge.errors import BackendUnavailable, DocumentError, KnowledgeError, NoText
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.governance.records import Decision
from orrery_knowledge.governance.reviews import apply_decisions
from orrery_knowledge.governance.shown import shown_path
from orrery_knowledge.models import Model, SourceEntry, Trust
from orrery_knowledge.preparation import prepare, processing_key
from orrery_knowledge.protocols import Embedder, KnowledgeIndex, KnowledgeSource
from orrery_knowledge.provenance import moved
from orrery_knowledge.sync import SyncOptions, sync


class Drift(Model):
    """One difference.

    Attributes:
        kind: ``source`` (index and source differ), ``ledger`` (index and decisions differ) or
            ``index`` (the store differs from itself).
        where: document or store.
        problem: what is wrong and what mends it.
        repaired: whether this run mended it.
    """

    kind: str
    where: str
    problem: str
    repaired: bool = False


async def verify(
    index: KnowledgeIndex,
    ledger: Ledger,
    sources: Sequence[KnowledgeSource],
    embedder: Embedder | None,
    *,
    chunk_size: int,
    repair: bool = False,
    answer_while_pending: bool = True,
) -> list[Drift]:
    """Compare the three.

    Args:
        index: what is searched.
        ledger: who decided what.
        sources: every configured source.
        embedder: of the index's vectors.
        chunk_size: configured size in characters, part of the processing key.
        repair: apply missing decisions, take trust away where nothing grants it, rebuild the
            search tables, and a damaged index from its sources. Documents that differ from their
            source need a sync; a damaged ledger needs its backup, and stops every repair.
        answer_while_pending: see `SyncOptions`; for an index that is rebuilt.

    Raises:
        BackendUnavailable: the index or ledger does not answer.
    """
    found = []
    if await ledger.is_damaged():
        # Nothing may be decided by what is left of it: a revocation could be what is missing.
        repair = False
        problem = "the file is damaged; restore it from a backup, then run verify again"
        found.append(Drift(kind="ledger", where="store", problem=problem))
    store = await index.verify(repair=repair)
    emptied = bool(repair and store) and await index.active_load() is None
    if emptied:
        options = SyncOptions(chunk_size=chunk_size, answer_while_pending=answer_while_pending)
        report = await sync(index, ledger, sources, embedder, options)
        found += [
            Drift(kind="source", where=error.source, problem=error.reason)
            for error in report.errors
            if report.failed or report.refused
        ]
    left = await index.verify() if repair and store else store
    found += [
        Drift(kind="index", where="store", problem=problem, repaired=problem not in left)
        for problem in store
    ]
    try:
        found += await _ledger_drift(index, ledger, sources, repair=repair)
        for source in sources:
            found += await _source_drift(index, ledger, source, embedder, chunk_size)
        configured = {source.id for source in sources}
        found += [
            Drift(kind="source", where=name, problem="is not configured any more; run sync")
            for name in await index.sources()
            if name not in configured
        ]
    except BackendUnavailable as error:
        if not any(drift.where == "store" for drift in found):
            raise
        found.append(Drift(kind="index", where="comparison", problem=f"was given up: {error}"))
    return found


async def _ledger_drift(
    index: KnowledgeIndex, ledger: Ledger, sources: Sequence[KnowledgeSource], *, repair: bool
) -> list[Drift]:
    found = []
    applied = await index.applied_decision()
    if applied > await ledger.last_decision():
        problem = (
            "has applied decisions that this ledger doesn't hold, and would miss its next ones; "
            "was the ledger restored or deleted? Delete the index and run sync"
        )
        found.append(Drift(kind="ledger", where="index", problem=problem))
    behind = len(await ledger.decisions_since(applied))
    if behind:
        if repair:
            await apply_decisions(index, ledger)
        problem = f"{behind} decisions are not applied yet"
        found.append(Drift(kind="ledger", where="index", problem=problem, repaired=repair))
    trusts: dict[str, Trust] = {source.id: source.trust for source in sources}
    approvals = await ledger.approvals()
    for corpus, source_id, path, digest in await index.visible():
        key = (corpus, source_id, path)
        decision = approvals.get(key, {}).get(digest)
        if decision is None and trusts.get(source_id) == "reviewed":
            continue
        if decision is not None and decision.decision == "approved":
            continue
        if repair:
            await index.set_eligible(key, digest, False, await index.applied_decision())
        problem = "answers although nothing in the ledger grants it trust"
        where = f"{source_id}: {path}"
        found.append(Drift(kind="ledger", where=where, problem=problem, repaired=repair))
    return found


async def _source_drift(
    index: KnowledgeIndex,
    ledger: Ledger,
    source: KnowledgeSource,
    embedder: Embedder | None,
    chunk_size: int,
) -> list[Drift]:
    key = processing_key(
        source, fingerprint=embedder.fingerprint if embedder else None, size=chunk_size
    )
    known = dict(await index.known(source.id))
    held = {
        (entry.path, entry.revision)
        for entry in await ledger.list_quarantine()
        if entry.source == source.id
    }
    held |= {
        (review.path, review.revision)
        for review in await ledger.reviews(source=source.id)
        if review.status not in ("superseded", "approved")
    }
    approvals = await ledger.approvals(source=source.id)
    found = []
    try:
        async for entry in source.entries():
            if entry.skipped is not None:
                continue
            before = known.pop(entry.path, None)
            if (entry.path, entry.revision) in held:
                continue
            changed = before is None or before.revision != entry.revision
            mine = approvals.get((source.corpus, source.id, entry.path), {})
            where = f"{source.id}: {shown_path(entry.path)}"
            if before is not None and not changed and before.processing_key == key:
                if await moved(source, entry, before) is not None:
                    problem = "is shown with another commit or date than its source has; run sync"
                    found.append(Drift(kind="source", where=where, problem=problem))
                continue
            try:
                if changed and not await _may_answer(source, entry, mine):
                    continue
            except DocumentError as error:
                problem = str(error).removeprefix(f"{entry.path}: ")
                found.append(Drift(kind="source", where=where, problem=problem))
                continue
            if before is None:
                found.append(Drift(kind="source", where=where, problem="is not indexed; run sync"))
            elif before.revision != entry.revision:
                found.append(Drift(kind="source", where=where, problem="has changed; run sync"))
            else:
                problem = "was processed with other settings; run sync"
                found.append(Drift(kind="source", where=where, problem=problem))
    except KnowledgeError as error:
        return [*found, Drift(kind="source", where=source.id, problem=str(error))]
    found += [
        Drift(kind="source", where=f"{source.id}: {path}", problem="is gone; run sync")
        for path in known
    ]
    return found


async def _may_answer(
    source: KnowledgeSource, entry: SourceEntry, decisions: Mapping[str, Decision]
) -> bool:
    """Whether sync would index what an entry says now: it holds text that nobody has refused."""
    try:
        document = await source.read(entry)
    except NoText:
        return False
    prepared = prepare(
        document, trust=source.trust, decisions=decisions, key="", size=1000, embedded=False
    )
    if prepared.outcome == "empty":
        return False
    refused = prepared.outcome == "index" and prepared.digest in decisions
    return not refused or decisions[prepared.digest or ""].decision == "approved"
