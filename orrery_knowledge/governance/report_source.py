"""Incident reports as a source: every sync carries on what the ledger holds of them."""

from __future__ import annotations

from collections.abc import AsyncIterator

from orrery_knowledge.errors import DocumentError
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.governance.outcomes import REPORTS, REPORTS_CORPUS
from orrery_knowledge.governance.records import Review
from orrery_knowledge.models import Document, SourceEntry, Trust


class ReportSource:
    """What was filed as a report and not replaced; whether it answers is a review's matter.

    Args:
        ledger: that holds them; open.
    """

    id = REPORTS
    corpus = REPORTS_CORPUS
    trust: Trust = "review"
    settings_key = "incident-reports-1"

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    async def entries(self) -> AsyncIterator[SourceEntry]:
        """The current version of each report, by path."""
        found = [one for one in await self._ledger.reviews(self.id) if one.current]
        for review in sorted(found, key=lambda one: one.path):
            yield SourceEntry(path=review.path, revision=review.revision, handle=review)

    async def read(self, entry: SourceEntry) -> Document:
        """The text of a report.

        Raises:
            DocumentError: it is not filed any more.
        """
        review = entry.handle
        if isinstance(review, Review):
            filed = await self._ledger.pending(review.document, review.digest)
            if filed is not None:
                return filed.document
        raise DocumentError(f"{entry.path}: this report is not filed any more")

    async def close(self) -> None:
        """Nothing to release: whoever opened the ledger closes it."""
