"""Where a text that is too long is cut."""

from __future__ import annotations

import pytest

from orrery_knowledge.screening import cap

NOTE = len("\n[truncated: 100 of 1000 characters shown]")


def body(text: str) -> str:
    """What is left of a text without the note."""
    return text.rpartition("\n[truncated: ")[0]


def test_what_fits_stays() -> None:
    assert cap("abc", 3) == ("abc", False)
    assert cap("", 0) == ("", False)


@pytest.mark.parametrize("limit", [0, -1])
def test_no_room_leaves_nothing(limit: int) -> None:
    assert cap("abc", limit) == ("", True)


def test_the_note_says_how_much_is_shown() -> None:
    text, cut = cap("x" * 1000, 100)
    assert cut
    assert len(text) <= 100
    shown = len(body(text))
    assert text == "x" * shown + f"\n[truncated: {shown} of 1000 characters shown]"


def test_it_ends_with_a_paragraph_rather_than_a_line_and_a_line_rather_than_a_word() -> None:
    room = 100
    limit = room + NOTE
    # The blank line is at 85, in the last fifth of the room; a line ends at 95.
    paragraphs = "a" * 85 + "\n\n" + "b" * 8 + "\n" + "c " * 900
    assert body(cap(paragraphs, limit)[0]) == "a" * 85
    lines = "a" * 85 + "\n" + "b" * 8 + " " + "c " * 900
    assert body(cap(lines, limit)[0]) == "a" * 85
    words = "a" * 85 + " " + "b" * 900
    assert body(cap(words, limit)[0]) == "a" * 85


@pytest.mark.parametrize("marker", ["```", "~~~~"])
def test_a_code_block_that_begins_late_is_left_out(marker: str) -> None:
    text = "intro line\n" * 12 + f"{marker}sh\n" + "kubectl drain n1\n" * 50 + f"{marker}\n"
    short = body(cap(text, 260)[0])
    assert marker not in short
    assert short == ("intro line\n" * 12).rstrip("\n")


def test_a_code_block_that_begins_early_is_closed() -> None:
    text = "Run:\n\n```sh\n" + "kubectl drain n1\n" * 50 + "```\n"
    short, _ = cap(text, 260)
    assert len(short) <= 260
    assert body(short).startswith("Run:\n\n```sh\nkubectl drain n1\n")
    assert body(short).endswith("kubectl drain n1\n```")


def test_a_code_block_that_has_ended_changes_nothing() -> None:
    text = "```sh\nls\n```\n" + "word " * 200
    short = body(cap(text, 260)[0])
    assert short.count("```") == 2
    assert short.endswith("word")


def test_backticks_inside_a_line_open_nothing() -> None:
    text = "``` not `code\n" + "word " * 200
    assert body(cap(text, 260)[0]).endswith("word")
