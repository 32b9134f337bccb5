"""Words as a tsvector in PostgreSQL's binary format, byte by byte."""

from __future__ import annotations

from orrery_knowledge.backends.pgvector.tsvectors import MAX_TSVECTOR, lexemes

ONCE, TWICE, OFTEN, TITLE = b"\x00\x01", b"\x40\x01", b"\x80\x01", b"\xc0\x01"


def entry(word: bytes, *positions: bytes) -> bytes:
    return word + b"\x00" + len(positions).to_bytes(2, "big") + b"".join(positions)


def read(data: bytes) -> tuple[int, bytes]:
    """How many lexemes a tsvector says that it has, and their bytes."""
    return int.from_bytes(data[:4], "big"), data[4:]


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
    assert lexemes(set(), []) == (b"\x00\x00\x00\x00", 0)


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
