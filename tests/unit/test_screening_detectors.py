from __future__ import annotations

from collections.abc import Iterable

import pytest

from orrery_knowledge.screening import InjectionDetector, screen_injections
from orrery_plugins import Call, SafetyScreen
from orrery_plugins.stages import scrub

MARKER = "[withheld: instructions aimed at an agent (detector)]"


class Word:
    """Finds a word wherever it stands."""

    def __init__(self, word: str = "xyzzy") -> None:
        self.word = word

    def detect(self, text: str) -> Iterable[tuple[int, int]]:
        place = text.find(self.word)
        while place >= 0:
            yield place, place + len(self.word)
            place = text.find(self.word, place + 1)


class Broken:
    def detect(self, text: str) -> Iterable[tuple[int, int]]:
        raise RuntimeError(text)


def test_the_block_round_what_it_found_is_withheld() -> None:
    detector: InjectionDetector = Word()
    text = "One.\n\nTwo xyzzy here.\n\nThree."
    screened = screen_injections(text, detector=detector)
    assert screened.text == f"One.\n\n{MARKER}\n\nThree."
    (finding,) = screened.findings
    assert (finding.rule, finding.kind, finding.start, finding.end) == (
        "detector",
        "injection",
        10,
        15,
    )
    assert screen_injections(screened.text, detector=detector).text == screened.text
    assert screen_injections(text).text == text


def test_a_detector_that_dislikes_the_marker_ends() -> None:
    assert screen_injections("a withheld b", detector=Word("withheld")).text == MARKER


@pytest.mark.parametrize("span", [(-5, 3), (0, 99), (7, 7), (9, 2), (50, 60)])
def test_places_out_of_range_are_cut(span: tuple[int, int]) -> None:
    class Fixed:
        def detect(self, text: str) -> Iterable[tuple[int, int]]:
            return [span]

    expected = MARKER if span in ((-5, 3), (0, 99)) else "one two"
    assert screen_injections("one two", detector=Fixed()).text == expected


def test_the_guard_asks_it_and_withholds_when_it_fails() -> None:
    call = Call()
    assert scrub([SafetyScreen(Word())], {"a": "say xyzzy"}, call)["a"] == MARKER
    assert call.findings["detector"] == 1
    assert "say xyzzy" not in str(scrub([SafetyScreen(Broken())], {"a": "say xyzzy"}, Call()))
