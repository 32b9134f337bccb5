"""No ranking holds a row that its load doesn't show, not even as a candidate without a body."""

from __future__ import annotations

import asyncio

import pytest

from orrery_knowledge.models import Query
from orrery_knowledge.testing.documents import ask, build, make_document, publish

pytest_plugins = ["postgres_fixtures"]
pytestmark = pytest.mark.services

OLD = make_document("pool.md", "# Pool\n\nRestart `zebra-proxy` when connections run out.\n")
NEW = make_document("pool.md", "# Pool\n\nNever restart `zebra-proxy` in the day.\n")
KEY = ("runbooks", "docs", "pool.md")


async def held(index) -> dict[str, int]:
    found = await ask(index, "zebra-proxy restart")
    assert set(found.candidates) == set().union(*found.rankings.values())
    return {name: len(chunks) for name, chunks in found.rankings.items()}


async def test_an_ended_version_is_in_no_ranking(open_postgres):
    index = open_postgres()
    await publish(index, [OLD])
    await publish(index, [NEW])
    assert await held(index) == {"identifiers": 1, "lexical": 1, "vector": 1}


async def test_a_version_that_is_being_built_is_in_no_ranking(open_postgres):
    index = open_postgres()
    await publish(index, [OLD])
    await build(index, [NEW, make_document("more.md", "# More\n\nA `zebra-proxy` again.\n")])
    assert await held(index) == {"identifiers": 1, "lexical": 1, "vector": 1}


async def test_what_was_revoked_is_in_no_ranking_of_any_load(open_postgres):
    index = open_postgres()
    await publish(index, [OLD])
    await publish(index, [NEW])
    assert await index.set_eligible(KEY, NEW.digest, False, decision=1) == 1
    assert await held(index) == {"identifiers": 0, "lexical": 0, "vector": 0}
    assert await index.set_eligible(KEY, OLD.digest, False, decision=2) == 1
    await index.rollback()
    assert await held(index) == {"identifiers": 0, "lexical": 0, "vector": 0}
    assert await index.verify() == []


async def test_a_decision_waits_for_no_build(open_postgres):
    """Approving and revoking go on while a load is written."""
    index, other = open_postgres(), open_postgres()
    await publish(index, [OLD])
    load = await build(index, [make_document("more.md", "# More\n\nheron\n")])
    assert await other.set_eligible(KEY, OLD.digest, False, decision=1) == 1
    await index.check(load)
    await index.activate(load)
    assert await index.verify() == []


async def test_decisions_and_activations_at_once_count_right(open_postgres):
    writer, reviewer = open_postgres(), open_postgres()
    pages = [make_document(f"p{n}.md", f"# P\n\nzebra word{n}\n") for n in range(6)]
    await publish(writer, pages)

    async def write():
        for n in range(6):
            await publish(writer, [make_document(f"q{n}.md", f"# Q\n\nyak word{n}\n")])

    async def review():
        for n, page in enumerate(pages):
            key = ("runbooks", "docs", page.path)
            await reviewer.set_eligible(key, page.digest, False, decision=2 * n + 1)
            await reviewer.set_eligible(key, page.digest, n % 2 == 0, decision=2 * n + 2)

    await asyncio.gather(write(), review())
    assert await writer.verify() == []
    query = Query(text="zebra", mode="lexical")
    assert len((await writer.search(query, None, None)).rankings["lexical"]) == 3


async def test_a_word_of_operators_is_a_word(open_postgres):
    index = open_postgres()
    page = make_document("a.md", "# A\n\nzebra\n")
    [chunk] = page.chunks
    words = ("it's", "a\\b", "x:*", "!", "(", "'", "<->")
    odd = page.model_copy(update={"chunks": (chunk.model_copy(update={"words": words}),)})
    await publish(index, [odd])
    assert await index.verify() == []
