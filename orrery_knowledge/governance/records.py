"""What the ledger hands out: frozen records of decisions, pending texts, quarantine, evidence."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from orrery_knowledge.governance.citations import format_review_id
from orrery_knowledge.models import Document, Model

#: (corpus, source, path): identifies a document.
DocumentKey = tuple[str, str, str]

Verdict = Literal["approved", "rejected", "revoked", "tainted", "expired"]
QuarantineKind = Literal["invalid", "unsafe"]
ReviewStatus = Literal[
    "pending", "approved", "rejected", "revoked", "tainted", "expired", "superseded"
]


class Decision(Model):
    """One decision on one version of a document.

    Attributes:
        number: increasing over all decisions of a ledger, never used twice.
        reviewer: the name that was given.
        verified: whether that name is more than a claim; False until identities are configured.
        decided_at: aware, UTC.
    """

    number: int
    corpus: str
    source: str
    path: str
    digest: str
    decision: Verdict
    reviewer: str
    reason: str
    decided_at: datetime
    verified: bool = False

    @property
    def document(self) -> DocumentKey:
        """The document that it is about."""
        return (self.corpus, self.source, self.path)


class PendingDocument(Model):
    """A version that waits, or waited, for a review: everything that approving it needs.

    Attributes:
        document: as the source yielded it, front matter included.
        metadata: as it was parsed when the version was filed.
        superseded: whether a newer version was filed, or the document is gone.
    """

    document: Document
    digest: str
    title: str
    metadata: dict[str, Any]
    filed_at: datetime
    superseded: bool


class Review(Model):
    """A line of `review list`: a filed version and what became of it.

    Attributes:
        current: whether it is what its source held when it was last read.
    """

    corpus: str
    source: str
    path: str
    digest: str
    title: str
    status: ReviewStatus
    filed_at: datetime
    revision: str
    current: bool = True
    decision: Decision | None = None

    @property
    def id(self) -> str:
        """Its name in lists and commands; see `format_review_id`."""
        return format_review_id(self.source, self.path, self.digest)

    @property
    def document(self) -> DocumentKey:
        """The document that it is about."""
        return (self.corpus, self.source, self.path)


class QuarantineReason(Model):
    """One finding, without what was found.

    Attributes:
        rule: id of the rule, or a one-line reason.
        line: line in the file, from 1.
        preview: masked; the ledger cuts what still looks like a secret.
    """

    rule: str
    line: int | None = None
    preview: str = ""


class QuarantineEntry(Model):
    """A document revision that is kept out of search, and why."""

    corpus: str
    source: str
    path: str
    revision: str
    digest: str | None
    kind: QuarantineKind
    reasons: tuple[QuarantineReason, ...]
    filed_at: datetime
    last_seen_at: datetime
    resolved_at: datetime | None


class Issue(Model):
    """One passage as it is given out; the ledger adds when and where (see `Evidence`).

    Attributes:
        citation: unique name inside its investigation (see `citations`).
        digest: of the document version; at least the 7 digits that the citation shows.
        excerpt: the words that were shown. Later edits of the index don't reach it.
        metadata: what the search said about it: score, ranks, trust, what matched; and the query,
            screened and cut.
        query_digest: of the whole query, as it was asked.
    """

    citation: str
    corpus: str
    source: str
    path: str
    digest: str
    anchor: str = ""
    part: int = 1
    load: int
    excerpt: str
    metadata: dict[str, Any] = Field(default_factory=dict)
    query_digest: str


class Evidence(Issue):
    """A saved passage.

    Attributes:
        sequence: from 1 inside the investigation, in the order of issue.
        issued: False once the guard dropped it on its way out.
    """

    investigation: str
    sequence: int
    issued: bool
    issued_at: datetime


class AuditEntry(Model):
    """Something that happened. `details` hold no document text."""

    number: int
    at: datetime
    actor: str
    action: str
    investigation: str | None
    details: dict[str, Any]


GapKind = Literal["question", "alert"]


class Gap(Model):
    """What was asked and nobody has written: like questions or alerts, counted together.

    Attributes:
        kind: who asked: a person or agent, or an alert.
        text: how it was put first, screened and cut; None where screening failed, so that nothing
            was kept but the count.
        count: how often it was asked.
        unsure: how many of those times something was found, but nothing to rely on.
        first_seen: of those times the first (UTC).
        last_seen: the last.
    """

    kind: GapKind
    text: str | None
    count: int
    unsure: int
    first_seen: datetime
    last_seen: datetime


class Gaps(Model):
    """What `gaps` lists.

    Attributes:
        gaps: most asked first, then the latest.
        evicted: how many askings of others are only counted here, because there were too many.
    """

    gaps: tuple[Gap, ...]
    evicted: int


OutcomeKind = Literal["remedy", "recovery"]
OutcomeResult = Literal["failed", "partial", "worked", "observed"]


class RecordedOutcome(Model):
    """What was tried in an incident, or how it ended.

    Attributes:
        kind: something that was tried, or the recovery that was observed.
        text: what, screened and on one line.
        result: of a remedy; ``observed`` for a recovery.
        recorded_by: who said so.
        verified: whether that name is that of a token.
    """

    number: int
    investigation: str
    service: str | None
    kind: OutcomeKind
    text: str
    result: OutcomeResult
    recorded_by: str
    verified: bool
    recorded_at: datetime
