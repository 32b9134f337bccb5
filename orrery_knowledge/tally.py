"""What a sync counts as it goes on."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from orrery_knowledge.models import PlannedChange, SyncError, SyncReport

NAMED = 3
"""How many documents a warning names that holds for several of a source."""


@dataclass
class Tally:
    """Running counts of one sync; the fields are those of `SyncReport`.

    Attributes:
        seen: entries that were listed, whatever became of them.
        started: on the monotonic clock.
    """

    dry_run: bool = False
    documents: int = 0
    chunks: int = 0
    skipped: int = 0
    pruned: int = 0
    removed: int = 0
    quarantined: int = 0
    pending: int = 0
    refreshed: int = 0
    stopped: int = 0
    failed: int = 0
    embedded: int = 0
    seen: int = 0
    passed_over: dict[str, int] = field(default_factory=dict)
    errors: list[SyncError] = field(default_factory=list)
    warnings: list[SyncError] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)

    def fail(self, where: str, reason: str) -> None:
        """A document or source failed: nothing is deleted in this run, and it exits with 1."""
        self.failed += 1
        self.problem(where, reason)

    def problem(self, where: str, reason: str) -> None:
        """Something that people must read; no failure by itself."""
        self.errors.append(SyncError(source=where, reason=reason))

    def warn(self, where: str, reason: str) -> None:
        """Something that was mended or is worth knowing."""
        self.warnings.append(SyncError(source=where, reason=reason))

    def pass_over(self, reason: str) -> None:
        """An entry is no document."""
        self.passed_over[reason] = self.passed_over.get(reason, 0) + 1

    def report(self, load: int | None, *, activated: bool) -> SyncReport:
        """The counts so far, with the load that is active now."""
        return self._report(load, self._changes(), activated=activated)

    def refusal(self, load: int | None, reason: str) -> SyncReport:
        """Nothing was activated, so nothing that was built counts: it was only planned.

        What was filed, embedded and found to fail stays in the report, because it stays.
        """
        self.errors.insert(0, SyncError(source="sync", reason=reason))
        return self._report(
            load, PlannedChange(), activated=False, refused=True, planned=self._changes()
        )

    def _changes(self) -> PlannedChange:
        return PlannedChange(
            documents=self.documents, chunks=self.chunks, pruned=self.pruned, removed=self.removed
        )

    def _report(
        self,
        load: int | None,
        done: PlannedChange,
        *,
        activated: bool,
        refused: bool = False,
        planned: PlannedChange | None = None,
    ) -> SyncReport:
        return SyncReport(
            load=load,
            activated=activated,
            refused=refused,
            planned=planned,
            dry_run=self.dry_run,
            documents=done.documents,
            chunks=done.chunks,
            pruned=done.pruned,
            removed=done.removed,
            skipped=self.skipped,
            quarantined=self.quarantined,
            pending=self.pending,
            refreshed=self.refreshed,
            stopped=self.stopped,
            failed=self.failed,
            embedded=self.embedded,
            passed_over=self.passed_over,
            took_ms=round((time.monotonic() - self.started) * 1000, 1),
            errors=tuple(self.errors),
            warnings=tuple(_together(self.warnings)),
        )


def _together(warnings: Sequence[SyncError]) -> Iterator[SyncError]:
    """One warning for all documents of a source that share it, where the first of them stood.

    What holds for a whole source (a shallow clone) would hide everything else otherwise.
    """
    groups: dict[tuple[str, str], list[str]] = {}
    for warning in warnings:
        source, _, document = warning.source.partition(": ")
        groups.setdefault((source, warning.reason), []).append(document)
    for (source, reason), documents in groups.items():
        if len(documents) == 1:
            [document] = documents
            yield SyncError(source=f"{source}: {document}" if document else source, reason=reason)
            continue
        names = [*documents[:NAMED], *(["..."] if len(documents) > NAMED else [])]
        yield SyncError(
            source=source, reason=f"{len(documents)} documents ({', '.join(names)}): {reason}"
        )
