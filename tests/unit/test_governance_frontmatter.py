from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orrery_knowledge.errors import DocumentError
from orrery_knowledge.governance.metadata import FrontMatter, split_front_matter

SECRET = "hunter2-in-the-front-matter"


def reason(text: str) -> str:
    with pytest.raises(DocumentError) as caught:
        split_front_matter(text)
    message = str(caught.value)
    assert "\n" not in message
    assert SECRET not in message
    return message


def test_yaml_is_cut_off_and_lines_still_count_from_the_file() -> None:
    tags = "".join(f"  - tag-{n}\n" for n in range(60))
    text = f"---\ntitle: Front\ntags:\n{tags}---\n# Heading\nBody\n"
    found = split_front_matter(text)
    assert found.data["title"] == "Front"
    assert len(found.data["tags"]) == 60
    assert found.body == "# Heading\nBody\n"
    # Fence, title, tags, 60 items, fence: the heading is line 65.
    assert found.first_line == 65
    assert text.split("\n")[found.first_line - 1] == "# Heading"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("closing", ["---", "...", "---  ", "...\t"])
def test_line_ends_and_both_closings(end: str, closing: str) -> None:
    text = end.join(("--- ", "title: A", closing, "Body", ""))
    assert split_front_matter(text) == FrontMatter(
        data={"title": "A"}, body=f"Body{end}", first_line=4
    )


def test_byte_order_mark_in_front_is_no_text() -> None:
    assert split_front_matter("\ufeff---\na: 1\n---\nB").body == "B"
    assert split_front_matter("\ufeff# B").body == "# B"


def test_toml() -> None:
    text = '+++\ntitle = "T"\nweight = 3\nat = 2026-01-31\n[params]\nx = [1, 2]\n+++\nBody'
    assert split_front_matter(text) == FrontMatter(
        data={"title": "T", "weight": 3, "at": "2026-01-31", "params": {"x": [1, 2]}},
        body="Body",
        first_line=8,
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---",
        "---\n",
        "---\ntitle: never closed\n",
        "---\n---\nTwo breaks\n",
        "---\n\nJust prose.\n\n---\nMore\n",
        "---\n# A heading\n---\nMore\n",
        "---\n- a\n- list\n---\nMore\n",
        "---\n*emphasis* and `code`\n---\nMore\n",
        "---\n> a quote: with a colon\n---\n",
        " ---\ntitle: indented\n---\n",
        "\n---\ntitle: not the first line\n---\n",
        "----\ntitle: four\n----\n",
        "---\u2028title: x\n---\n",
        "+++\nprose\n+++\n",
        "+++\ntitle = 'never closed'\n",
        "# Title\n\n---\na: 1\n---\n",
    ],
)
def test_what_is_no_front_matter_stays_whole(text: str) -> None:
    assert split_front_matter(text) == FrontMatter(body=text, first_line=1)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (f"title: [{SECRET}", "front matter is not valid YAML (line 3)"),
        (
            f"a: 1\ntitle: {SECRET}: x",
            "front matter is not valid YAML (line 3): put a value with a colon in quotes",
        ),
        (
            f"a:\n\tb: {SECRET}",
            "front matter is not valid YAML (line 3): indent with spaces, not tabs",
        ),
        (f"a: 1\nb: 2\na: {SECRET}", "front matter has a key twice (line 4)"),
        (f"x:\n  1: a\n  '1': {SECRET}", "front matter has a key twice (line 4)"),
        ("a: 1\nat: 2026-13-45", "front matter has a value that can't be read (line 3)"),
        ("n: " + "9" * 5000, "front matter has a value that can't be read (line 2)"),
        (f"a: !!python/object:os.system {SECRET}", "front matter is not valid YAML (line 2)"),
        (f"a: !{SECRET} x", "front matter is not valid YAML (line 2)"),
        ("? [a, b]\n: 1", "front matter has a key that is no text (line 2)"),
        ("a: !!binary aGk=", "front matter holds a value that is no text, number or list"),
        ("a: &x {b: 1}\nc: {<<: *x}", "front matter uses a merge key, which is not read (line 3)"),
        ("a: &x [*x]", "front matter has too many values or levels"),
        (f"a: *{SECRET}", "front matter is not valid YAML (line 2)"),
        ("a: " + "[" * 30 + "]" * 30, "front matter has too many values or levels"),
        ("a: " + "[" * 30_000, "front matter has too many values or levels"),
        ("a: " + "x" * 40_000, "front matter is longer than 32768 characters"),
        ("a: 1\n--- \nb: 2".replace("--- ", "--- x"), "front matter is not valid YAML (line 3)"),
    ],
)
def test_broken_yaml_names_the_line_and_never_the_content(content: str, expected: str) -> None:
    assert reason(f"---\n{content}\n---\nBody\n") == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (f"a = 1\ntitle = {SECRET}", "front matter is not valid TOML (line 3)"),
        ("a = 1\na = 2", "front matter is not valid TOML (line 3)"),
        ("a = " + "[" * 20_000, "front matter is not valid TOML"),
        (f"{'a.' * 15_000}b = 1", "front matter has too many values or levels"),
        (f"x = {{{'a.' * 40}b = 1}}", "front matter has too many values or levels"),
    ],
)
def test_broken_toml_names_the_line_and_never_the_content(content: str, expected: str) -> None:
    assert reason(f"+++\n{content}\n+++\nBody\n") == expected


