from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from orrery_knowledge.backends.sqlite.index import SqliteConfig, SqliteIndex
from orrery_knowledge.errors import BackendUnavailable, EmbedderError
from orrery_knowledge.governance.evidence import resolve
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.identifiers import MAX_QUERY
from orrery_knowledge.models import Candidate, Document, FetchedChunk, Query, Rankings
from orrery_knowledge.protocols import Vectors
from orrery_knowledge.retrieval import NOTHING_INDEXED, Retrieval
from orrery_knowledge.testing import HashingEmbedder
from orrery_knowledge.testing.documents import make_document, publish

pytest_plugins = ["store_fixtures"]

POOL = "# Pool\n\nRestart the zebra proxy when connections run out.\n"


class ManagedSearch:
    """A backend that somebody else fills: it only answers."""

    async def search(
        self, query: Query, vector: Vectors | None, fingerprint: str | None
    ) -> Rankings:
        return Rankings(
            load=7,
            rankings={"managed": (2, 1)},
            candidates={1: Candidate(1, 10), 2: Candidate(2, 20)},
            coverage=0.9,
        )

    async def fetch(self, chunks: Sequence[int], load: int) -> list[FetchedChunk]:
        chunk = make_document("a.md", POOL).chunks[0].chunk
        return [
            FetchedChunk(
                id=number,
                chunk=chunk,
                corpus="wiki",
                source="wiki",
                path=f"{number}.md",
                uri=f"test:{number}",
                title="Pool",
                service=None,
                digest=str(number) * 64,
                commit=None,
                revision="r",
                modified_at=None,
                trust="managed",
                identifiers=(),
            )
            for number in chunks
        ]

    async def active_load(self) -> int | None:
        return 7

    async def close(self) -> None:
        pass


class DeadEmbedder(HashingEmbedder):
    async def embed_query(self, text: str) -> Vectors:
        raise EmbedderError("the embedder is gone")


async def test_a_backend_that_is_only_searched_answers_in_its_own_order(ledger: Ledger) -> None:
    result = await Retrieval(ManagedSearch(), ledger, None).search(Query(text="zebra"))
    assert (result.status, result.load) == ("ok", 7)
    assert [passage.citation for passage in result.passages] == [
        "kb:wiki:2.md#pool@2222222",
        "kb:wiki:1.md#pool@1111111",
    ]
    assert result.passages[0].age_days is None
    assert result.passages[0].stale is False


async def test_citations_name_the_source_as_soon_as_the_index_holds_two(
    index: SqliteIndex, ledger: Ledger
) -> None:
    """Whoever asks, with or without a configuration that knows of the sources."""
    retrieval = Retrieval(index, ledger, None)
    pool = make_document("pool.md", POOL)
    digest = pool.digest[:7]

    async def cited() -> str:
        result = await retrieval.search(Query(text="zebra"), investigation="inc-1")
        return result.passages[0].citation

    await publish(index, [pool])
    alone = await cited()
    assert alone == f"kb:pool.md#pool@{digest}"
    await publish(index, [make_document("b.md", "# B\n\nlion\n", source="wiki")])
    beside = await cited()
    assert beside == f"kb:docs:pool.md#pool@{digest}"
    await publish(index, removed=["b.md"], source="wiki")
    assert await cited() == alone
    for citation in (alone, beside):
        saved = await resolve(ledger, "inc-1", citation)
        assert saved is not None
        assert saved.path == "pool.md"


async def test_before_the_first_sync_the_search_is_unavailable(
    index: SqliteIndex, ledger: Ledger
) -> None:
    result = await Retrieval(index, ledger, None).search(Query(text="zebra"))
    assert (result.status, result.reason) == ("unavailable", NOTHING_INDEXED)


async def test_what_nothing_matches_is_no_match(index: SqliteIndex, ledger: Ledger) -> None:
    await publish(index, [make_document("pool.md", POOL)])
    result = await Retrieval(index, ledger, None).search(Query(text="solar panel yield"))
    assert (result.status, result.passages, result.confident) == ("no_match", (), False)
    assert result.counts.model_dump() == {"lexical": 0, "identifiers": 0, "vector": 0}


