"""Plays a recorded investigation back: does what was issued then still come back now?

No model and no agent takes part. The ledger keeps what was shown, word for word, but of a query
its digest and what screening left of it, so queries are run again where somebody hands them in.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Literal

from orrery_knowledge.errors import BackendUnavailable, ConfigurationError
from orrery_knowledge.governance.citations import format_citation, parse_citation
from orrery_knowledge.governance.digests import query_digest
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.governance.records import Evidence
from orrery_knowledge.governance.reviews import apply_decisions
from orrery_knowledge.identifiers import bounded_query
from orrery_knowledge.models import (
    FetchedChunk,
    Model,
    OutlinedChunk,
    PersonalKind,
    Query,
    SearchResult,
)
from orrery_knowledge.protocols import KnowledgeIndex
from orrery_knowledge.retrieval import Retrieval
from orrery_knowledge.screening import PERSONAL_KINDS, remembering, screen

BATCH = 200
"""Bodies fetched at once while words are looked for elsewhere."""

State = Literal["same", "changed", "moved", "gone"]
Found = tuple[State, FetchedChunk | None]


class AskedQuery(Model):
    """A query as it was asked, with the arguments of `search_knowledge`."""

    query: str
    service: str | None = None
    corpus: str | None = None


class ReplayedPassage(Model):
    """What became of one passage.

    Attributes:
        citation: as it was issued.
        state: ``same``: the words stand where they stood. ``changed``: its place holds other words.
            ``moved``: the words stand elsewhere. ``gone``: neither can be found any more.
        now: its citation now; None when it is gone.
        digest: whether the whole document is still the version that was cited.
        returned: whether its query brings it back; None when that query was not handed in.
    """

    citation: str
    state: State
    now: str | None = None
    digest: bool = False
    returned: bool | None = None


class Replay(Model):
    """An investigation against the present index.

    Attributes:
        load: that answers now.
        queries: how many different ones were asked then.
        replayed: how many of those were run again.
        lost: citations of passages that do not come back.
        notes: what the searches said of themselves, such as that the embedder failed.
    """

    investigation: str
    load: int | None
    queries: int
    replayed: int
    passages: tuple[ReplayedPassage, ...]
    lost: tuple[str, ...]
    notes: tuple[str, ...] = ()


async def replay(
    investigation: str,
    index: KnowledgeIndex,
    ledger: Ledger,
    retrieval: Retrieval,
    queries: Sequence[AskedQuery] = (),
    *,
    top_k: int = 6,
    personal: Collection[PersonalKind] = PERSONAL_KINDS,
) -> Replay:
    """Compare what an investigation was shown with what the index holds and returns now.

    Nothing is written: the queries leave no evidence and no gap.

    Args:
        investigation: whose evidence is compared; what a guard dropped is left out.
        index: what answers now.
        ledger: with the evidence; open.
        retrieval: over that index, to run queries again.
        queries: those of the investigation, as far as they are known.
        top_k: how many passages a query brings back.
        personal: kinds of personal data that passages are shown without.

    Raises:
        ConfigurationError: nothing was issued there, or a query was never asked there.
        BackendUnavailable: the index or the ledger does not answer.
    """
    issued = [row for row in await ledger.evidence(investigation) if row.issued]
    if not issued:
        raise ConfigurationError("nothing was issued under this investigation")
    keys = [query_digest(bounded_query(one.query.strip())) for one in queries]
    known = {row.query_digest for row in issued}
    if strange := [number for number, key in enumerate(keys, start=1) if key not in known]:
        raise ConfigurationError(f"query {strange[0]} brought nothing in this investigation")
    await apply_decisions(index, ledger)
    load = await index.active_load()
    outline = await index.outline() if load is not None else []
    rows = list({row.citation: row for row in issued}.values())
    present = _Present(index, outline, load or 0, personal)
    found = await present.locate(rows)
    # The digest says nothing of filters: a query that was asked with two of them has one digest.
    answers: dict[str, set[str]] = {}
    notes: dict[str, None] = {}
    for key, one in zip(keys, queries, strict=True):
        result = await _answer(one, retrieval, top_k)
        answers.setdefault(key, set()).update(_place(p.citation) for p in result.passages)
        if result.reason:
            notes[result.reason] = None
    passages = tuple(_passage(row, found[row.citation], issued, answers) for row in rows)
    return Replay(
        investigation=investigation,
        load=load,
        queries=len(known),
        replayed=len(answers),
        passages=passages,
        lost=tuple(p.citation for p in passages if p.state == "gone" or p.returned is False),
        notes=tuple(notes),
    )


async def _answer(asked: AskedQuery, retrieval: Retrieval, top_k: int) -> SearchResult:
    """What a query brings back now.

    Raises:
        BackendUnavailable: it can't be asked now, which says nothing of what was issued.
    """
    query = Query(text=asked.query, service=asked.service, corpus=asked.corpus, top_k=top_k)
    result = await retrieval.search(query)
    if result.status == "unavailable":
        raise BackendUnavailable(f"a query could not be run again: {result.reason}")
    return result


def _passage(
    row: Evidence,
    found: Found,
    issued: Sequence[Evidence],
    answers: Mapping[str, set[str]],
) -> ReplayedPassage:
    state, body = found
    cited = parse_citation(row.citation)
    now = _citation(body, named=cited.source is not None) if body else None
    keys = {other.query_digest for other in issued if other.citation == row.citation}
    run = [answers[key] for key in keys if key in answers]
    returned = all(now is not None and _place(now) in one for one in run) if run else None
    return ReplayedPassage(
        citation=row.citation,
        state=state,
        now=now,
        digest=body is not None and body.digest.startswith(row.digest),
        returned=returned,
    )


class _Present:
    """What the index holds now, as it would be shown."""

    def __init__(
        self,
        index: KnowledgeIndex,
        outline: Sequence[OutlinedChunk],
        load: int,
        personal: Collection[PersonalKind],
    ) -> None:
        self._index = index
        self._outline = outline
        self._load = load
        self._screened = remembering(partial(screen, kinds=frozenset(personal)))

    async def locate(self, rows: Sequence[Evidence]) -> dict[str, Found]:
        """Where passages are now, by citation: at their place, else wherever their words stand."""
        found = {row.citation: await self._at_its_place(row) for row in rows}
        missing = {
            row.citation: row.excerpt.strip()
            for row in rows
            if found[row.citation][0] not in ("same", "moved")
        }
        for start in range(0, len(self._outline), BATCH):
            if not missing:
                break
            for body in await self._bodies(self._outline[start : start + BATCH]):
                words = self._words(body)
                for citation in [one for one, wanted in missing.items() if wanted == words]:
                    found[citation] = ("moved", body)
                    del missing[citation]
        return found

    async def _at_its_place(self, row: Evidence) -> Found:
        cited = parse_citation(row.citation)
        part = cited.part or 1
        here = [c for c in self._outline if c.corpus == row.corpus and c.path == row.path]
        bodies = [
            body
            for body in await self._bodies(here)
            if cited.source in (None, body.source) and body.chunk.anchor == cited.anchor
        ]
        for body in bodies:
            if self._words(body) == row.excerpt.strip():
                return ("same" if body.chunk.part == part else "moved"), body
        place = [body for body in bodies if body.chunk.part == part]
        return ("changed", place[0]) if place else ("gone", None)

    async def _bodies(self, chunks: Sequence[OutlinedChunk]) -> list[FetchedChunk]:
        found = [one.chunk for one in chunks]
        return await self._index.fetch(found, self._load) if found else []

    def _words(self, body: FetchedChunk) -> str:
        """As they are shown, which is what evidence keeps; blank lines at the ends are no words."""
        return self._screened(body.chunk.text).text.strip()


def _citation(body: FetchedChunk, *, named: bool) -> str:
    chunk = body.chunk
    return format_citation(
        body.path,
        anchor=chunk.anchor,
        part=chunk.part if chunk.parts > 1 else None,
        digest=body.digest,
        source=body.source if named else None,
    )


def _place(citation: str) -> str:
    """A citation without what depends on the version and on how many sources there are."""
    cited = parse_citation(citation)
    return format_citation(cited.path, anchor=cited.anchor, part=cited.part)
