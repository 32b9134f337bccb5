"""Indexes are made without standing in anybody's way."""

from __future__ import annotations

import asyncio
from pathlib import Path

import psycopg
import pytest
from engine_support import OnServer
from kill_support import names, write_version
from psycopg.sql import SQL, Identifier
from sync_support import CORPUS, SOURCE, Place

from orrery_knowledge.backends.pgvector import upkeep
from orrery_knowledge.governance.reviews import apply_decisions

pytest_plugins = ["engine_fixtures"]
pytestmark = [
    pytest.mark.services,
    pytest.mark.parametrize("engine", ["postgresql"], indirect=True),
]

MADE = {
    "passage_words", "passage_names", "passage_document", "passage_service", "passage_corpus",
    "passage_vector", "nearest_1_document", "nearest_1_service", "nearest_1_corpus",
}  # fmt: skip
REVOKED = "p03.md"


def sound(place: Place) -> set[str]:
    return {
        row[0]
        for row in place.sql(
            "SELECT indexrelid::regclass::text FROM pg_index WHERE indisvalid "
            "AND indrelid::regclass::text IN ('passage', 'nearest_1')"
        )
    }


def turn_on_hnsw(engine: OnServer, place: Place) -> None:
    place.stores["backend"]["hnsw"] = True
    place.configure()


async def until_it_is_made(url: str, table: str) -> None:
    """Wait until an index of a table is being made and waits for whoever holds the table."""
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as watcher:
        for _ in range(400):
            cursor = await watcher.execute(
                "SELECT 1 FROM pg_stat_activity WHERE query LIKE %s AND wait_event_type = 'Lock'",
                (f"%CREATE INDEX%{table}%",),
            )
            if await cursor.fetchone():
                return
            await asyncio.sleep(0.05)
    raise AssertionError("no index is being made")


@pytest.mark.parametrize("table", ["nearest_1", "passage"])
def test_a_decision_can_be_made_while_an_index_is(
    engine: OnServer, place: Place, table: str
) -> None:
    """Somebody who holds the table stands for the hour that a large index takes."""
    url = place.stores["ledger"]
    if table == "nearest_1":
        turn_on_hnsw(engine, place)
    else:
        place.sql("DROP INDEX passage_corpus")
    write_version(place, 2)

    async def work(index, ledger) -> None:
        digest = {row[2]: row[3] for row in await index.visible()}[REVOKED]
        async with await psycopg.AsyncConnection.connect(url) as holder:
            lock = SQL("LOCK TABLE orrery.{} IN ROW EXCLUSIVE MODE").format(Identifier(table))
            await holder.execute(lock)
            building = asyncio.create_task(place.sync_with(index, ledger, place.embedder))
            await until_it_is_made(url, table)
            key = (CORPUS, SOURCE, REVOKED)
            deciding = ledger.decide(key, digest, "revoked", reviewer="ada", indexed=True)
            await asyncio.wait_for(deciding, 20)
            await asyncio.wait_for(apply_decisions(index, ledger), 20)
            assert {row[2] for row in await index.visible()} == names(1) - {REVOKED}
            assert not building.done()
        assert (await building).activated

    place.run(work)
    assert set(place.visible()) == names(2)  # the revoked text was replaced
    assert place.loads()[0].number == 2


def test_an_index_whose_making_was_interrupted_is_made_again(
    engine: OnServer, place: Place
) -> None:
    assert sound(place) >= MADE
    place.sql("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'passage_words'::regclass")
    place.sql("DROP INDEX nearest_1_corpus")
    assert not sound(place) & {"passage_words", "nearest_1_corpus"}
    write_version(place, 2)
    place.sync()
    assert sound(place) >= MADE
    assert set(place.visible()) == names(2)


def test_what_was_prepared_is_not_done_twice(
    engine: OnServer, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second time would be under the lock that decisions wait for."""
    turn_on_hnsw(engine, place)
    probes = []
    honest = upkeep.approximate.probe

    async def probe(connection, tables, hnsw, load: int):
        probes.append(load)
        return await honest(connection, tables, hnsw, load)

    monkeypatch.setattr(upkeep.approximate, "probe", probe)
    write_version(place, 2)
    place.sync()
    assert probes == [2]


def test_a_search_in_a_small_corpus_looks_at_no_other(
    engine: OnServer, empty_place: Place, tmp_path: Path
) -> None:
    sources = [
        {"id": name, "type": "filesystem", "path": name, "trust": "reviewed"}
        for name in ("large", "small")
    ]
    corpora = {source["id"]: {"sources": [source]} for source in sources}
    for name, count in (("large", 600), ("small", 2)):
        (tmp_path / name).mkdir()
        for n in range(count):
            (tmp_path / name / f"p{n}.md").write_text(f"# Page {n}\n\nThe zebra of {name} {n}.\n")
    empty_place.configure(corpora=corpora)
    empty_place.sync()
    shown = empty_place.search("zebra", corpus="small").passages
    assert {passage.source.partition("/")[0] for passage in shown} == {"file:small"}
    for table in ("passage", "nearest_1"):
        plan = empty_place.sql(
            f"EXPLAIN SELECT id FROM {table} WHERE corpus = 'small' AND eligible"  # noqa: S608
        )
        assert f"{table}_corpus" in "".join(row[0] for row in plan)
