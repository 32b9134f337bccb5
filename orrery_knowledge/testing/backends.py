"""`BackendContract`: what a search finds and never finds, on every backend that sync fills.

A backend's own test subclasses it with one fixture::

    class TestMyBackend(BackendContract):
        @pytest.fixture
        def open_index(self, tmp_path):
            return lambda: MyIndex(MyConfig(path=tmp_path / "index"))
"""

from __future__ import annotations

import numpy as np
import pytest

from orrery_knowledge.fusion import best_per_document, fuse
from orrery_knowledge.models import Query
from orrery_knowledge.testing.documents import (
    EMBEDDER,
    OpenIndex,
    ask,
    everywhere,
    make_document,
    paths,
    publish,
)
from orrery_knowledge.testing.loads import LoadContract
from orrery_knowledge.testing.provenance import ProvenanceContract

RANKINGS = ("lexical", "identifiers", "vector")


async def _first(open_index: OpenIndex, pages: dict[str, str], query: str) -> str:
    """Path of the best fused result by words and identifiers, over pages published first."""
    index = open_index()
    await publish(index, [make_document(path, text) for path, text in pages.items()])
    rankings = await index.search(Query(text=query, mode="lexical"), None, None)
    assert rankings.load is not None
    best = best_per_document(fuse(rankings), 1)[0]
    [body] = await index.fetch([best.chunk], rankings.load)
    return body.path


