from __future__ import annotations

import hashlib
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orrery_knowledge.governance.digests import (
    canonical_text,
    document_digest,
    framed_digest,
    query_digest,
)


def test_fields_are_framed_by_their_length() -> None:
    by_hand = hashlib.sha256(b"\0\0\0\0\0\0\0\1k" + b"\0\0\0\0\0\0\0\2\xc3\xa9" + b"\0" * 8)
    assert framed_digest("k", "é", "") == by_hand.hexdigest()


def test_document_digest_by_hand() -> None:
    parts = (b"orrery-document-1", b"a\nb", '{"s":"é","t":1}'.encode())
    data = b"".join(len(part).to_bytes(8, "big") + part for part in parts)
    expected = hashlib.sha256(data).hexdigest()
    assert document_digest("\ufeffa\r\nb", {"t": 1, "s": "é"}) == expected


def test_query_digest_is_of_its_own_kind() -> None:
    assert query_digest("x") == framed_digest("orrery-query-1", "x")


@pytest.mark.parametrize("same", ["a\nb\n", "a\r\nb\r\n", "a\rb\r", "\ufeffa\nb\n"])
def test_what_no_reader_sees_does_not_count(same: str) -> None:
    assert canonical_text(same) == "a\nb\n"


@pytest.mark.parametrize(
    "other",
    [
        "rm -rf /tmp/cache ",
        "rm -rf /tmp/cache\n",
        "rm -rf /tmp/c\u0430che",
        "rm -rf /tmp/cache\u200b",
        "rm -rf /tmp/cache\0",
        "rm -rf /tmp/cache\ufffd",
        "rm -rf /tmp/cache" + chr(0xD800),
        "rm -rf /tmp/cache\u2028",
        "\ufeff\ufeffrm -rf /tmp/cache",
        "rm  -rf /tmp/cache",
    ],
)
def test_every_other_difference_counts(other: str) -> None:
    others = {"rm -rf /tmp/cache", "rm -rf /tmp/cache\0", "rm -rf /tmp/cache\ufffd"} - {other}
    assert document_digest(other, {}) not in {document_digest(text, {}) for text in others}


def test_composed_and_decomposed_letters_are_two_texts() -> None:
    word = "caf\u00e9"
    assert document_digest(word, {}) != document_digest(unicodedata.normalize("NFD", word), {})


FIELDS = st.lists(st.text(alphabet="ab_|#:\0\ud800é", max_size=4), max_size=4)


@settings(max_examples=100)
@given(FIELDS, FIELDS)
def test_different_fields_never_join_to_the_same(one: list[str], two: list[str]) -> None:
    assert (framed_digest("k", *one) == framed_digest("k", *two)) == (one == two)