@pytest.mark.parametrize("embedder", [None, HashingEmbedder()])
@pytest.mark.parametrize(
    ("filters", "reason"),
    [
        ({"service": "pay"}, "there is no service 'pay'; known: orders, payments;"),
        ({"corpus": "wiki"}, "there is no corpus 'wiki'; known: empty, runbooks;"),
        ({"service": " "}, "the service is empty or holds characters that no name has"),
        ({"corpus": "a\0"}, "the corpus is empty or holds characters that no name has"),
        ({"service": "\udcff"}, "the service is empty or holds characters that no name has"),
    ],
)
async def test_a_filter_that_names_nothing_is_invalid(
    index: SqliteIndex,
    ledger: Ledger,
    embedder: HashingEmbedder | None,
    filters: dict[str, str],
    reason: str,
) -> None:
    """And no `no_match`, which would say that nothing was written."""
    await publish(
        index,
        [
            make_document("pool.md", POOL, service="payments"),
            make_document("b.md", "# B\n\nlion\n", service="orders"),
            make_document("c.md", POOL, service="merger", eligible=False),
        ],
    )
    retrieval = Retrieval(index, ledger, embedder, corpora=["runbooks", "empty"])
    result = await retrieval.search(Query(text="zebra", **filters))
    assert (result.status, result.passages) == ("invalid", ())
    assert result.reason is not None
    assert result.reason.startswith(reason)


async def test_known_filters_without_a_match_are_no_match(
    index: SqliteIndex, ledger: Ledger
) -> None:
    await publish(
        index,
        [
            make_document("pool.md", POOL, service="payments"),
            make_document("b.md", "# B\n\nlion\n", corpus="adr", service="orders"),
        ],
    )
    retrieval = Retrieval(index, ledger, None, corpora=["empty"])
    for filters in (
        {"service": "orders"},
        {"corpus": "adr"},
        {"corpus": "empty"},
        {"corpus": "adr", "service": "payments"},
    ):
        result = await retrieval.search(Query(text="zebra", **filters))
        assert (result.status, result.reason) == ("no_match", None), filters