class BackendContract(LoadContract, ProvenanceContract):
    """The rules of loads and of provenance, and those of search."""

    async def test_nothing_is_found_before_the_first_load(self, open_index: OpenIndex) -> None:
        index = open_index()
        assert await index.active_load() is None
        rankings = await ask(index, "anything")
        assert (rankings.load, rankings.candidates) == (None, {})

    async def test_each_ranking_finds_what_it_is_for(self, open_index: OpenIndex) -> None:
        index = open_index()
        await publish(
            index,
            [
                make_document("oom.md", "# Memory\n\nThe pod dies with `OOMKilled` at night.\n"),
                make_document("dns.md", "# Names\n\nLookups of internal hosts time out.\n"),
            ],
        )
        found = await ask(index, "OOMKilled pod at night")
        for ranking in RANKINGS:
            assert (await paths(index, found, ranking))[0] == "oom.md", ranking
        [chunk] = found.rankings["identifiers"]
        candidate = found.candidates[chunk]
        assert candidate.lexical > 0
        assert candidate.identifiers > 0
        assert candidate.vector is not None
        assert 0 < candidate.vector <= 1.0 + 1e-5

    async def test_ineligible_text_is_in_no_ranking(self, open_index: OpenIndex) -> None:
        index = open_index()
        text = "# Memory\n\nRestart `kube-apiserver` when zebra memory is short.\n"
        await publish(
            index,
            [
                make_document("secret.md", text, eligible=False),
                make_document("other.md", "# Other\n\nSomething else entirely.\n"),
            ],
        )
        found = await ask(index, "kube-apiserver zebra memory")
        for ranking in RANKINGS:
            assert "secret.md" not in await paths(index, found, ranking), ranking

    async def test_no_ranking_holds_ineligible_text(self, open_index: OpenIndex) -> None:
        """Not even as a candidate whose body `fetch` would withhold."""
        index = open_index()
        text = "# Memory\n\nRestart `kube-apiserver` when zebra memory is short.\n"
        await publish(
            index,
            [
                make_document("secret.md", text, eligible=False),
                make_document("other.md", "# Other\n\nzebra kube-apiserver memory\n"),
            ],
        )
        found = await ask(index, "kube-apiserver zebra memory")
        assert found.load is not None
        [body] = await index.fetch(list(found.candidates), found.load)
        assert found.rankings == dict.fromkeys(RANKINGS, (body.id,))

    @pytest.mark.parametrize("by", ["service", "corpus"])
    async def test_filters_act_inside_each_ranking(self, open_index: OpenIndex, by: str) -> None:
        index = open_index()
        text = "# Pool\n\nThe zebra `max_connections` limit is reached.\n"
        crowd = [
            make_document(f"crowd{n}.md", f"{text}\nzebra {n}\n", corpus="big", service="loud")
            for n in range(60)
        ]
        wanted = make_document(
            "wanted.md", f"{text}\nAnd more words here.\n", corpus="small", service="quiet"
        )
        await publish(index, [*crowd, wanted])
        value = {"service": "quiet", "corpus": "small"}[by]
        found = await ask(index, "zebra max_connections", pool=10, **{by: value})  # type: ignore[arg-type]
        for ranking in RANKINGS:
            assert await paths(index, found, ranking) == ["wanted.md"], ranking

    async def test_a_common_identifier_is_found_inside_a_filter(
        self, open_index: OpenIndex
    ) -> None:
        """No limit on how many rows are looked at may act before the filter does."""
        index = open_index()
        sections = "".join(f"## Step {n}\n\nzebra-lion\n\n" for n in range(2_100))
        loud = make_document("loud.md", f"# Loud\n\n{sections}", service="loud")
        quiet = make_document("quiet.md", "# Quiet\n\nzebra-lion\n", service="quiet")
        await publish(index, [loud, quiet])
        found = await ask(index, "zebra-lion", service="quiet")
        assert await paths(index, found, "identifiers") == ["quiet.md"]

    async def test_an_unknown_filter_value_finds_nothing(self, open_index: OpenIndex) -> None:
        index = open_index()
        await publish(index, [make_document("a.md", "# A\n\nzebra\n", service="payments")])
        assert (await ask(index, "zebra", service="pay")).candidates == {}
        assert (await ask(index, "zebra", service="payments' OR 1=1 --")).candidates == {}

    async def test_filters_are_those_of_what_may_be_found(self, open_index: OpenIndex) -> None:
        """A name that only a hidden, removed or future document bears is told to nobody."""
        index = open_index()
        assert await index.filters() == set()
        text = "# A\n\nzebra\n"
        await publish(
            index,
            [
                make_document("a.md", text, corpus="runbooks", service="payments"),
                make_document("b.md", text, corpus="runbooks", service="payments"),
                make_document("c.md", text, corpus="adr", service=None),
                make_document("hidden.md", text, corpus="secret", service="merger", eligible=False),
                make_document("gone.md", text, corpus="runbooks", service="retired"),
            ],
        )
        await publish(index, removed=["gone.md"])
        load = await index.begin(EMBEDDER.fingerprint, {})
        future = make_document("next.md", text, corpus="next", service="unborn")
        await index.write(load.number, [future])
        assert await index.filters() == {("runbooks", "payments"), ("adr", None)}

    async def test_the_outline_names_what_may_be_found(self, open_index: OpenIndex) -> None:
        """Alert routing finds sections by it, so it must show no more than a search does."""
        index = open_index()
        assert await index.outline() == []
        text = "intro\n\n# Pool\n\n## PoolExhausted\n\nzebra\n"
        await publish(
            index,
            [
                make_document("a/b.md", text, corpus="runbooks", service="payments"),
                make_document("hidden.md", text, eligible=False),
                make_document("gone.md", text),
                make_document("old.md", text),
            ],
        )
        await publish(index, [make_document("old.md", "# New\n\nlion\n")], removed=["gone.md"])
        load = await index.begin(EMBEDDER.fingerprint, {})
        await index.write(load.number, [make_document("next.md", text)])
        outline = await index.outline()
        assert [one.chunk for one in outline] == sorted(one.chunk for one in outline)
        assert {one.path for one in outline} == {"a/b.md", "old.md"}
        [section] = [one for one in outline if one.anchor == "poolexhausted"]
        assert section.heading_path == ("Pool", "PoolExhausted")
        assert (section.corpus, section.service) == ("runbooks", "payments")
        active = await index.active_load()
        assert active is not None
        [body] = await index.fetch([section.chunk], active)
        assert (body.title, body.uri) == (section.title, section.uri)
        assert "zebra" in body.chunk.text

    async def test_the_pool_bounds_every_ranking(self, open_index: OpenIndex) -> None:
        index = open_index()
        pages = [make_document(f"p{n}.md", f"# P\n\nzebra-lion {n} words\n") for n in range(30)]
        await publish(index, pages)
        found = await ask(index, "zebra-lion words", pool=7)
        assert {name: len(found.rankings[name]) for name in RANKINGS} == dict.fromkeys(RANKINGS, 7)

    async def test_results_are_the_same_every_time(self, open_index: OpenIndex) -> None:
        index = open_index()
        await publish(index, [make_document(f"p{n}.md", "# P\n\nsame zebra\n") for n in range(9)])
        first = await ask(index, "zebra", pool=5)
        assert await ask(open_index(), "zebra", pool=5) == first

    # One filler word must not empty the result.
    async def test_words_are_joined_by_or(self, open_index: OpenIndex) -> None:
        index = open_index()
        pages = {
            "kafka.md": "# Kafka\n\nISR shrink recovery for the Kafka brokers.\n",
            "half.md": "# Brokers\n\nKafka is a log.\n",
            "none.md": "# Mail\n\nThe postman rings.\n",
        }
        await publish(index, [make_document(path, text) for path, text in pages.items()])
        found = await ask(index, "please kafka isr shrink recovery")
        assert await paths(index, found, "lexical") == ["kafka.md", "half.md"]

    async def test_words_alone_are_joined_by_or(self, open_index: OpenIndex) -> None:
        """The vector ranking must not cover up for an AND."""
        index = open_index()
        pages = {"kafka.md": "# Kafka\n\nISR shrink recovery.\n", "half.md": "# Log\n\nkafka\n"}
        await publish(index, [make_document(path, text) for path, text in pages.items()])
        query = Query(text="please kafka isr shrink recovery", mode="lexical")
        found = await index.search(query, None, None)
        assert await paths(index, found, "lexical") == ["kafka.md", "half.md"]

    # Parts find an identifier, and its exact form ranks first.
    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ("egress", "slash.md"),
            ("ingress/egress", "slash.md"),
            ("np-7604ni", "pool.md"),
            ("crash loop", "crash.md"),
            ("backoff", "crash.md"),
            ("crashloopbackoff", "crash.md"),
            ("CrashLoopBackOff", "crash.md"),
            ("OutOfMemoryError", "heap.md"),
            ("java.lang.OutOfMemoryError: heap", "heap.md"),
            ("max cost", "flag.md"),
            ("--max-cost", "flag.md"),
            ("CVE-2024-3094", "cve.md"),
            ("PG_NOT_SCRUBBED", "ceph.md"),
        ],
    )
    async def test_identifiers_are_found_whole_and_by_part(
        self, open_index: OpenIndex, query: str, expected: str
    ) -> None:
        pages = {
            "slash.md": "# Gateways\n\nRestart ingress/egress gateways.\n",
            "pool.md": "# Pools\n\nThe node pool np-7604ni-e1/4p is full.\n",
            "crash.md": "# Pods\n\nA pod in CrashLoopBackOff.\n",
            "heap.md": "# Heap\n\nIt throws java.lang.OutOfMemoryError at noon.\n",
            "flag.md": "# Planner\n\nStart it with --max-cost set.\n",
            "cve.md": "# Patches\n\nFor CVE-2024-3094 see the vendor.\n",
            "ceph.md": "# Storage\n\nAlert CephPGNotScrubbed fires.\n",
            "other.md": "# Other\n\nNothing of the kind.\n",
        }
        assert await _first(open_index, pages, query) == expected

    @pytest.mark.parametrize(
        "name", ["kube-apiserver", "KubeApiserver", "kube_apiserver", "kube.apiserver"]
    )
    async def test_the_whole_identifier_outranks_its_parts(
        self, open_index: OpenIndex, name: str
    ) -> None:
        parts = "The kube of kube. An apiserver, the apiserver, kube apiserver kube apiserver. " * 3
        pages = {
            "parts.md": f"# Notes\n\n{parts}\n",
            "exact.md": f"# Notes\n\nOnce it says {name} among many other words of the text.\n",
        }
        assert await _first(open_index, pages, name) == "exact.md"

    @pytest.mark.parametrize("name", ["DiskWillFill", "disk_will_fill", "disk-will-fill"])
    async def test_the_section_named_after_it_outranks_those_that_mention_it(
        self, open_index: OpenIndex, name: str
    ) -> None:
        mention = f"{name} too. When {name} fires, see {name}.\n"
        pages = {
            "a.md": f"# Runbook of {name} and others\n\n## What else fires\n\n{mention}",
            "b.md": f"# Alerts\n\n## {name}\n\nSome volume runs out of space by the evening.\n",
            "c.md": f"# Notes\n\n## {name} and its sisters\n\n{mention}",
        }
        assert await _first(open_index, pages, name) == "b.md"

    @pytest.mark.parametrize(
        "query",
        [
            "k=60",
            "score 0.99",
            "java.lang.OutOfMemoryError: heap",
            '"unclosed',
            "hello.world",
            "-foo",
            "foo--bar",
            "a -",
            "NEAR(a b) AND OR NOT *",
            "header : zebra",
            "{a b} ^c",
            "'; DROP TABLE chunk; --",
            "% _ \\ \x00 \ud800",
            "\u202e\u200b",
            "...",
            "word " * 3000,
        ],
    )
    async def test_no_query_is_a_syntax_error(self, open_index: OpenIndex, query: str) -> None:
        index = open_index()
        await publish(index, [make_document("a.md", "# A\n\nzebra foo bar 0.99 k=60\n")])
        found = await ask(index, query)
        assert set(found.rankings) == set(RANKINGS)

    async def test_documents_of_equal_name_or_text_stay_apart(self, open_index: OpenIndex) -> None:
        index = open_index()
        text = "# Read me\n\nThe zebra rules here.\n"
        keys = [
            ("runbooks", "docs", "kafka/README.md"),
            ("runbooks", "docs", "redis/README.md"),
            ("a", "s1", "b_c"),
            ("a_b", "s2", "c"),
            ("a", "s3", "b#c d:e"),
        ]
        documents = [
            make_document(path, text, corpus=corpus, source=source) for corpus, source, path in keys
        ]
        await publish(index, documents)
        assert [row[:3] for row in await index.visible()] == sorted(keys)
        found = await ask(index, "zebra")
        assert found.load is not None
        bodies = await index.fetch(found.rankings["lexical"], found.load)
        assert {(body.corpus, body.source, body.path) for body in bodies} == set(keys)

    async def test_odd_characters_are_kept_and_block_nobody(self, open_index: OpenIndex) -> None:
        index = open_index()
        odd = "# Odd\n\nzebra \ufffd \U0001f600 caf\u00e9 \u4e2d\u6587 `a'b\"c`\n"
        await publish(
            index, [make_document("odd'\"; --.md", odd), make_document("b.md", "# B\n\nlion\n")]
        )
        found = await ask(index, "zebra")
        assert found.load is not None
        [body] = await index.fetch(found.rankings["lexical"], found.load)
        assert (body.path, body.chunk.text) == ("odd'\"; --.md", odd)

    async def test_an_enormous_fence_is_indexed_beside_the_others(
        self, open_index: OpenIndex
    ) -> None:
        index = open_index()
        lines = "\n".join(f"token{n} value{n}" for n in range(20_000))
        huge = make_document("huge.md", f"# Huge\n\n```\n{lines}\nlastneedle\n```\n")
        await publish(index, [huge, make_document("b.md", "# B\n\nlion\n")])
        assert await paths(index, await ask(index, "lastneedle"), "lexical") == ["huge.md"]
        assert await paths(index, await ask(index, "lion"), "lexical") == ["b.md"]

    async def test_a_nan_query_vector_ranks_nothing(self, open_index: OpenIndex) -> None:
        index = open_index()
        await publish(index, [make_document("a.md", "# A\n\nzebra\n")])
        vector = np.full(EMBEDDER.dimensions, np.nan, dtype=np.float32)
        found = await index.search(Query(text="zebra"), vector, EMBEDDER.fingerprint)
        assert found.rankings["vector"] == ()
        assert await paths(index, found, "lexical") == ["a.md"]

    async def test_modes_choose_the_rankings(self, open_index: OpenIndex) -> None:
        index = open_index()
        await publish(index, [make_document("a.md", "# A\n\nThe zebra-lion.\n")])
        vector = await EMBEDDER.embed_query("zebra-lion")
        fingerprint = EMBEDDER.fingerprint
        words = await index.search(Query(text="zebra-lion", mode="lexical"), vector, fingerprint)
        meaning = await index.search(Query(text="zebra-lion", mode="vector"), vector, fingerprint)
        assert set(words.rankings) == {"lexical", "identifiers"}
        assert set(meaning.rankings) == {"vector"}

    async def test_a_removed_document_is_found_by_nothing(self, open_index: OpenIndex) -> None:
        index = open_index()
        await publish(
            index,
            [
                make_document("a.md", "# A\n\nThe zebra-lion.\n"),
                make_document("b.md", "# B\n\nox\n"),
            ],
        )
        await publish(index, removed=["a.md"])
        assert "a.md" not in await everywhere(index, "zebra-lion")

    async def test_close_may_be_called_twice_and_before_anything(
        self, open_index: OpenIndex
    ) -> None:
        index = open_index()
        await index.close()
        await index.close()
