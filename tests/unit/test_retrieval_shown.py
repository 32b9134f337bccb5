"""What a passage shows: nothing that steers a terminal, in whichever field it stood."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.models import Candidate, Chunk, FetchedChunk, Query, Rankings
from orrery_knowledge.protocols import Vectors
from orrery_knowledge.retrieval import Retrieval

BAD = "\x1b]0;owned\x07\x1b[31m\x9b2J\u202e\u200b\x08\r\n"


class Hostile:
    """A managed backend every text of which carries terminal sequences."""

    async def search(
        self, query: Query, vector: Vectors | None, fingerprint: str | None
    ) -> Rankings:
        return Rankings(
            load=7, rankings={"managed": (1,)}, candidates={1: Candidate(1, 10)}, coverage=0.9
        )

    async def fetch(self, chunks: Sequence[int], load: int) -> list[FetchedChunk]:
        chunk = Chunk(
            ordinal=0,
            text=f"drain {BAD}it, ask jane.doe@acme.io or +44 20 7946 0958",
            heading_path=(f"Po{BAD}ol",),
            section=f"Po{BAD}ol",
            anchor=f"po{BAD}ol",
            part=1,
            parts=1,
            line_start=1,
            line_end=2,
            context="",
        )
        return [
            FetchedChunk(
                id=1,
                chunk=chunk,
                corpus="wiki",
                source="wiki",
                path=f"a{BAD}.md",
                uri=f"test:{BAD}a",
                title=f"Ti{BAD}tle",
                service=f"pay{BAD}ments",
                digest="1" * 64,
                commit=None,
                revision=f"r{BAD}1",
                modified_at=datetime(2026, 1, 5, tzinfo=UTC),
                trust="managed",
                identifiers=(),
            )
        ]

    async def active_load(self) -> int | None:
        return 7

    async def close(self) -> None:
        pass


@pytest.fixture
async def retrieval(tmp_path: Path) -> AsyncIterator[Retrieval]:
    opened = Retrieval(Hostile(), Ledger(tmp_path / "ledger.db"), None)
    yield opened
    await opened.close()


async def test_every_field_of_a_passage_is_clean(retrieval: Retrieval) -> None:
    [passage] = (await retrieval.search(Query(text="zebra"))).passages
    assert passage.title == "Ti[withheld: invisible text (bidi-override)] tle"
    assert (passage.source, passage.revision, passage.service) == ("test: a", "r 1", "pay ments")
    assert passage.label.startswith("a .md § Po")
    shown = json.dumps(passage.model_dump(mode="json"), ensure_ascii=False)
    # A citation keeps what the path says, percent-encoded: it must find the document again.
    assert "owned" not in shown.replace(passage.citation, "")
    assert all(char.isprintable() for char in shown.replace("\\n", ""))


async def test_dropped_passages_are_marked_where_they_were_saved(
    retrieval: Retrieval, tmp_path: Path
) -> None:
    [passage] = (await retrieval.search(Query(text="zebra"), investigation="INC-1")).passages
    assert await retrieval.mark_not_issued("INC-2", [passage.citation]) == 0
    assert await retrieval.mark_not_issued("INC-1", [passage.citation]) == 1
    ledger = Ledger(tmp_path / "ledger.db")
    await ledger.open()
    assert [row.issued for row in await ledger.evidence("INC-1")] == [False]
    await ledger.close()


async def test_passages_are_shown_without_the_personal_data_that_was_chosen(
    retrieval: Retrieval, tmp_path: Path
) -> None:
    [passage] = (await retrieval.search(Query(text="zebra"))).passages
    assert passage.text.endswith("ask [REDACTED:email] or [REDACTED:phone]")
    chosen = Retrieval(Hostile(), Ledger(tmp_path / "other.db"), None, personal=["phone"])
    [passage] = (await chosen.search(Query(text="zebra"))).passages
    assert passage.text.endswith("ask jane.doe@acme.io or [REDACTED:phone]")
    await chosen.close()
