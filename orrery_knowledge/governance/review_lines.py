"""What a reviewer is shown of a version: a line of a list, or all of it with what is new."""

from __future__ import annotations

import difflib
from datetime import datetime
from typing import Any

from orrery_knowledge.governance.records import PendingDocument, Review, ReviewStatus
from orrery_knowledge.governance.shown import shown_path
from orrery_knowledge.models import Model
from orrery_knowledge.screening import label_text, noticed, screen


class ReviewLine(Model):
    """One version in a list; see ``docs/reference/json.md``.

    Attributes:
        title: screened, like `path`.
        current: whether its source held it when it was last read.
        reason: of the latest decision; "" without one.
        verified: whether the reviewer's name is that of a token.
    """

    id: str
    source: str
    corpus: str
    path: str
    title: str
    digest: str
    status: ReviewStatus
    current: bool
    reason: str
    reviewer: str | None
    verified: bool | None
    decided_at: datetime | None
    filed_at: datetime


class ReviewText(ReviewLine):
    """One version in full.

    Attributes:
        text: as its source holds it, hidden parts and all: show it as data.
        uri: where it comes from.
        revision: of the source.
        findings: what to look at, with lines; never the words that were found.
        answers_now: digest of the version that answers; None where none does.
        diff: to that version; None where it is this one, or was not filed.
    """

    text: str
    uri: str
    revision: str
    metadata: dict[str, Any]
    findings: tuple[str, ...]
    answers_now: str | None
    diff: str | None


def line_of(review: Review) -> ReviewLine:
    """A version as lists show it."""
    decision = review.decision
    return ReviewLine(
        id=review.id,
        source=review.source,
        corpus=review.corpus,
        path=shown_path(review.path),
        title=label_text(screen(review.title).text),
        digest=review.digest,
        status=review.status,
        current=review.current,
        reason=decision.reason if decision else "",
        reviewer=decision.reviewer if decision else None,
        verified=decision.verified if decision else None,
        decided_at=decision.decided_at if decision else None,
        filed_at=review.filed_at,
    )


def text_of(
    review: Review,
    filed: PendingDocument,
    answers_now: str | None,
    earlier: PendingDocument | None,
) -> ReviewText:
    """A version in full.

    Args:
        review: its line.
        filed: its text.
        answers_now: digest of the version that answers.
        earlier: the text of that version, if it was filed.
    """
    text = filed.document.text
    notes = [f"line {one.line}: {one.rule}" for one in (*screen(text).findings, *noticed(text))]
    another = earlier is not None and earlier.digest != review.digest
    return ReviewText(
        **dict(line_of(review)),
        text=text,
        uri=shown_path(filed.document.uri),
        revision=review.revision,
        metadata=filed.metadata,
        findings=tuple(dict.fromkeys(notes)),
        answers_now=answers_now,
        diff=_change(earlier, filed) if earlier and another else None,
    )


def _change(before: PendingDocument, now: PendingDocument) -> str:
    lines = difflib.unified_diff(
        before.document.text.splitlines(),
        now.document.text.splitlines(),
        f"answers now ({before.digest[:12]})",
        f"to review ({now.digest[:12]})",
        lineterm="",
    )
    return "\n".join(lines) + "\n"
