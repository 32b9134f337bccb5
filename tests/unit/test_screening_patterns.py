from __future__ import annotations

from pathlib import Path

import pytest

import orrery_knowledge.screening as screening
from orrery_knowledge.screening.patterns import compiled


def test_a_text_that_takes_the_memory_of_a_pattern_is_read_without_a_word(
    capfd: pytest.CaptureFixture[str],
) -> None:
    pattern = compiled(r"(?i)[ab][^z]{20}x|b[^z]{20}y", memory=150_000)
    assert pattern.search("abba" * 2_000) is None
    assert pattern.search("abba" * 2_000 + "x") is not None
    assert capfd.readouterr().err == ""


def test_every_pattern_of_the_screening_is_compiled_in_one_place() -> None:
    (folder,) = screening.__path__
    elsewhere = [
        path.name
        for path in sorted(Path(folder).rglob("*.py"))
        if "re2.compile" in path.read_text(encoding="utf-8") and path.name != "patterns.py"
    ]
    assert elsewhere == []
