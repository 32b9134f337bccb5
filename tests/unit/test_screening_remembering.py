from __future__ import annotations

from orrery_knowledge.screening import Screened, remembering


def test_what_was_screened_lately_is_not_screened_again() -> None:
    asked: list[str] = []

    def screen(text: str) -> Screened:
        asked.append(text)
        return Screened(text=text.upper())

    known = remembering(screen)
    assert [known("a").text, known("b").text, known("a").text] == ["A", "B", "A"]
    assert asked == ["a", "b"]
    long = "c" * 4_001
    assert known(long).text == known(long).text == "C" * 4_001
    assert asked == ["a", "b", long, long]
