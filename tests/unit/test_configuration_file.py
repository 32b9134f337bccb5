from __future__ import annotations

from pathlib import Path

import pytest

from orrery_knowledge.configuration.file import ConfigurationFile, KeyPath
from orrery_knowledge.errors import ConfigurationError

TEXT = """\
backend: sqlite
corpora:
  a:
    sources:
      - &one
        type: git
        url: .
      - <<: *one
        url: x
  1: {}
"""


def read(tmp_path: Path, text: str | bytes) -> ConfigurationFile:
    file = tmp_path / "orrery.yaml"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return ConfigurationFile(file)


@pytest.mark.parametrize(
    ("key", "line"),
    [
        ((), None),
        (("nope",), None),
        (("backend",), 1),
        (("backend", "type"), 1),
        (("corpora", "a"), 3),
        (("corpora", "a", "sources", 0), 5),
        (("corpora", "a", "sources", 0, "url"), 7),
        (("corpora", "a", "sources", 0, "nope"), 5),
        (("corpora", "a", "sources", 1), 8),
        (("corpora", "a", "sources", 1, "url"), 9),
        (("corpora", "a", "sources", 1, "type"), 6),  # where the alias says it
        (("corpora", "a", "sources", 2), 4),
        (("corpora", 1), 10),
    ],
)
def test_the_line_of_a_key_or_of_the_nearest_around_it(
    tmp_path: Path, key: KeyPath, line: int | None
) -> None:
    assert read(tmp_path, TEXT).line(key) == line


def test_what_the_file_says(tmp_path: Path) -> None:
    file = read(tmp_path, TEXT)
    assert (file.name, file.folder) == ("orrery.yaml", tmp_path.resolve())
    assert file.has(("corpora", "a", "sources", 1, "type"))
    assert not file.has(("corpora", "a", "sources", 0, "paths"))
    assert read(tmp_path, "# nothing yet\n").values == {}
    assert read(tmp_path, b"\xef\xbb\xbfstate: x\n").values == {"state": "x"}  # an editor's mark


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: b\n\tc: d", ", line 2: a tab is used to indent; YAML takes spaces only"),
        ("a: [**/*.md]", ', line 1: text that begins with * or & needs quotes: "**/*.md"'),
        ("a: *b", ', line 1: text that begins with * needs quotes: "*.md"'),
        ("a: b: c", ", line 1: a colon can't stand here; check the indentation, or use quotes"),
        ("a: b\nc\nd: e", ", line 3: a key without a colon and a space after it"),
        ("a: b\n---\nc: d", ", line 2: a second document begins with ---; one file holds one"),
        ("a: !secret b", ", line 1: text that begins with ! needs quotes"),
        ("? [a]\n: b", ", line 1: a key must be plain text"),
        ('a: "\\d"', ", line 1: a backslash in double quotes; use single quotes"),
        ("a: @b", ", line 1: text that begins with @, %, | or ` needs quotes"),
        ("a: [b", ", line 1: a comma or a closing bracket is missing"),
        ("a: 'b", ", line 1: a quote is never closed"),
        ("a: b\na: c", ", line 2: 'a' stands there twice"),
        ("a: b\nc: 2026-13-45", ", line 2: a date or number that can't be read; put it in quotes"),
        ("a: b\nc: \x07", ", line 2: a control character; delete it"),
        (b"a: b\nc: \xff", ", line 2: this is not UTF-8; save the file as UTF-8"),
        ("a: b\n- c", ", line 2: the indentation doesn't fit the lines above"),
        ("%", ", line 1: this is not valid YAML"),
        ("[" * 5000, " is nested too deeply"),
    ],
)
def test_a_broken_file_is_told_in_plain_words(
    tmp_path: Path, text: str | bytes, expected: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read(tmp_path, text)
    assert str(caught.value) == f"orrery.yaml{expected}"
    assert caught.value.__cause__ is None


def test_many_aliases_cost_nothing(tmp_path: Path) -> None:
    text = "a0: &a0 [x, x]\n" + "".join(
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 40)
    )
    file = read(tmp_path, text)
    assert file.line(("a39", *[8] * 39)) == 1  # `a0` itself
