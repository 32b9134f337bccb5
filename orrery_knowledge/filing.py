"""What a sync tells the ledger: which texts are quarantined, which wait, what is over."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping

from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.governance.records import Decision, DocumentKey, QuarantineReason
from orrery_knowledge.models import Document
from orrery_knowledge.preparation import Prepared
from orrery_knowledge.tally import Tally

Decisions = Mapping[DocumentKey, Mapping[str, Decision]]
"""The latest decision by document and digest."""

Answer = tuple[str, str, str, str]
"""(corpus, source, path, digest) of a document that answers."""


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
        self._settled: dict[tuple[str, str], str | None] = {}

    def settle(self, source: str, path: str, digest: str | None) -> None:
        """The document was looked at: what the ledger keeps open on other versions is over.

        Args:
            source: its id.
            path: of the document.
            digest: of the version that lies there; None where none could be made out.
        """
        self._settled[source, path] = digest

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

    async def owed(
        self, answering: Collection[Answer], read: Collection[str]
    ) -> AsyncIterator[tuple[Document, Decision]]:
        """Texts that were approved, and don't answer yet.

        Args:
            answering: what answers now.
            read: ids of the sources that this sync has read. What it found there counts: of these
                only the texts that it has filed are owed.
        """
        for review in await self._ledger.reviews():
            key, decision = review.document, review.decision
            if decision is None or decision.decision != "approved" or not review.current:
                continue
            waited = (key, review.digest) in self._waiting
            if (*key, review.digest) in answering or (review.source in read and not waited):
                continue
            filed = await self._ledger.pending(key, review.digest)
            if filed is not None:
                self._tally.pending -= waited
                yield filed.document, decision

    async def close(self, present: Mapping[str, set[str]], *, configured: set[str] | None) -> None:
        """Close what the ledger keeps open on versions that lie in no source any more.

        Args:
            present: source id -> paths of the documents that are there.
            configured: ids of all sources; None when only some were read.
        """

        def is_gone(source: str, path: str) -> bool:
            if self._tally.failed:
                return False
            if source in present:
                return path not in present[source]
            return configured is not None and source not in configured

        for entry in await self._ledger.list_quarantine():
            key, place = (entry.corpus, entry.source, entry.path), (entry.source, entry.path)
            if (key, entry.revision) in self._quarantined:
                continue
            if place in self._settled or is_gone(*place):
                await self._ledger.resolve_quarantine(key)
        for review in await self._ledger.reviews():
            key, place = review.document, (review.source, review.path)
            if not review.current or (key, review.digest) in self._waiting:
                continue
            other = place in self._settled and self._settled[place] != review.digest
            if other or is_gone(*place):
                await self._ledger.withdraw_pending(key)


def _words(reason: QuarantineReason) -> str:
    return f"{reason.rule} in line {reason.line}" if reason.line else reason.rule
