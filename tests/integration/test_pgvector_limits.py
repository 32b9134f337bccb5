"""What PostgreSQL can't store stops nobody else's document."""

from __future__ import annotations

import pytest

from orrery_knowledge.models import Query
from orrery_knowledge.testing.documents import ask, make_document, paths, publish, shown

pytest_plugins = ["postgres_fixtures"]
pytestmark = pytest.mark.services

BESIDE = make_document("beside.md", "# Beside\n\nThe walrus.\n")


# K073: a tsvector holds one megabyte.
async def test_an_enormous_chunk_is_found_by_the_words_that_fit(open_postgres, caplog):
    index = open_postgres()
    words = " ".join(f"{number:06d}abcdefghijklmnopqrstuvwxyz" for number in range(40_000))
    huge = make_document("huge.md", f"# Huge\n\n```\nzebra {words}\n```\n")
    assert sum(len(set(chunk.words)) for chunk in huge.chunks) > 40_000
    await publish(index, [huge, BESIDE])
    for word, path in [("zebra", "huge.md"), ("walrus", "beside.md")]:
        assert await paths(index, await ask(index, word), "lexical") == [path]
    [load] = await index.loads()
    # Each of the 40,000 gives two words, of 32 and 6 letters, and each word takes 5 bytes more:
    # 1,048,575 / 48 = 21,845 pairs fit, so 80,000 - 43,690 = 36,310 don't.
    assert load.details["warnings"]["words_cut"] == pytest.approx(36_310, abs=5)
    assert "words of enormous chunks are not searchable" in caplog.text
    assert await index.verify() == []


# K076: no NUL and no lone surrogate in a text.
async def test_characters_that_cannot_be_stored_are_replaced(open_postgres, caplog):
    index = open_postgres()
    base = make_document("odd.md", "# Odd\n\nThe zebra.\n", service="ops")
    [chunk] = base.chunks
    odd = base.model_copy(
        update={
            "title": "Odd\x00 title",
            "uri": "test:\x00",
            "trust": "b\x00y hand",
            "metadata": {"owner\x00": ["a\x00b", {"deep": "\ud800"}], "size": 3},
            "chunks": (
                chunk.model_copy(
                    update={
                        "words": (*chunk.words, "nu\x00l", "sur\udcffrogate"),
                        "header": (*chunk.header, "he\x00ad"),
                        "identifiers": ("x\x00y", "kube-apiserver"),
                        "chunk": chunk.chunk.model_copy(
                            update={"text": "zebra\x00 \ud800 end", "section": "S\x00"}
                        ),
                    }
                ),
            ),
        }
    )
    await publish(index, [odd, BESIDE])
    found = await ask(index, "zebra kube-apiserver")
    assert found.load is not None
    [body] = await index.fetch(found.rankings["identifiers"], found.load)
    assert (body.title, body.chunk.text) == ("Odd\ufffd title", "zebra\ufffd \ufffd end")
    assert body.metadata == {"owner\ufffd": ["a\ufffdb", {"deep": "\ufffd"}], "size": 3}
    assert body.identifiers == ("x\ufffdy", "kube-apiserver")
    assert {path for path, _ in await shown(index)} == {"odd.md", "beside.md"}
    [load] = await index.loads()
    assert load.details["warnings"]["replaced_characters"] >= 9
    assert "zebra" not in caplog.text


async def test_a_filter_that_cannot_be_stored_finds_nothing(open_postgres):
    index = open_postgres()
    await publish(index, [BESIDE])
    for value in ("\x00", "op\x00s", "\ud800"):
        for filters in ({"service": value}, {"corpus": value}):
            query = Query(text="walrus", mode="lexical", **filters)
            assert (await index.search(query, None, None)).candidates == {}


async def test_names_of_any_length_are_told_apart(open_postgres):
    index = open_postgres()
    names = [f"{'deep/' * 900}{letter}.md" for letter in "ab"]
    await publish(index, [make_document(name, "# A\n\nThe heron.\n") for name in names])
    assert sorted(path for path, _ in await shown(index)) == names
    await publish(index, removed=names[:1])
    assert [path for path, _ in await shown(index)] == names[1:]
