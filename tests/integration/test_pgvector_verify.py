"""What somebody changes behind our back is found, and mended or read again."""

from __future__ import annotations

import psycopg
import pytest

from orrery_knowledge.testing.documents import ask, everywhere, make_document, paths, publish

pytest_plugins = ["postgres_fixtures"]
pytestmark = pytest.mark.services

POOL = make_document("pool.md", "# Pool\n\nRestart the zebra proxy.\n")
DISK = make_document("disk.md", "# Disk\n\nDelete walrus archives.\n")


@pytest.fixture
async def index(open_postgres):
    opened = open_postgres()
    await publish(opened, [POOL, DISK])
    assert await opened.verify() == []
    return opened


def change(url: str, *statements: str) -> None:
    with psycopg.connect(url) as admin:
        admin.execute("SET search_path = orrery, public")
        for statement in statements:
            admin.execute(statement)


ONE = "(SELECT id FROM document WHERE path = 'pool.md')"


async def test_a_lost_body_is_found_and_its_document_read_again(index, postgres_url):
    change(
        postgres_url,
        f"DELETE FROM body WHERE id IN (SELECT id FROM passage WHERE document_id = {ONE})",  # noqa: S608
    )
    [problem] = await index.verify()
    assert problem == "docs: pool.md: chunks are missing; the next sync reads it again"
    known = await index.known("docs")
    assert known["pool.md"].revision == ""
    assert known["disk.md"].revision != ""


async def test_a_lost_vector_is_found_and_its_document_read_again(index, postgres_url):
    change(
        postgres_url,
        f"DELETE FROM vector_1 WHERE key IN (SELECT vector_key FROM passage WHERE document_id = {ONE})",  # noqa: S608, E501
        f"DELETE FROM nearest_1 WHERE document_id = {ONE}",  # noqa: S608
    )
    assert await index.verify() == [
        "1 chunks without a vector; the next sync reads their documents again"
    ]
    assert (await index.known("docs"))["pool.md"].revision == ""


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE passage SET removed_in = 1", "not searched as their loads say"),
        ("UPDATE nearest_1 SET eligible = false", "not searched as their loads say"),
        ("UPDATE word_frequency SET chunks = 7 WHERE term = 'zebra'", "1 words miscounted"),
        ("UPDATE pointer SET chunks = 40", "40 chunks instead of 2"),
        ("DELETE FROM nearest_1", "2 chunks without a vector"),
    ],
)
async def test_drift_is_found_and_mended(index, postgres_url, statement, said):
    before = await ask(index, "zebra proxy")
    change(postgres_url, statement)
    problems = await index.verify()
    assert any(said in problem for problem in problems)
    await index.verify(repair=True)
    assert await index.verify() == []
    assert (await ask(index, "zebra proxy")).candidates == before.candidates


async def test_rows_deleted_behind_our_back_spoil_no_later_load(index, postgres_url):
    change(
        postgres_url,
        f"DELETE FROM passage WHERE document_id = {ONE}",  # noqa: S608
        f"DELETE FROM nearest_1 WHERE document_id = {ONE}",  # noqa: S608
    )
    assert await everywhere(index, "zebra walrus") == {"disk.md"}
    await publish(index, [POOL])
    assert await index.verify() == []
    assert await paths(index, await ask(index, "zebra"), "lexical") == ["pool.md"]


async def test_what_nobody_needs_is_collected(index, postgres_url):
    await publish(index, [make_document("pool.md", "# Pool\n\nA yak.\n")])
    assert await index.gc(keep=1, min_age_seconds=0) == 1
    with psycopg.connect(postgres_url) as admin:
        admin.execute("SET search_path = orrery, public")
        counts = [
            admin.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
            for table in ("document", "passage", "body", "vector_1", "nearest_1")
        ]
        words = admin.execute("SELECT term FROM word_frequency WHERE term = 'zebra'").fetchall()
    assert counts == [2, 2, 2, 2, 2]
    assert words == []
    assert await index.verify() == []
