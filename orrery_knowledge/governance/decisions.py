"""Pending texts and decisions: what may follow what, in statements on one open transaction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import Any, get_args

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from orrery_knowledge.errors import ConfigurationError, StaleDecision
from orrery_knowledge.governance.citations import format_review_id
from orrery_knowledge.governance.records import (
    Decision,
    DocumentKey,
    PendingDocument,
    Review,
    Verdict,
)
from orrery_knowledge.governance.schema import audit, pending
from orrery_knowledge.governance.schema import decision as decisions
from orrery_knowledge.models import Document

NARROWING: frozenset[Verdict] = frozenset(("revoked", "tainted", "expired"))
"""Verdicts that take eligibility away from what has it, or might have it."""

_KEYS_A_STATEMENT = 300


def is_document(table: sa.Table, document: DocumentKey) -> sa.ColumnElement[bool]:
    """The rows of one document."""
    corpus, source, path = document
    return sa.and_(table.c.source == source, table.c.corpus == corpus, table.c.path == path)


def is_any_of(table: sa.Table, documents: Iterable[DocumentKey]) -> sa.ColumnElement[bool]:
    """The rows of several documents."""
    columns = sa.tuple_(table.c.corpus, table.c.source, table.c.path)
    return columns.in_([tuple(document) for document in documents])


def batches(documents: Iterable[DocumentKey]) -> Iterator[list[DocumentKey]]:
    """Documents in lists short enough for one statement's parameters."""
    rest = iter(documents)
    while batch := list(islice(rest, _KEYS_A_STATEMENT)):
        yield batch


async def file_version(
    connection: AsyncConnection,
    document: Document,
    *,
    digest: str,
    title: str,
    metadata: dict[str, Any],
    source_metadata: dict[str, Any],
) -> bool:
    """File a version as the current one. False when it is that already."""
    corpus, source, path = document.corpus, document.source, document.path
    mine = is_document(pending, (corpus, source, path))
    values: dict[str, Any] = {
        "title": title,
        "text": document.text,
        "metadata": metadata,
        "uri": document.uri,
        "revision": document.revision,
        "commit_id": document.commit,
        "modified_at": document.modified_at,
        "source_metadata": source_metadata,
        "warnings": list(document.warnings),
        "superseded": False,
    }
    await connection.execute(
        sa.update(pending)
        .where(mine, pending.c.digest != digest, ~pending.c.superseded)
        .values(superseded=True)
    )
    filed = await connection.execute(
        sa.select(pending.c.number, pending.c.superseded).where(mine, pending.c.digest == digest)
    )
    row = filed.one_or_none()
    if row is None or row.superseded:
        values["filed_at"] = datetime.now(UTC)
    if row is None:
        values |= {"corpus": corpus, "source": source, "path": path, "digest": digest}
        await connection.execute(sa.insert(pending).values(**values))
        return True
    await connection.execute(
        sa.update(pending).where(pending.c.number == row.number).values(**values)
    )
    return bool(row.superseded)


async def decide(
    connection: AsyncConnection,
    document: DocumentKey,
    digest: str,
    verdict: Verdict,
    *,
    reviewer: str,
    verified: bool,
    reason: str,
    replaces: int | None,
    indexed: bool,
    before: str | None,
) -> int:
    """Check that a decision is about what lies there now; record it, and who took it."""
    mine = sa.and_(is_document(decisions, document), decisions.c.digest == digest)
    last = (await connection.execute(select_latest(mine))).one_or_none()
    filed = await connection.execute(
        sa.select(pending.c.number).where(
            is_document(pending, document), pending.c.digest == digest, ~pending.c.superseded
        )
    )
    current = indexed or filed.first() is not None
    latest = None if last is None else to_decision(last)
    _refuse_stale(latest, verdict, replaces=replaces, current=current)
    corpus, source, path = document
    result = await connection.execute(
        sa.insert(decisions)
        .values(
            corpus=corpus,
            source=source,
            path=path,
            digest=digest,
            decision=verdict,
            reviewer=reviewer,
            reason=reason,
            decided_at=(now := datetime.now(UTC)),
            verified=verified,
        )
        .returning(decisions.c.number)
    )
    number = int(result.scalar_one())
    after = digest if verdict == "approved" else None if before == digest else before
    details = {
        "review": format_review_id(source, path, digest),
        "corpus": corpus,
        "decision": number,
        "reason": reason,
        "verified": verified,
        "digest_before": before,
        "digest_after": after,
    }
    await connection.execute(
        sa.insert(audit).values(
            at=now, actor=reviewer, action=f"review.{verdict}", investigation=None, details=details
        )
    )
    return number


