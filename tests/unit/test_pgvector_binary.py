"""Rows in PostgreSQL's binary COPY format, byte by byte."""

from __future__ import annotations

import pytest

from orrery_knowledge.backends.pgvector.binary import (
    MAX_TSVECTOR,
    NULL,
    field,
    lexemes,
    optional,
    texts,
)
from orrery_knowledge.backends.pgvector.rows import Cleaner

ONCE, TWICE, OFTEN, TITLE = b"\x00\x01", b"\x40\x01", b"\x80\x01", b"\xc0\x01"


def entry(word: bytes, *positions: bytes) -> bytes:
    return word + b"\x00" + len(positions).to_bytes(2, "big") + b"".join(positions)


def read(data: bytes) -> tuple[int, bytes]:
    """How many lexemes a field says that it has, and their bytes."""
    assert int.from_bytes(data[:4], "big") == len(data) - 4
    return int.from_bytes(data[4:8], "big"), data[8:]


def test_values_and_nothing() -> None:
    assert field(b"ab") == b"\x00\x00\x00\x02ab"
    assert (optional(None), optional(b"")) == (NULL, b"\x00\x00\x00\x00")


def test_arrays_of_texts() -> None:
    # No dimension, no NULL among them, elements of type 25 (text).
    assert texts([]) == bytes.fromhex("0000000c 00000000 00000000 00000019")
    # One dimension of two elements, which counts from 1.
    assert texts([b"a", b"bc"]) == bytes.fromhex(
        "0000001f 00000001 00000000 00000019 00000002 00000001 00000001 61 00000002 6263"
    )


def test_a_weight_says_how_often_a_word_occurs() -> None:
    data, cut = lexemes({"t", "both", "many"}, ["one", "two", "two", "x", "x", "x", "x", "both"])
    count, body = read(data)
    assert (count, cut) == (6, 0)
    title_and_once = b"\x00\x02"
    for expected in (
        entry(b"t", TITLE),
        entry(b"many", TITLE),
        entry(b"both", TITLE, title_and_once),
        entry(b"one", ONCE),
        entry(b"two", TWICE),
        entry(b"x", OFTEN),
    ):
        assert body.count(expected) == 1
        body = body.replace(expected, b"")
    assert body == b""


def test_no_words_at_all() -> None:
    assert lexemes(set(), []) == (b"\x00\x00\x00\x04\x00\x00\x00\x00", 0)


def test_what_no_text_can_hold_becomes_a_question_mark() -> None:
    _, body = read(lexemes(set(), ["a\x00b", "c\ud800"])[0])
    assert body == entry(b"a?b", ONCE) + entry(b"c?", ONCE)


def test_words_beyond_the_limit_are_cut_and_those_of_the_header_last() -> None:
    words = [f"{number:043d}" for number in range(30_000)]  # 43 + 5 bytes each
    data, cut = lexemes({"title"}, words)
    count, body = read(data)
    # The title's word takes 10 bytes: (1,048,575 - 10) / 48 = 21,845 words fit.
    assert (count, cut) == (1 + 21_845, 30_000 - 21_845)
    assert len(body) <= MAX_TSVECTOR
    assert body.startswith(entry(b"title", TITLE))


@pytest.mark.parametrize(
    ("values", "expected", "replaced"),
    [
        (["a", "b"], [b"a", b"b"], 0),
        ([], [], 0),
        ([""], [b""], 0),
        (["a\x1fb", "c"], [b"a\x1fb", b"c"], 0),
        (["a\x00b", "c"], ["a\ufffdb".encode(), b"c"], 1),
        (["é", "\ud800"], ["é".encode(), "\ufffd".encode()], 1),
    ],
)
def test_many_short_texts_are_encoded_as_one_by_one(values, expected, replaced) -> None:
    clean = Cleaner()
    assert clean.every(values) == expected
    assert clean.replaced == replaced
