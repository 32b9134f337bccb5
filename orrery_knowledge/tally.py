"""What a sync counts as it goes on."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from orrery_knowledge.models import SyncError, SyncReport


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

    def report(self, load: int | None, *, activated: bool, refused: bool = False) -> SyncReport:
        """The counts so far, with the load that is active now."""
        return SyncReport(
            load=load,
            activated=activated,
            refused=refused,
            dry_run=self.dry_run,
            documents=self.documents,
            chunks=self.chunks,
            skipped=self.skipped,
            pruned=self.pruned,
            removed=self.removed,
            quarantined=self.quarantined,
            pending=self.pending,
            failed=self.failed,
            embedded=self.embedded,
            passed_over=self.passed_over,
            took_ms=round((time.monotonic() - self.started) * 1000, 1),
            errors=tuple(self.errors),
            warnings=tuple(self.warnings),
        )
