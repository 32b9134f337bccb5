"""Which deliveries of alerts were seen, for a day; no text of an alert, only digests."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from orrery_knowledge.governance.connected import Connected
from orrery_knowledge.governance.schema import delivery

REMEMBERED = timedelta(hours=24)
"""Whoever delivers the same news again a day later means it anew."""

MAX_DELIVERIES = 200_000
"""Digests kept; a flood of made-up alerts fills no disk."""

_BATCH = 500


class KeepsDeliveries(Connected):
    """Their place in a ledger, which every worker shares and no restart forgets."""

    async def new_deliveries(self, keys: Sequence[str], now: datetime | None = None) -> set[str]:
        """Remember deliveries, and tell which of them nobody has seen.

        Args:
            keys: a digest each; of two calls at once with the same key, one gets it.
            now: aware; the current time if None.

        Raises:
            BackendUnavailable: the ledger does not answer.
        """
        wanted = list(dict.fromkeys(keys))
        at = now or datetime.now(UTC)
        new: set[str] = set()
        async with self._write("deliveries") as connection:
            last = (await connection.execute(sa.select(sa.func.max(delivery.c.number)))).scalar()
            await connection.execute(
                sa.delete(delivery).where(
                    sa.or_(
                        delivery.c.seen_at <= at - REMEMBERED,
                        delivery.c.number <= (last or 0) - MAX_DELIVERIES,
                    )
                )
            )
            for start in range(0, len(wanted), _BATCH):
                some = wanted[start : start + _BATCH]
                there = sa.select(delivery.c.key).where(delivery.c.key.in_(some))
                seen = set((await connection.execute(there)).scalars())
                unseen = [key for key in some if key not in seen]
                if unseen:
                    rows = [{"key": key, "seen_at": at} for key in unseen]
                    await connection.execute(sa.insert(delivery), rows)
                new.update(unseen)
        return new
