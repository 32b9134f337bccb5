"""Brings an index up to date with the ledger's decisions."""

from __future__ import annotations

from orrery_knowledge.errors import LedgerBehind
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.governance.records import Decision
from orrery_knowledge.protocols import KnowledgeIndex

LEDGER_BEHIND = (
    "the ledger is older than the index (restored from a backup, or another one): "
    "delete the index and run sync, so that it forgets what the ledger doesn't hold"
)


async def unapplied(index: KnowledgeIndex, ledger: Ledger) -> list[Decision]:
    """Every decision that the index has not seen, in order. Changes nothing.

    Raises:
        LedgerBehind: the index has applied a decision that this ledger doesn't hold. New decisions
            would get numbers that it takes for applied, so it must not answer.
    """
    applied = await index.applied_decision()
    decisions = await ledger.decisions_since(max(applied - 1, 0))
    if applied:
        if not decisions or decisions[0].number != applied:
            raise LedgerBehind(LEDGER_BEHIND)
        decisions = decisions[1:]
    return decisions


async def apply_decisions(
    index: KnowledgeIndex, ledger: Ledger, *, since: int | None = None
) -> int:
    """Apply every decision that the index has not seen, in order.

    Approving flips rows that are there (a revoked text that is approved again); the rows of a text
    that waited in the ledger are written by a load. Trust is not versioned: the rows of every load
    change.

    Args:
        index: what is searched.
        ledger: who decided what.
        since: number of a decision after which all are applied, seen or not: to rows that were
            written by what was known then.

    Returns:
        how many decisions were applied.

    Raises:
        LedgerBehind: see `unapplied`.
    """
    decisions = await unapplied(index, ledger)
    if since is not None:
        decisions = await ledger.decisions_since(since)
    for decision in decisions:
        await index.set_eligible(
            decision.document,
            decision.digest,
            decision.decision == "approved",
            decision.number,
        )
    return len(decisions)