def test_alias_bomb_is_refused_before_it_is_unfolded() -> None:
    levels = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
    for before, name in zip("abcdefgh", "bcdefghi", strict=True):
        levels.append(f"{name}: &{name} [{', '.join(['*' + before] * 10)}]")
    text = "---\n" + "\n".join(levels) + "\n---\n"
    assert reason(text) == "front matter has too many values or levels"


def test_harmless_aliases_are_read() -> None:
    found = split_front_matter("---\na: &x [1, 2]\nb: *x\n---\n")
    assert found.data == {"a": [1, 2], "b": [1, 2]}


def test_values_become_json() -> None:
    text = (
        "---\nversion: 1.10\ntitle: on\nday: 2026-01-31\nat: 2026-01-31T10:00:00Z\n7: seven\n"
        'yes: "a\\0b\\ud800"\nnan: .nan\nset: !!set {b, a}\nnull: ~\nraw: x\0y\ud800\n---\n'
    )
    data = split_front_matter(text).data
    assert data == {
        "version": "1.10",
        "title": "on",
        "day": "2026-01-31",
        "at": "2026-01-31T10:00:00+00:00",
        "7": "seven",
        "true": "a\ufffdb\ufffd",
        "nan": "nan",
        "set": ["a", "b"],
        "null": None,
        "raw": "x\ufffdy\ufffd",
    }
    json.dumps(data, allow_nan=False).encode("ascii")


FENCED = st.builds(
    "{0}{1}\n{0}\n{2}".format,
    st.sampled_from(["---\n", "+++\n"]),
    st.text(alphabet="ab:=#-[]{}&*<'\"\\ \n\t\0\ud800.1", max_size=60),
    st.text(alphabet="#- \r\nx", max_size=20),
)


@settings(max_examples=100, deadline=None)
@given(st.one_of(FENCED, st.text(max_size=80)))
def test_any_text_is_split_or_refused_in_one_line(text: str) -> None:
    found, refusal = None, ""
    try:
        found = split_front_matter(text)
    except DocumentError as error:
        refusal = str(error)
    if found is None:
        assert refusal.startswith("front matter")
        assert "\n" not in refusal
        return
    json.dumps(found.data, allow_nan=False).encode("ascii")
    whole = text.removeprefix("\ufeff")
    assert whole.endswith(found.body)
    head = whole[: len(whole) - len(found.body)] if found.body else whole
    ends = head.replace("\r\n", "\n").replace("\r", "\n").count("\n")
    if found.body and found.first_line > 1:
        assert found.first_line == ends + 1
    if found.first_line == 1:
        assert found.body == whole
