"""What an agent was told: passages of a search, kept word for word under an investigation."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from orrery_knowledge.errors import KnowledgeError
from orrery_knowledge.governance.citations import Citation, format_citation, parse_citation
from orrery_knowledge.governance.cleaning import one_line
from orrery_knowledge.governance.digests import query_digest
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.governance.records import Evidence, Issue
from orrery_knowledge.models import Passage, SearchResult
from orrery_knowledge.screening import screen

__all__ = ["Citation", "format_citation", "issues", "parse_citation", "record", "resolve"]

MAX_QUERY_CHARACTERS = 2_000
"""Of a query as it is kept: screened, personal data gone, on one line."""

# Kept in columns of their own.
_COLUMNS = {"text", "citation", "corpus", "source", "anchor", "part", "load"}


def issues(result: SearchResult, digests: Mapping[str, str] | None = None) -> list[Issue]:
    """A search result's passages, as the ledger saves them.

    Args:
        result: after screening: what is saved is what is shown.
        digests: citation to whole document digest; the 7 digits of the citation stand for those
            that are missing.

    Raises:
        KnowledgeError: a passage carries no citation, or one without a digest.
    """
    query = one_line(screen(result.query).text, MAX_QUERY_CHARACTERS)
    return [_issue(passage, result, query, digests or {}) for passage in result.passages]


def _issue(passage: Passage, result: SearchResult, query: str, digests: Mapping[str, str]) -> Issue:
    citation = parse_citation(passage.citation)
    digest = digests.get(passage.citation) or citation.digest
    if digest is None:
        raise KnowledgeError("a passage's citation must carry the digest of its document")
    of_search = result.model_dump(
        mode="json", include={"status", "confident", "confidence", "counts"}
    )
    return Issue(
        citation=passage.citation,
        corpus=passage.corpus,
        source=passage.source,
        path=citation.path,
        digest=digest,
        anchor=passage.anchor,
        part=passage.part,
        load=passage.load,
        excerpt=passage.text,
        metadata={"query": query} | of_search | passage.model_dump(mode="json", exclude=_COLUMNS),
        query_digest=query_digest(result.query),
    )


async def record(
    ledger: Ledger,
    investigation: str,
    result: SearchResult,
    digests: Mapping[str, str] | None = None,
) -> list[Evidence]:
    """Save a result's passages under an investigation, before they are handed out.

    Raises:
        BackendUnavailable: they are not saved, so they must not be shown to an agent.
    """
    rows = await asyncio.to_thread(issues, result, digests)
    return await ledger.save_evidence(investigation, rows)


async def resolve(ledger: Ledger, investigation: str, citation: str) -> Evidence | None:
    """The saved passage that a citation names, or None: it was not issued there.

    Without a digest it is the latest version issued in that investigation; without a source, part
    or section it still has to name one passage exactly as it was issued.

    Raises:
        KnowledgeError: it is no citation.
    """
    wanted = parse_citation(citation)
    for row in reversed(await ledger.evidence(investigation)):
        issued = parse_citation(row.citation)
        same_digest = wanted.digest is None or row.digest.startswith(wanted.digest)
        same_rest = issued.model_copy(update={"digest": None}) == wanted.model_copy(
            update={"digest": None}
        )
        if row.issued and same_digest and same_rest:
            return row
    return None