def _refuse_stale(
    latest: Decision | None, verdict: Verdict, *, replaces: int | None, current: bool
) -> None:
    narrows = verdict in NARROWING
    # An approved older text may answer while its edit waits; it can be taken back all the same.
    answering = narrows and latest is not None and latest.decision == "approved"
    if not (current or answering):
        raise StaleDecision("this version is not what lies there now; look at the list again")
    if replaces is not None:
        if replaces != (latest.number if latest else 0):
            raise StaleDecision("somebody else decided on this version meanwhile")
    elif latest is not None and (not narrows or latest.decision in (verdict, "rejected")):
        raise StaleDecision(f"this version was already {latest.decision}")


def select_latest(where: sa.ColumnElement[bool]) -> sa.Select[Any]:
    """The latest decision on each document and digest, among those that meet a condition."""
    columns = (decisions.c.corpus, decisions.c.source, decisions.c.path, decisions.c.digest)
    newest = sa.select(sa.func.max(decisions.c.number)).where(where).group_by(*columns)
    return sa.select(decisions).where(decisions.c.number.in_(newest))


def select_reviews() -> sa.Select[Any]:
    """Filed versions with their latest decision, texts left out."""
    other = decisions.alias()
    columns = ("corpus", "source", "path", "digest")
    same = sa.and_(*(other.c[name] == pending.c[name] for name in columns))
    newest = sa.select(sa.func.max(other.c.number)).where(same).correlate(pending)
    latest = [
        decisions.c[name].label(f"latest_{name}")
        for name in ("number", "decision", "reviewer", "reason", "decided_at", "verified")
    ]
    own = (*columns, "title", "revision", "filed_at", "superseded")
    return (
        sa.select(*(pending.c[name] for name in own), *latest)
        .outerjoin_from(pending, decisions, decisions.c.number == newest.scalar_subquery())
        .order_by(pending.c.filed_at, pending.c.number)
    )


def to_review(row: sa.Row[Any]) -> Review:
    """A row of `select_reviews`."""
    version = {name: row._mapping[name] for name in ("corpus", "source", "path", "digest")}
    found = None
    if row.latest_number is not None:
        found = Decision(
            number=row.latest_number,
            decision=row.latest_decision,
            reviewer=row.latest_reviewer,
            reason=row.latest_reason,
            decided_at=row.latest_decided_at,
            verified=row.latest_verified,
            **version,
        )
    return Review(
        title=row.title,
        status=found.decision if found else "superseded" if row.superseded else "pending",
        filed_at=row.filed_at,
        revision=row.revision,
        current=not row.superseded,
        decision=found,
        **version,
    )


def to_decision(row: sa.Row[Any]) -> Decision:
    """A row of the table."""
    return Decision(**row._mapping)


def to_pending(row: sa.Row[Any]) -> PendingDocument:
    """A row of the table."""
    document = Document(
        corpus=row.corpus,
        source=row.source,
        path=row.path,
        uri=row.uri,
        text=row.text,
        revision=row.revision,
        commit=row.commit_id,
        modified_at=row.modified_at,
        metadata=row.source_metadata,
        warnings=tuple(row.warnings),
    )
    return PendingDocument(
        document=document,
        digest=row.digest,
        title=row.title,
        metadata=row.metadata,
        filed_at=row.filed_at,
        superseded=row.superseded,
    )


def check_verdict(verdict: str) -> Verdict:
    """The verdict, if it is one.

    Raises:
        ConfigurationError: it is none.
    """
    for known in get_args(Verdict):
        if verdict == known:
            found: Verdict = known
            return found
    raise ConfigurationError(f"a decision is one of {', '.join(get_args(Verdict))}")
