"""Reviews: who may decide what, and how a decision reaches the index before anybody hears of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from orrery_knowledge.errors import (
    CheckFailed,
    ConfigurationError,
    Forbidden,
    KnowledgeError,
    LoadsHeld,
    StaleDecision,
    Superseded,
    SyncRunning,
)
from orrery_knowledge.governance.citations import parse_review_id
from orrery_knowledge.governance.identities import Identity
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.governance.records import (
    Decision,
    DocumentKey,
    PendingDocument,
    Review,
    Verdict,
)
from orrery_knowledge.governance.review_lines import ReviewText, text_of
from orrery_knowledge.governance.reviews import apply_decisions
from orrery_knowledge.models import Model
from orrery_knowledge.preparation import Prepared, prepare
from orrery_knowledge.protocols import Embedder, KnowledgeIndex, KnowledgeSource
from orrery_knowledge.sync import SyncOptions, activate_approved

PATIENCE = 20.0
"""Seconds for which an approval waits for a sync that is running."""

_POLL_SECONDS = 0.2


class Reviewer(Identity):
    """Whoever decides.

    Attributes:
        verified: whether the name is more than a claim.
    """

    verified: bool = False


class Reviewed(Model):
    """What became of a decision.

    Attributes:
        id: of the version: ``source:path@digest12``.
        number: of the decision in the ledger.
        answers: whether searches find the version now.
        load: that is active now.
        note: what stands in the way of an answer; None where nothing does.
    """

    id: str
    decision: Verdict
    number: int
    answers: bool
    load: int | None
    note: str | None = None


class Reviewing:
    """Decides on versions, and brings the index in step.

    Args:
        index: what is searched.
        ledger: where decisions are kept; open.
        sources: every configured source.
        embedder: of the index's vectors.
        options: those of a sync.
    """

    def __init__(
        self,
        index: KnowledgeIndex,
        ledger: Ledger,
        sources: Sequence[KnowledgeSource],
        embedder: Embedder | None,
        options: SyncOptions,
    ) -> None:
        self._index = index
        self._ledger = ledger
        self._sources = {source.id: source for source in sources}
        self._embedder = embedder
        self._options = options

    async def show(self, review_id: str) -> ReviewText:
        """One version as whoever decides on it must see it.

        Raises:
            StaleDecision: nothing of that name was ever filed.
        """
        review = await self._ledger.review(review_id)
        filed = await self._filed(review)
        now = await self.answering(review.document)
        earlier = await self._ledger.pending(review.document, now) if now else None
        return await asyncio.to_thread(text_of, review, filed, now, earlier)

    async def approve(
        self, review_id: str, by: Reviewer, reason: str, *, again: bool = False
    ) -> Reviewed:
        """Let a version answer; before this returns it does, or `note` says what it waits for.

        Args:
            review_id: of the version that was read.
            by: who approves.
            reason: for people.
            again: whether they know that it was rejected, revoked or expired before.

        Raises:
            Forbidden: they may not, or screening refuses the text today.
            StaleDecision: it isn't what lies there now, or somebody else was faster.
        """
        _allow(by)
        async with self._ledger.decision_lock():
            review = await self._ledger.review(review_id)
            self._refuse_unfit(await self._filed(review))
            latest = review.decision
            anew = latest is not None and latest.decision in ("rejected", "revoked", "expired")
            if latest and anew and not again:
                # Whoever read it while it waited must hear what was decided meanwhile.
                raise StaleDecision(
                    f"this version was {latest.decision} by {latest.reviewer}; if you have seen "
                    "that and want it to answer all the same, say again"
                )
            number = await self._ledger.decide(
                review.document,
                review.digest,
                "approved",
                reviewer=by.name,
                verified=by.verified,
                reason=reason,
                replaces=latest.number if latest and anew else None,
                indexed=await self._holds(review.document, review.digest),
                before=await self.answering(review.document),
            )
        try:
            note = await self._make_answer(review.document, review.digest)
        except KnowledgeError as error:
            said = f"the approval is recorded; the next sync makes it answer: {error}"
            raise type(error)(said) from error
        return await self._reviewed(review.id, review.document, "approved", number, note)

    async def reject(self, review_id: str, by: Reviewer, reason: str) -> Reviewed:
        """Keep a version that waits from answering. Arguments and errors are those of `approve`."""
        _allow(by)
        async with self._ledger.decision_lock():
            review = await self._ledger.review(review_id)
            number = await self._ledger.decide(
                review.document,
                review.digest,
                "rejected",
                reviewer=by.name,
                verified=by.verified,
                reason=reason,
                before=await self.answering(review.document),
            )
            await apply_decisions(self._index, self._ledger)
        return await self._reviewed(review.id, review.document, "rejected", number)

    async def revoke(self, review_id: str, by: Reviewer, reason: str) -> Reviewed:
        """Take back a version that answers or may, also one that nobody had to approve.

        No load and no rollback shows it again. Arguments and errors are those of `approve`.
        """
        _allow(by)
        async with self._ledger.decision_lock():
            document, digest = await self._named(review_id)
            number = await self._ledger.decide(
                document,
                digest,
                "revoked",
                reviewer=by.name,
                verified=by.verified,
                reason=reason,
                indexed=await self._holds(document, digest),
                before=await self.answering(document),
            )
            await apply_decisions(self._index, self._ledger)
        return await self._reviewed(review_id, document, "revoked", number)

    async def answering(self, document: DocumentKey) -> str | None:
        """Digest of the version of a document that answers now; None where none does."""
        return (await self._answering()).get(document)

    async def _named(self, review_id: str) -> tuple[DocumentKey, str]:
        """The version that an id names: one that was filed, or one that answers."""
        try:
            review = await self._ledger.review(review_id)
            return review.document, review.digest
        except StaleDecision:
            source, path, digits = parse_review_id(review_id)
            for key, digest in (await self._answering()).items():
                if key[1:] == (source, path) and digest.startswith(digits):
                    return key, digest
            raise

    async def _filed(self, review: Review) -> PendingDocument:
        filed = await self._ledger.pending(review.document, review.digest)
        if filed is None:
            raise StaleDecision("no such version is filed; look at the list again")
        return filed

    def _refuse_unfit(self, filed: PendingDocument) -> None:
        """Look at a text with today's rules: it may have been filed by yesterday's."""
        prepared = self.prepared(filed)
        if prepared.outcome == "quarantine":
            found = "; ".join(
                f"line {reason.line}: {reason.rule}" if reason.line else reason.rule
                for reason in prepared.reasons
            )
            raise Forbidden(f"screening refuses this text, so it can't be approved: {found}")
        if prepared.digest != filed.digest or prepared.outcome != "index":
            raise StaleDecision("this version was filed by an older release; run sync, then review")

    def prepared(self, filed: PendingDocument) -> Prepared:
        """What would become of a filed text if it were approved."""
        document = filed.document
        approved = Decision(
            number=0,
            corpus=document.corpus,
            source=document.source,
            path=document.path,
            digest=filed.digest,
            decision="approved",
            reviewer="",
            reason="",
            decided_at=filed.filed_at,
        )
        source = self._sources.get(document.source)
        return prepare(
            document,
            trust=source.trust if source else "review",
            decisions={filed.digest: approved},
            key="",
            size=self._options.chunk_size,
            embedded=False,
        )

    async def _make_answer(self, document: DocumentKey, digest: str) -> str | None:
        """Bring an approved version into the index; returns what it waits for, if it must wait."""
        deadline = time.monotonic() + PATIENCE
        while True:
            await apply_decisions(self._index, self._ledger)
            if await self.answering(document) == digest:
                return None
            if document[1] not in self._sources:
                return "its source is not configured any more, so it does not answer"
            try:
                report = await activate_approved(
                    self._index,
                    self._ledger,
                    list(self._sources.values()),
                    self._embedder,
                    self._options,
                )
            except (SyncRunning, Superseded):
                # The sync that runs takes it along, unless it has just come to its end.
                if time.monotonic() >= deadline:
                    return "a sync is running: that one or the next makes it answer"
                await asyncio.sleep(_POLL_SECONDS)
                continue
            except LoadsHeld:
                return "a rollback holds the index: it answers after `loads resume` and a sync"
            except ConfigurationError as error:
                return str(error)
            if report.refused:
                raise CheckFailed("; ".join(error.reason for error in report.errors))
            return await self._missing(document, digest)

    async def _missing(self, document: DocumentKey, digest: str) -> str | None:
        """Why an approved version doesn't answer though the load that was to bring it is there."""
        if await self.answering(document) == digest:
            return None
        decided = (await self._ledger.approvals([document])).get(document, {}).get(digest)
        if decided is None or decided.decision != "approved":
            return "somebody took it back meanwhile"
        filed = await self._ledger.pending(document, digest)
        if filed is None or filed.superseded:
            return "its source holds another version meanwhile"
        return "it could not be written yet; the next sync makes it answer"

    async def _answering(self) -> dict[DocumentKey, str]:
        if await self._index.active_load() is None:
            return {}
        visible = await self._index.visible()
        return {(corpus, source, path): digest for corpus, source, path, digest in visible}

    async def _holds(self, document: DocumentKey, digest: str) -> bool:
        """Whether the index holds exactly this version, whether or not it may answer."""
        if await self._index.active_load() is None:
            return False
        known = (await self._index.known(document[1])).get(document[2])
        return known is not None and known.digest == digest

    async def _reviewed(
        self,
        review_id: str,
        document: DocumentKey,
        verdict: Verdict,
        number: int,
        note: str | None = None,
    ) -> Reviewed:
        digits = parse_review_id(review_id)[2]
        digest = await self.answering(document) or ""
        return Reviewed(
            id=review_id,
            decision=verdict,
            number=number,
            answers=digest.startswith(digits),
            load=await self._index.active_load(),
            note=note,
        )


def _allow(by: Reviewer) -> None:
    if not by.may("approver"):
        who = "an agent" if by.agent else f"a {by.role}"
        raise Forbidden(f"{who} may not decide on knowledge: that takes an approver")
