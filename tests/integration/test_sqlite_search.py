"""How the embedded index finds what it finds: filters, ties, lists in one row, turns."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from orrery_knowledge.backends.sqlite import search as module
from orrery_knowledge.backends.sqlite.index import SqliteConfig, SqliteIndex
from orrery_knowledge.testing.documents import ask, make_document, paths, publish

SERVICES = ("ledger", "search", "gateway")


@pytest.fixture
async def index(tmp_path: Path) -> AsyncIterator[SqliteIndex]:
    opened = SqliteIndex(SqliteConfig(), state=tmp_path)
    yield opened
    await opened.close()


def documents(count: int = 36) -> list:
    """One chunk each; every third is of one service, and all hold the same common word."""
    return [
        make_document(
            f"{number:02}.md",
            f"# Page {number}\n\nThe broker is slow{' and zebra' * (number % 5)}.\n",
            service=SERVICES[number % 3],
        )
        for number in range(count)
    ]


def rows(index: SqliteIndex, statement: str) -> list[tuple]:
    with sqlite3.connect(index.path) as db:
        return db.execute(statement).fetchall()


@pytest.mark.parametrize(("pool", "statements"), [(1, 1), (2, 0), (50, 0)])
async def test_a_narrow_filter_is_scored_without_the_full_text_table(
    index, monkeypatch, pool, statements
):
    """Twelve of 36 are let through: more than ten times a pool of 1, not of 2."""
    await publish(index, documents())
    asked: list[str] = []
    honest = module._expression
    monkeypatch.setattr(module, "_expression", lambda step: (asked.append("once"), honest(step))[1])
    found = await ask(index, "zebra", service="ledger", pool=pool)
    assert len(asked) == statements
    # Of the twelve, 09 and 24 hold the word four times; 04, 14 and more are of other services.
    ranked = await paths(index, found, "lexical")
    assert ranked[0] == "09.md"
    assert all(int(path[:2]) % 3 == 0 for path in ranked)


async def test_both_ways_through_a_filter_give_the_same_order(index, monkeypatch):
    await publish(index, documents())
    narrow = await ask(index, "zebra broker", service="search", pool=12)
    monkeypatch.setattr(module, "FEW", 0)
    wide = await ask(index, "zebra broker", service="search", pool=12)
    assert len(narrow.rankings["lexical"]) == 12
    assert wide == narrow


async def test_a_cosine_does_not_depend_on_the_filter(index):
    await publish(index, documents())
    everything = await ask(index, "zebra broker")
    for service in SERVICES:
        found = await ask(index, "zebra broker", service=service)
        assert len(found.candidates) == 12
        for chunk, candidate in found.candidates.items():
            assert candidate.vector == everything.candidates[chunk].vector


async def test_of_equal_cosines_the_pool_takes_the_lowest_ids(index):
    texts = [make_document(f"{n:02}.md", "# Same\n\nthe very same words\n") for n in range(30)]
    await publish(index, texts)
    found = await ask(index, "very same", pool=7)
    everything = sorted((await ask(index, "very same")).candidates)
    assert len(everything) == 30
    assert found.rankings["vector"] == tuple(everything[:7])


async def test_of_equal_identifiers_the_pool_takes_the_lowest_ids(index):
    texts = [make_document(f"{n:02}.md", f"# Page {n}\n\nsee ERR-01234\n") for n in range(30)]
    await publish(index, texts)
    found = await ask(index, "ERR-01234", pool=7)
    everything = sorted((await ask(index, "ERR-01234")).candidates)
    assert found.rankings["identifiers"] == tuple(everything[:7])


async def test_what_is_remembered_of_words_is_bounded(index, monkeypatch):
    await publish(index, documents(3))
    monkeypatch.setattr(module, "REMEMBERED", 5)
    for number in range(40):
        found = await ask(index, f"broker unheard{number}x")
        assert len(found.rankings["lexical"]) == 3
        _, snapshot = index._snapshots._newest
        assert len(snapshot.frequencies) <= 5 + 6  # the words of one query


async def test_no_thread_sees_a_frequency_that_is_still_looked_up(index):
    await publish(index, documents(3))
    known: dict[str, int] = {"slow": 3}
    seen: list[dict[str, int]] = []
    with sqlite3.connect(index.path) as db:
        db.set_trace_callback(lambda _: seen.append(dict(known)))
        counts = module._counted(db, "frequencies", ["broker", "slow", "unheard"], known)
    assert counts == {"broker": 3, "slow": 3, "unheard": 0}
    assert seen[0] == {"slow": 3}
    assert known == counts


async def test_one_search_scores_at_a_time(index, monkeypatch):
    await publish(index, documents(3))
    await ask(index, "broker")
    _, snapshot = index._snapshots._newest
    held: list[bool] = []
    honest = module.score_lexically
    monkeypatch.setattr(
        module,
        "score_lexically",
        lambda *given: (held.append(snapshot.turn.locked()), honest(*given))[1],
    )
    await ask(index, "broker")
    assert held == [True]
    assert not snapshot.turn.locked()


async def test_a_chunk_without_a_body_is_not_scored(index):
    await publish(index, documents(4))
    with sqlite3.connect(index.path) as db:
        db.execute("DELETE FROM body WHERE id = (SELECT min(id) FROM body)")
    found = await ask(index, "broker")
    assert len(found.rankings["lexical"]) == 3
    with sqlite3.connect(index.path) as db:
        db.execute("DELETE FROM body")
    assert (await ask(index, "broker")).rankings["lexical"] == ()


async def test_identifiers_leave_with_their_documents(index):
    texts = [make_document(f"{n}.md", f"# P\n\nkube-apiserver and own-{n}\n") for n in range(3)]
    await publish(index, texts)
    [(before,)] = rows(index, "SELECT count(*) FROM identifier WHERE token = 'kube-apiserver'")
    assert before == 3
    await publish(index, removed=["1.md"])
    tokens = rows(index, "SELECT token, count(*) FROM identifier GROUP BY token ORDER BY token")
    assert dict(tokens) == {"kube-apiserver": 2, "own-0": 1, "own-2": 1}
    assert await index.verify() == []


async def test_the_full_text_table_is_merged_once_a_quarter_is_new(index):
    pieces = "SELECT count(DISTINCT segid) FROM passage_idx"
    await publish(index, documents(12))
    await publish(index, [make_document("new.md", "# New\n\nlast words\n")])
    assert rows(index, pieces) == [(2,)]  # 1 of 13
    await publish(index, [make_document(f"n{n}.md", "# New\n\nmore words\n") for n in range(5)])
    assert rows(index, pieces) == [(1,)]  # 5 of 18
    assert len((await ask(index, "words")).rankings["lexical"]) == 6


async def test_an_index_of_the_first_version_goes_on(tmp_path):
    """Its indexes go; its rows stay, and leave as they should."""
    first = SqliteIndex(SqliteConfig(), state=tmp_path)
    await publish(first, documents(3))
    await first.close()
    with sqlite3.connect(first.path) as db:
        db.execute("CREATE INDEX identifier_chunk ON identifier (chunk_id)")
        db.execute("CREATE INDEX chunk_vector ON chunk (vector_key)")
        db.execute("PRAGMA user_version = 1")
    index = SqliteIndex(SqliteConfig(), state=tmp_path)
    assert len((await ask(index, "broker")).rankings["lexical"]) == 3
    names = {name for (name,) in rows(index, "SELECT name FROM sqlite_schema")}
    assert not names & {"identifier_chunk", "chunk_vector"}
    await publish(index, removed=["00.md"])
    assert await index.verify() == []
    assert len((await ask(index, "broker")).rankings["lexical"]) == 2
    await index.close()


def test_numbers_of_a_list():
    assert module._numbers(None).tolist() == []
    assert module._numbers("7").tolist() == [7]
    large = 2**62 + 1
    assert module._numbers(f"3,{large},-4").tolist() == [3, large, -4]
    assert module._numbers("3,4").dtype == np.int64
