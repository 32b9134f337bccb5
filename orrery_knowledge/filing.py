"""What a sync tells the ledger: which texts are quarantined, which wait, what is over."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping

from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.governance.records import Decision, DocumentKey, QuarantineReason
from orrery_knowledge.models import Document
from orrery_knowledge.preparation import Prepared
from orrery_knowledge.tally import Tally

Decisions = Mapping[DocumentKey, Mapping[str, Decision]]
"""The latest decision by document and digest."""


class Filing:
    """The ledger's side of one sync.

    Args:
        ledger: who decided what.
        tally: gets the counts and what people must read.
    """

    def __init__(self, ledger: Ledger, tally: Tally) -> None:
        self._ledger = ledger
        self._tally = tally
        self._waiting: set[tuple[DocumentKey, str]] = set()
        self._quarantined: set[tuple[DocumentKey, str]] = set()
        self._settled: set[tuple[str, str]] = set()

    def settle(self, source: str, path: str) -> None:
        """The document was looked at: what the ledger keeps open on other versions is over."""
        self._settled.add((source, path))

    async def file(self, document: Document, prepared: Prepared, where: str) -> None:
        """Enter what is quarantined or waits; a dry run only counts."""
        key = (document.corpus, document.source, document.path)
        if prepared.outcome == "quarantine":
            self._tally.quarantined += 1
            self._quarantined.add((key, document.revision))
            reason = "; ".join(_words(found) for found in prepared.reasons)
            self._tally.problem(where, f"quarantined: {reason}")
            if not self._tally.dry_run:
                await self._ledger.quarantine(
                    key,
                    revision=document.revision,
                    digest=prepared.digest,
                    kind="unsafe" if prepared.unsafe else "invalid",
                    reasons=prepared.reasons,
                )
        elif prepared.outcome == "empty":
            self._tally.warn(where, "it holds no text")
        elif prepared.outcome == "pending" and prepared.metadata and prepared.digest:
            self._tally.pending += 1
            self._waiting.add((key, prepared.digest))
            if not self._tally.dry_run:
                await self._ledger.file_pending(
                    document,
                    digest=prepared.digest,
                    title=prepared.metadata.title,
                    metadata=prepared.metadata.model_dump(mode="json"),
                )

    async def approved_meanwhile(self) -> AsyncIterator[tuple[Document, Decision]]:
        """Texts that this sync filed and somebody approved before it was done."""
        waiting = sorted(self._waiting)
        decisions = await self._ledger.approvals({key for key, _ in waiting}) if waiting else {}
        for key, digest in waiting:
            decision = decisions.get(key, {}).get(digest)
            if decision is None or decision.decision != "approved":
                continue
            filed = await self._ledger.pending(key, digest)
            if filed is not None:
                self._tally.pending -= 1
                yield filed.document, decision

    async def close(self, present: Mapping[str, set[str]], *, configured: set[str] | None) -> None:
        """Close what the ledger keeps open on versions that lie in no source any more.

        Args:
            present: source id -> paths of the documents that are there.
            configured: ids of all sources; None when only some were read.
        """

        def is_over(key: DocumentKey, version: str, filed: set[tuple[DocumentKey, str]]) -> bool:
            _, source, path = key
            if (key, version) in filed:
                return False
            if source in present:
                gone = path not in present[source]
            else:
                gone = configured is not None and source not in configured
            return (source, path) in self._settled or (gone and not self._tally.failed)

        for entry in await self._ledger.list_quarantine():
            key = (entry.corpus, entry.source, entry.path)
            if is_over(key, entry.revision, self._quarantined):
                await self._ledger.resolve_quarantine(key)
        for review in await self._ledger.reviews():
            if review.status == "pending" and is_over(
                review.document, review.digest, self._waiting
            ):
                await self._ledger.withdraw_pending(review.document)


def _words(reason: QuarantineReason) -> str:
    return f"{reason.rule} in line {reason.line}" if reason.line else reason.rule
