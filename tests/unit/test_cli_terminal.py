from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery_knowledge.cli.terminal import (
    plural,
    print_json,
    print_text,
    printable,
    printable_lines,
    say,
    warn,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain § Ünï 数据 😀", "plain § Ünï 数据 😀"),
        ("a\ttab", "a\ttab"),
        ("no\nload 9 is active", "no\\nload 9 is active"),  # a line that we didn't write
        ("\x1b[2J", "\\x1b[2J"),  # clear the screen
        ("\x1b]0;owned\x07", "\\x1b]0;owned\\x07"),  # set the window's title
        ("\x9b31m", "\\x9b31m"),  # the same introducer in one character
        ("safe\rrm -rf", "safe\\rrm -rf"),  # write over the line
        ("a\x08b", "a\\x08b"),
        ("a\x00b\x7f", "a\\x00b\\x7f"),
        ("user\u202egnp.exe", "user\\u202egnp.exe"),  # right-to-left override
        ("a\u2066b\u2069", "a\\u2066b\\u2069"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("a\u2028b\u2029c\x85d", "a\\u2028b\\u2029c\\x85d"),  # other ways to end a line
        ("tag\U000e0041", "tag\\U000e0041"),
        ("half \ud800", "half \\ud800"),
        ("", ""),
    ],
)
def test_what_steers_a_terminal_is_shown_instead(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(st.text(st.characters()))
def test_nothing_that_steers_is_left(text: str) -> None:
    shown = printable(text)
    left = {unicodedata.category(char) for char in shown if char != "\t"}
    assert not left & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert printable(shown) == shown
    shown.encode("utf-8")


@pytest.mark.parametrize(
    ("count", "shown"), [(0, "0 chunks"), (1, "1 chunk"), (2, "2 chunks"), (21, "21 chunks")]
)
def test_counts_have_their_noun(count: int, shown: str) -> None:
    assert plural(count, "chunk") == shown


def test_lines_stay_lines() -> None:
    assert printable_lines("a\x1b\n\tb\r\n\nc\u2028") == "a\\x1b\n\tb\\r\n\nc\\u2028"


def test_a_text_in_a_pipe_keeps_all_but_controls(capsys: pytest.CaptureFixture[str]) -> None:
    print_text("no line end \u200d\u202e\ta\x1b[2J\x9b\nb\x00")
    assert capsys.readouterr().out == "no line end \u200d\u202e\ta\\x1b[2J\\x9b\nb\\x00"


def test_where_each_goes(capsys: pytest.CaptureFixture[str]) -> None:
    say("out\x1b")
    warn("err\x1b")
    print_json({"a": "\x1b\u202e§"})
    captured = capsys.readouterr()
    assert captured.out == 'out\\x1b\n{\n  "a": "\\u001b\\u202e\\u00a7"\n}\n'
    assert captured.err == "err\\x1b\n"
