"""Quarantine rows: statements on one open transaction."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from orrery_knowledge.governance.cleaning import one_line
from orrery_knowledge.governance.decisions import is_document
from orrery_knowledge.governance.records import (
    DocumentKey,
    QuarantineEntry,
    QuarantineKind,
    QuarantineReason,
)
from orrery_knowledge.governance.schema import quarantine

_MAX_RULE = 200
_MAX_PREVIEW = 60
# Screening masks what it found. This is the second line: an unbroken run of this length may be a
# key that slipped through, and a preview loses little without its end.
_RUN = re.compile(r"(\S{4})\S{8,}")


def masked(preview: str) -> str:
    """A preview on one short line, without the greater part of every long run of characters."""
    return one_line(_RUN.sub("\\1\u2026", preview), _MAX_PREVIEW)


async def put(
    connection: AsyncConnection,
    document: DocumentKey,
    *,
    revision: str,
    digest: str | None,
    kind: QuarantineKind,
    reasons: Sequence[QuarantineReason],
) -> None:
    """Enter a revision, or see it again; other revisions of the document are resolved by it."""
    now = datetime.now(UTC)
    mine = is_document(quarantine, document)
    values: dict[str, Any] = {
        "digest": digest,
        "kind": kind,
        "reasons": [
            {
                "rule": one_line(reason.rule, _MAX_RULE),
                "line": reason.line,
                "preview": masked(reason.preview),
            }
            for reason in reasons
        ],
        "last_seen_at": now,
        "resolved_at": None,
    }
    await connection.execute(
        sa.update(quarantine)
        .where(mine, quarantine.c.revision != revision, quarantine.c.resolved_at.is_(None))
        .values(resolved_at=now)
    )
    seen = await connection.execute(
        sa.update(quarantine).where(mine, quarantine.c.revision == revision).values(**values)
    )
    if seen.rowcount == 0:
        corpus, source, path = document
        await connection.execute(
            sa.insert(quarantine).values(
                corpus=corpus, source=source, path=path, revision=revision, filed_at=now, **values
            )
        )


async def is_open(connection: AsyncConnection, document: DocumentKey) -> bool:
    """Whether a document has an open entry."""
    found = await connection.execute(
        sa.select(quarantine.c.number).where(
            is_document(quarantine, document), quarantine.c.resolved_at.is_(None)
        )
    )
    return found.first() is not None


async def resolve(connection: AsyncConnection, document: DocumentKey) -> int:
    """Resolve whatever is open for a document. Returns how many entries that were."""
    done = await connection.execute(
        sa.update(quarantine)
        .where(is_document(quarantine, document), quarantine.c.resolved_at.is_(None))
        .values(resolved_at=datetime.now(UTC))
    )
    return done.rowcount


def to_entry(row: sa.Row[Any]) -> QuarantineEntry:
    """A row of the table."""
    fields = dict(row._mapping)
    fields.pop("number")
    fields["reasons"] = tuple(QuarantineReason(**reason) for reason in fields["reasons"])
    return QuarantineEntry(**fields)
