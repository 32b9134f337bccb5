"""The ledger: the truth on trust, and the memory of what was shown to whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from orrery_knowledge.errors import ConfigurationError, DocumentError, StaleDecision
from orrery_knowledge.governance import decisions, issues, quarantines
from orrery_knowledge.governance.citations import parse_review_id
from orrery_knowledge.governance.cleaning import TooLarge, Unsupported, clean_json, one_line
from orrery_knowledge.governance.deliveries import KeepsDeliveries
from orrery_knowledge.governance.gaps import KeepsGaps
from orrery_knowledge.governance.outcomes import KeepsOutcomes
from orrery_knowledge.governance.records import (
    AuditEntry,
    Decision,
    DocumentKey,
    Evidence,
    Issue,
    PendingDocument,
    QuarantineEntry,
    QuarantineKind,
    QuarantineReason,
    Review,
    Verdict,
)
from orrery_knowledge.governance.schema import audit, decision, evidence, pending, quarantine
from orrery_knowledge.models import Document

_MAX_REVIEWER = 200
_MAX_REASON = 2000
_GOVERNANCE = "governance"


class Ledger(KeepsDeliveries, KeepsGaps, KeepsOutcomes):
    """Reviews, pending texts, quarantine, evidence, audit, gaps and outcomes, in either engine.

    Every method but `close` needs `open` first. They all may raise `BackendUnavailable`; no error
    of a driver gets out.
    """

    # Reviews

    async def file_pending(
        self, document: Document, *, digest: str, title: str, metadata: Mapping[str, Any]
    ) -> bool:
        """File a version for review as the current one of its document; idempotent.

        Other versions of the document that nobody decided on are superseded by it.

        Args:
            document: as its source yielded it; kept whole.
            digest: see `document_digest`.
            title: for the list.
            metadata: as parsed, JSON types.

        Returns:
            whether it is news: False when it was the current version already.
        """
        kept, of_source = _json(metadata), _json(document.metadata)
        async with self._write(_GOVERNANCE) as connection:
            return await decisions.file_version(
                connection,
                document,
                digest=digest,
                title=title,
                metadata=kept,
                source_metadata=of_source,
            )

    async def withdraw_pending(self, document: DocumentKey) -> int:
        """Supersede what is filed for a document that is gone. Returns how many versions."""
        async with self._write(_GOVERNANCE) as connection:
            done = await connection.execute(
                sa.update(pending)
                .where(decisions.is_document(pending, document), ~pending.c.superseded)
                .values(superseded=True)
            )
            return done.rowcount

    async def pending(self, document: DocumentKey, digest: str) -> PendingDocument | None:
        """A filed version with its text, whatever was decided on it; None when never filed."""
        async with self._read() as connection:
            row = (
                await connection.execute(
                    sa.select(pending).where(
                        decisions.is_document(pending, document), pending.c.digest == digest
                    )
                )
            ).one_or_none()
        return None if row is None else decisions.to_pending(row)

    async def reviews(self, source: str | None = None) -> list[Review]:
        """Every filed version and what became of it, oldest first, without texts."""
        query = decisions.select_reviews()
        if source is not None:
            query = query.where(pending.c.source == source)
        async with self._read() as connection:
            return [decisions.to_review(row) for row in await connection.execute(query)]

    async def review(self, review_id: str) -> Review:
        """The filed version that an id of `Review.id` names.

        Raises:
            StaleDecision: nothing of that name was ever filed.
            KnowledgeError: it is no id.
        """
        source, path, digits = parse_review_id(review_id)
        query = decisions.select_reviews().where(
            pending.c.source == source,
            pending.c.path == path,
            pending.c.digest.startswith(digits, autoescape=True),
        )
        async with self._read() as connection:
            found = [decisions.to_review(row) for row in await connection.execute(query)]
        if len(found) != 1:
            raise StaleDecision("no such version is filed; look at the list again")
        return found[0]

    async def approvals(
        self, documents: Iterable[DocumentKey] | None = None, *, source: str | None = None
    ) -> dict[DocumentKey, dict[str, Decision]]:
        """The latest decision on each digest of each document.

        Args:
            documents: only these.
            source: only documents of this source; with neither, all.
        """
        of_source = decision.c.source == source if source is not None else sa.true()
        conditions = (
            [of_source]
            if documents is None
            else [
                sa.and_(of_source, decisions.is_any_of(decision, batch))
                for batch in decisions.batches(documents)
            ]
        )
        found: dict[DocumentKey, dict[str, Decision]] = {}
        async with self._read() as connection:
            for condition in conditions:
                for row in await connection.execute(decisions.select_latest(condition)):
                    one = decisions.to_decision(row)
                    found.setdefault(one.document, {})[one.digest] = one
        return found

    async def decide(
        self,
        document: DocumentKey,
        digest: str,
        decision: Verdict,
        *,
        reviewer: str,
        reason: str = "",
        verified: bool = False,
        replaces: int | None = None,
        indexed: bool = False,
        before: str | None = None,
    ) -> int:
        """Record a decision on one version of a document, and who took it in the audit.

        Approving and rejecting need a version that is filed, current and undecided. Revoking,
        tainting and expiring also take back what was approved. Of two decisions at once one wins.

        Args:
            document: (corpus, source, path).
            digest: all 64 digits, of the version that was looked at.
            decision: the verdict.
            reviewer: who says so.
            reason: for people.
            verified: whether that name is more than a claim.
            replaces: number of the decision that this one replaces, 0 for none: needed to approve
                again what was rejected or revoked. None: as described above.
            indexed: the caller has checked that the index holds exactly this version. Documents of
                reviewed sources are never filed here, so the ledger can't know them.
            before: digest of the version that answered until now, for the audit.

        Returns:
            the decision's number.

        Raises:
            StaleDecision: this isn't what lies there now, or somebody else was faster.
            ConfigurationError: no reviewer, or no such verdict.
        """
        verdict = decisions.check_verdict(decision)
        name = one_line(reviewer, _MAX_REVIEWER)
        if not name:
            raise ConfigurationError("a decision needs the name of its reviewer")
        async with self.decision_lock(), self._write(_GOVERNANCE) as connection:
            return await decisions.decide(
                connection,
                document,
                digest,
                verdict,
                reviewer=name,
                verified=verified,
                reason=one_line(reason, _MAX_REASON),
                replaces=replaces,
                indexed=indexed,
                before=before,
            )

    async def last_decision(self) -> int:
        """Number of the last decision; 0 before the first."""
        async with self._read() as connection:
            last = await connection.execute(sa.select(sa.func.max(decision.c.number)))
            return last.scalar() or 0

    async def decisions_since(self, number: int) -> list[Decision]:
        """Decisions after this number, in order."""
        query = sa.select(decision).where(decision.c.number > number).order_by(decision.c.number)
        async with self._read() as connection:
            return [decisions.to_decision(row) for row in await connection.execute(query)]

    # Quarantine

    async def quarantine(
        self,
        document: DocumentKey,
        *,
        revision: str,
        kind: QuarantineKind,
        reasons: Sequence[QuarantineReason],
        digest: str | None = None,
    ) -> None:
        """Enter a revision that must not be found; idempotent.

        Args:
            document: (corpus, source, path).
            revision: of the source; a new one resolves the entries of older ones.
            kind: ``invalid`` for format or metadata, ``unsafe`` for secrets or injections.
            reasons: rules and lines, never what was found.
            digest: where the text could be read.
        """
        async with self._write(_GOVERNANCE) as connection:
            await quarantines.put(
                connection,
                document,
                revision=revision,
                digest=digest,
                kind=kind,
                reasons=reasons,
            )

    async def resolve_quarantine(self, document: DocumentKey) -> int:
        """The document is good again, or gone. Returns how many entries that resolves."""
        # Sync asks for every good document, and nearly none has an entry: a look costs no commit.
        async with self._read() as connection:
            if not await quarantines.is_open(connection, document):
                return 0
        async with self._write(_GOVERNANCE) as connection:
            return await quarantines.resolve(connection, document)

    async def list_quarantine(
        self, source: str | None = None, *, resolved: bool = False
    ) -> list[QuarantineEntry]:
        """Open entries, oldest first; with `resolved` those that are closed too."""
        query = sa.select(quarantine).order_by(quarantine.c.number)
        if source is not None:
            query = query.where(quarantine.c.source == source)
        if not resolved:
            query = query.where(quarantine.c.resolved_at.is_(None))
        async with self._read() as connection:
            return [quarantines.to_entry(row) for row in await connection.execute(query)]

    # Evidence

    async def save_evidence(self, investigation: str, passages: Sequence[Issue]) -> list[Evidence]:
        """Save passages as issued, all or none, before anybody sees them."""
        if not passages:
            return []
        rows = [{**one.model_dump(), "metadata": _json(one.metadata)} for one in passages]
        async with self._write(f"evidence {investigation}") as connection:
            return await issues.save(connection, investigation, rows)

    async def mark_not_issued(self, investigation: str, citations: Iterable[str]) -> int:
        """Take back the latest issue of each citation: it was dropped on its way out.

        Returns:
            how many were taken back.
        """
        async with self._write(f"evidence {investigation}") as connection:
            return await issues.take_back(connection, investigation, citations)

    async def evidence(self, investigation: str) -> list[Evidence]:
        """Everything saved under an investigation, in order; what was taken back too."""
        query = (
            sa.select(evidence)
            .where(evidence.c.investigation == investigation)
            .order_by(evidence.c.sequence)
        )
        async with self._read() as connection:
            return [issues.to_evidence(row) for row in await connection.execute(query)]

    # Audit

    async def record(
        self,
        action: str,
        *,
        actor: str,
        details: Mapping[str, Any] | None = None,
        investigation: str | None = None,
    ) -> int:
        """Add an audit entry; its details must hold no document text. Returns its number."""
        values = {
            "at": datetime.now(UTC),
            "actor": actor,
            "action": action,
            "investigation": investigation,
            "details": _json(details or {}),
        }
        async with self._write() as connection:
            result = await connection.execute(
                sa.insert(audit).values(**values).returning(audit.c.number)
            )
            return int(result.scalar_one())

    async def audit(self, investigation: str | None = None, limit: int = 100) -> list[AuditEntry]:
        """The newest audit entries, newest first."""
        query = sa.select(audit).order_by(audit.c.number.desc()).limit(limit)
        if investigation is not None:
            query = query.where(audit.c.investigation == investigation)
        async with self._read() as connection:
            return [AuditEntry(**row._mapping) for row in await connection.execute(query)]


def _json(value: Mapping[str, Any]) -> dict[str, Any]:
    try:
        copied: dict[str, Any] = clean_json(value)
    except (TooLarge, Unsupported):
        raise DocumentError("metadata holds a value that can't be kept as JSON") from None
    return copied
