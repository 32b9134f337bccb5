"""Evidence rows: statements on one open transaction."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from orrery_knowledge.governance.records import Evidence
from orrery_knowledge.governance.schema import evidence


async def save(
    connection: AsyncConnection, investigation: str, rows: list[dict[str, Any]]
) -> list[Evidence]:
    """Insert rows of `Issue` fields, numbered on from the investigation's last."""
    last = await connection.execute(
        sa.select(sa.func.max(evidence.c.sequence)).where(evidence.c.investigation == investigation)
    )
    now = datetime.now(UTC)
    for sequence, row in enumerate(rows, (last.scalar() or 0) + 1):
        row.update(investigation=investigation, sequence=sequence, issued=True, issued_at=now)
    await connection.execute(sa.insert(evidence), rows)
    return [Evidence(**row) for row in rows]


async def take_back(
    connection: AsyncConnection, investigation: str, citations: Iterable[str]
) -> int:
    """Mark the latest issue of each citation as not issued. Returns how many there were."""
    taken = 0
    for citation in dict.fromkeys(citations):
        newest = sa.select(sa.func.max(evidence.c.number)).where(
            evidence.c.investigation == investigation,
            evidence.c.citation == citation,
            evidence.c.issued,
        )
        done = await connection.execute(
            sa.update(evidence)
            .where(evidence.c.number == newest.scalar_subquery())
            .values(issued=False)
        )
        taken += done.rowcount
    return taken


def to_evidence(row: sa.Row[Any]) -> Evidence:
    """A row of the table."""
    return Evidence(**{name: value for name, value in row._mapping.items() if name != "number"})