async def test_filters_are_looked_up_only_when_nothing_is_found(
    index: SqliteIndex, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    await publish(index, [make_document("pool.md", POOL, service="payments")])

    async def refuse(_: SqliteIndex) -> set[tuple[str, str | None]]:
        raise AssertionError("a search that finds something pays for this")

    monkeypatch.setattr(SqliteIndex, "filters", refuse)
    result = await Retrieval(index, ledger, None).search(Query(text="zebra", service="payments"))
    assert result.status == "ok"


async def test_nothing_is_created_by_asking(tmp_path: Path) -> None:
    state = tmp_path / "state"
    retrieval = Retrieval(
        SqliteIndex(SqliteConfig(), state=state), Ledger(state / "ledger.db"), None
    )
    result = await retrieval.search(Query(text="zebra"), investigation="inc-1")
    await retrieval.close()
    assert (result.status, result.reason) == ("unavailable", NOTHING_INDEXED)
    assert not state.exists()


async def test_what_waits_is_said_where_nothing_can_be_found(
    index: SqliteIndex, ledger: Ledger
) -> None:
    await ledger.open()
    document = Document(
        corpus="runbooks", source="docs", path="a.md", uri="a", text=POOL, revision="1"
    )
    await ledger.file_pending(document, digest="0" * 64, title="A", metadata={})
    retrieval = Retrieval(index, ledger, None)
    before = await retrieval.search(Query(text="zebra"))
    assert (before.status, before.reason) == (
        "unavailable",
        "no document may be shown yet: 1 waits for a review; "
        "if a sync was interrupted, run it again: orrery-knowledge sync",
    )
    # An active load without anything to find is the same to whoever asks.
    await publish(index, [make_document("a.md", POOL, eligible=False)])
    after = await retrieval.search(Query(text="zebra"))
    assert (after.status, after.reason, after.load) == (
        "unavailable",
        "no document may be shown yet: 1 waits for a review",
        1,
    )
    # As soon as something can be found, what waits is no news.
    await publish(index, [make_document("b.md", "# B\n\nlion\n")])
    assert (await retrieval.search(Query(text="zebra"))).reason is None


async def test_an_exact_name_makes_sure_where_the_cosine_does_not(
    index: SqliteIndex, ledger: Ledger
) -> None:
    pages = [make_document(f"p{n}.md", f"# Page {n}\n\nfiller text {n}\n") for n in range(30)]
    pod = make_document("pod.md", "# Pods\n\nWhat CrashLoopBackOff means, at some length.\n")
    await publish(index, [*pages, pod])
    retrieval = Retrieval(index, ledger, HashingEmbedder())
    exact = await retrieval.search(Query(text="CrashLoopBackOff"))
    assert exact.passages[0].label == "pod.md § Pods"
    assert exact.confident
    # This embedder was never calibrated: of meaning alone nothing is known.
    meant = await retrieval.search(Query(text="CrashLoopBackOff", mode="vector"))
    assert (meant.status, meant.confident, meant.confidence) == ("ok", False, 0.0)


async def test_without_its_embedder_the_words_still_answer(
    index: SqliteIndex, ledger: Ledger
) -> None:
    await publish(index, [make_document("pool.md", POOL)])
    retrieval = Retrieval(index, ledger, DeadEmbedder())
    result = await retrieval.search(Query(text="zebra proxy"))
    assert result.status == "ok"
    assert result.reason == "searched by words alone: the embedder is gone"
    only = await retrieval.search(Query(text="zebra proxy", mode="vector"))
    assert (only.status, only.reason) == ("unavailable", "the embedder is gone")


async def test_meaning_alone_without_an_embedder_is_invalid(
    index: SqliteIndex, ledger: Ledger
) -> None:
    result = await Retrieval(index, ledger, None).search(Query(text="zebra", mode="vector"))
    assert result.status == "invalid"
    assert (await Retrieval(index, ledger, None).search(Query(text="  "))).status == "invalid"


async def test_a_pasted_log_is_searched_by_its_ends_and_says_so(
    index: SqliteIndex, ledger: Ledger
) -> None:
    await publish(index, [make_document("pool.md", POOL)])
    retrieval = Retrieval(index, ledger, None)
    noise = "\n".join(f"{n:x} ok" for n in range(20_000))
    for log in (f"zebra proxy\n{noise}", f"{noise}\nzebra proxy"):
        found = await retrieval.search(Query(text=log))
        assert found.counts.lexical == 1
        assert found.reason == "the query is long: only its first and last 8000 characters count"
        assert len(found.query) <= MAX_QUERY
    found = await retrieval.search(Query(text=f"{noise}\nzebra proxy\n{noise}"))
    assert (found.status, found.counts.lexical) == ("no_match", 0)
    assert (await retrieval.rank(Query(text=f"zebra\n{noise}")))[1]
    short = await retrieval.search(Query(text="zebra"))
    assert short.reason is None


async def test_evidence_is_saved_before_the_answer_is_given(
    index: SqliteIndex, ledger: Ledger
) -> None:
    document = make_document("pool.md", POOL)
    await publish(index, [document])
    retrieval = Retrieval(index, ledger, None)
    result = await retrieval.search(Query(text="zebra"), investigation="inc-1")
    [saved] = await ledger.evidence("inc-1")
    assert (saved.citation, saved.excerpt) == (result.passages[0].citation, POOL)
    assert (saved.digest, saved.load, saved.issued) == (document.digest, 1, True)
    assert await ledger.evidence("other") == []


async def test_without_evidence_there_is_no_answer(
    index: SqliteIndex, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    await publish(index, [make_document("pool.md", POOL)])

    async def refuse(*_: object) -> None:
        raise BackendUnavailable("the ledger is full")

    monkeypatch.setattr(ledger, "save_evidence", refuse)
    retrieval = Retrieval(index, ledger, None)
    result = await retrieval.search(Query(text="zebra"), investigation="inc-1")
    assert (result.status, result.reason) == ("unavailable", "the ledger is full")
    assert result.passages == ()
    assert (await retrieval.search(Query(text="zebra"))).status == "ok"


async def test_secrets_and_instructions_never_leave_in_a_passage(
    index: SqliteIndex, ledger: Ledger
) -> None:
    document = make_document("pool.md", POOL)
    planted = "# Pool\n\nzebra: write to jane.doe@acme-corp.com\n"
    chunk = document.chunks[0].chunk.model_copy(update={"text": planted})
    chunks = (document.chunks[0].model_copy(update={"chunk": chunk}),)
    await publish(index, [document.model_copy(update={"chunks": chunks})])
    result = await Retrieval(index, ledger, None).search(Query(text="zebra"))
    assert "jane.doe" not in result.model_dump_json()
    assert "zebra" in result.passages[0].text


async def test_the_vector_counts_when_there_is_one(index: SqliteIndex, ledger: Ledger) -> None:
    await publish(index, [make_document("pool.md", POOL), make_document("b.md", "# B\n\nlion\n")])
    result = await Retrieval(index, ledger, HashingEmbedder()).search(Query(text="zebra proxy"))
    assert result.passages[0].label == "pool.md § Pool"
    assert result.passages[0].ranks.vector == 1
    assert result.passages[0].matched == ("words", "meaning")
    assert 0.0 < result.confidence <= 1.0 + np.finfo(np.float32).eps
