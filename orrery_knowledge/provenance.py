"""Keeps commits and dates right of documents whose text stays as it is.

A text doesn't change when a clone gets its whole history, when history is written anew, or when an
edit is taken back. What is shown beside it does.
"""

from __future__ import annotations

from orrery_knowledge.models import KnownDocument, Provenance, SourceEntry
from orrery_knowledge.protocols import KnowledgeIndex, KnowledgeSource, keeps_history
from orrery_knowledge.tally import Tally


async def moved(
    source: KnowledgeSource, entry: SourceEntry, known: KnownDocument
) -> Provenance | None:
    """Where an unchanged document comes from now; None when the index says so already.

    Raises:
        SourceError: the source's history can't be read.
    """
    if not keeps_history(source):
        return None
    now = await source.provenance(entry)
    before = (known.uri, known.commit, known.modified_at)
    return None if before == (now.uri, now.commit, now.modified_at) else now


class Provenances:
    """What a sync finds to have moved, written source by source.

    Args:
        index: gets it; in a dry run it is only counted.
        tally: gets the count.
    """

    def __init__(self, index: KnowledgeIndex, tally: Tally) -> None:
        self._index = index
        self._tally = tally
        self._moved: list[Provenance] = []

    async def look_at(
        self, source: KnowledgeSource, entry: SourceEntry, known: KnownDocument
    ) -> None:
        """Compare one unchanged document.

        Raises:
            SourceError: the source's history can't be read.
        """
        if (now := await moved(source, entry, known)) is not None:
            self._moved.append(now)

    async def write(self, source: str) -> None:
        """Bring up to date what has moved in a source."""
        found, self._moved = self._moved, []
        self._tally.refreshed += len(found)
        if found and not self._tally.dry_run:
            await self._index.describe(source, found)
