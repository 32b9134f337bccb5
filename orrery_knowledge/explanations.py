"""Why a search found nothing, where it isn't that nothing was written."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from orrery_knowledge.governance.cleaning import one_line
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.models import Query
from orrery_knowledge.protocols import KnowledgeIndex
from orrery_knowledge.screening import screen

MAX_NAMES = 20
"""How many known names an answer lists."""

MAX_NAME_CHARACTERS = 60
"""A longer name is cut where it is listed or repeated."""


def is_name(name: str) -> bool:
    """Whether something may be called so; engines choke on the rest (NUL, lone surrogates)."""
    return bool(name.strip()) and not any(
        char == "\0" or "\ud800" <= char <= "\udfff" for char in name
    )


def unknown_filter(
    query: Query, there: Iterable[tuple[str, str | None]], configured: Collection[str]
) -> str | None:
    """Which filter of a query names nothing, with what it could name; None when both are known.

    Args:
        query: one that found nothing.
        there: (corpus, service) of what a search may find; never of what it may not.
        configured: corpora, which may be empty as yet.
    """
    pairs = list(there)
    known = {
        "corpus": {corpus for corpus, _ in pairs} | set(configured),
        "service": {service for _, service in pairs if service},
    }
    for what, name in (("corpus", query.corpus), ("service", query.service)):
        if name is not None and name not in known[what]:
            names = _listed(known[what])
            return f"there is no {what} {_shown(name)!r}; {names}; without one, all are searched"
    return None


async def kept_out(ledger: Ledger, corpus: str | None = None) -> str | None:
    """How many documents wait for a review or are quarantined; None when none is.

    Args:
        ledger: who keeps them out.
        corpus: only documents of this one.
    """
    waiting = sum(
        review.status == "pending" and corpus in (None, review.corpus)
        for review in await ledger.reviews()
    )
    quarantined = sum(corpus in (None, entry.corpus) for entry in await ledger.list_quarantine())
    parts = []
    if waiting:
        parts.append(f"{waiting} {'waits' if waiting == 1 else 'wait'} for a review")
    if quarantined:
        are = "is" if quarantined == 1 else "are"
        parts.append(f"{quarantined} {are} quarantined (see `orrery-knowledge quarantine list`)")
    which = "no document" if corpus is None else f"no document of corpus {_shown(corpus)!r}"
    return f"{which} may be shown yet: {' and '.join(parts)}" if parts else None


async def nothing_shown(
    index: KnowledgeIndex, ledger: Ledger, corpus: str | None = None
) -> str | None:
    """Why an index shows nothing although something was written; None when it is simply empty.

    Args:
        index: of which nothing, or nothing of the corpus, may be found.
        ledger: who keeps documents out.
        corpus: the one that is asked about; None for all.
    """
    if kept := await kept_out(ledger, corpus):
        return kept
    if corpus is not None:
        return None
    held = sum(load.documents for load in await index.loads() if load.status == "active")
    if not held:
        return None
    return (
        f"no document may be shown: {held} {'is' if held == 1 else 'are'} indexed, but drafts, "
        "deprecated, rejected or revoked"
    )


def _listed(names: Collection[str]) -> str:
    if not names:
        return "no document names one"
    shown = [_shown(name) for name in sorted(names)[:MAX_NAMES]]
    more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    return f"known: {', '.join(shown)}{more}"


def _shown(name: str) -> str:
    # Whoever writes a document chooses its service: that is text like any other.
    return one_line(screen(name).text, MAX_NAME_CHARACTERS)
