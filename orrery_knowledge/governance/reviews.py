"""Brings an index up to date with the ledger's decisions."""

from __future__ import annotations

from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.protocols import KnowledgeIndex


async def apply_decisions(index: KnowledgeIndex, ledger: Ledger) -> int:
    """Apply every decision that the index has not seen, in order.

    Approving flips rows that are there (a revoked text that is approved again); the rows of a text
    that waited in the ledger are written by a load. Trust is not versioned: the rows of every load
    change.

    Returns:
        how many decisions were applied.
    """
    decisions = await ledger.decisions_since(await index.applied_decision())
    for decision in decisions:
        await index.set_eligible(
            decision.document,
            decision.digest,
            decision.decision == "approved",
            decision.number,
        )
    return len(decisions)
