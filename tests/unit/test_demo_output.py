"""What the demo prints of hostile and of ordinary results."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"
FENCE = ("<<<RETRIEVED-DATA 00 source=kb:a>>>", "<<<END-RETRIEVED-DATA 00>>>")


@pytest.fixture
def output(monkeypatch) -> ModuleType:
    """The module, as the script finds it beside itself; lines are 60 wide."""
    monkeypatch.syspath_prepend(str(TOOLS))
    monkeypatch.setenv("COLUMNS", "60")
    import demo_output

    yield demo_output
    del sys.modules["demo_output"]


@pytest.fixture
def folder(monkeypatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(TOOLS))
    import demo_folder

    yield demo_folder
    del sys.modules["demo_folder"]


def passage(text: str, **others: object) -> dict[str, object]:
    return {
        "label": "a.md § A",
        "citation": "kb:a.md#a@1234567",
        "source": "file:a.md",
        "corpus": "yours",
        "line_start": 1,
        "line_end": 2,
        "trust": "from a reviewed source",
        "age_days": None,
        "stale": True,
        "matched": ["words"],
        "score": 0.5,
        "text": "\n".join((FENCE[0], text, FENCE[1])),
    } | others


def result(*passages: dict[str, object], confident: bool = True) -> dict[str, object]:
    return {
        "status": "ok",
        "confidence": 0.5,
        "confident": confident,
        "passages": list(passages),
    }


def test_a_line_is_broken_at_spaces_and_keeps_what_stands_before_it(output):
    line = "kubectl --namespace payments rollout undo deployment/payments-api now"
    assert list(output.wrapped(line, "   | ", "   |   ")) == [
        "   | kubectl --namespace payments rollout undo",
        "   |   deployment/payments-api now",
    ]
    assert list(output.wrapped("", "   | ", "   |   ")) == ["   |"]
    assert list(output.wrapped("x" * 70, "| ", "| ")) == ["| " + "x" * 70]


def test_the_best_passage_is_shown_whole_line_by_line(output, capsys):
    output.show_result(result(passage("# A\r\n\r\n    indented")))
    printed = capsys.readouterr().out
    assert printed.splitlines()[-7:-1] == [
        "   matched  words; score 0.500",
        f"   | {FENCE[0]}",
        "   | # A",
        "   |",
        "   |     indented",
        f"   | {FENCE[1]}",
    ]
    assert "age unknown; STALE" in printed


def test_of_the_others_the_beginning_without_the_fence(output, capsys):
    output.show_result(result(passage("one"), passage("a\n\nb\nc\nd"), passage("e\nf")))
    assert capsys.readouterr().out.split("2. a.md")[1].count(FENCE[0]) == 0
    output.show_result(result(passage("one"), passage("a\n\nb\nc\nd"), passage("e\nf")))
    second, third = capsys.readouterr().out.split("a.md § A\n")[2:]
    assert [line for line in second.splitlines() if line.startswith("   |")] == [
        "   | a",
        "   | b",
        "   | c",
        "   | ...",
    ]
    assert [line for line in third.splitlines() if line.startswith("   |")] == ["   | e", "   | f"]


def test_nothing_that_was_retrieved_steers_the_terminal(output, capsys):
    evil = "\x1b[2J \u202e\u2028\x85\x07\x9b31m"
    output.show_result(result(passage(evil, label=evil, source=evil, trust=evil, citation=evil)))
    output.show_result({"status": "unavailable", "reason": evil})
    output.show_answer(evil)
    output.show_call("search", {"query": evil})
    printed = capsys.readouterr().out
    assert not set(printed) & set("\x1b\u202e\u2028\x85\x07\x9b")
    assert printed.count("\\x1b[2J") >= 7


def test_weak_and_missing_answers_say_so(output, capsys):
    output.show_result(result(passage("x"), confident=False))
    output.show_result({"status": "no_match", "confidence": 0.0, "passages": []})
    output.show_result({"status": "withheld", "reason": "a stage failed"})
    printed = capsys.readouterr().out
    assert "status ok, confidence 0.50: not confident, read with care" in printed
    assert "\nstatus no_match\n" in printed
    assert "\nstatus withheld: a stage failed\n" in printed


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("# Title\n\nRing the bell. Then wait.\n", "Ring the bell."),
        (
            "# Title\n\n| a | b |\n\n- item\n\nRing v1.2 twice\nand wait\n",
            "Ring v1.2 twice and wait",
        ),
        ("# Title only\n", ""),
        ("", ""),
        ("word " * 50, " ".join(["word"] * 20)),
    ],
)
def test_the_first_sentence_of_a_document(folder, text, sentence):
    assert folder.first_sentence(text) == sentence
