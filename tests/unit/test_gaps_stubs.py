from __future__ import annotations

from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from orrery_knowledge.errors import ConfigurationError
from orrery_knowledge.gaps.stubs import Stub, content, file_name, write_stubs
from orrery_knowledge.governance.frontmatter import split_front_matter


def test_a_stub_is_a_draft_with_its_title() -> None:
    found = split_front_matter(content(Stub("KafkaLagHigh", ("Consumers fall behind.",))))
    assert found.data == {"title": "KafkaLagHigh", "status": "draft"}
    assert found.body.startswith("# KafkaLagHigh\n\n- Consumers fall behind.\n\n## Symptoms\n")


HOSTILE = [
    'a"\nstatus: stable\n---\n# x',
    "a' : {b: [c",
    "<script>alert(1)</script> <!-- x",
    "[click](http://evil.example) ![x](y) `code` **b** __b__",
    "https://evil.example/a ada@x",
    "# --- + 1. > | a | b |",
    "\\" * 5,
    "[REDACTED:x]: http://evil.example",
    "[REDACTED:x](http://evil.example) ![REDACTED:x]",
    "\U0001f525 brennt",
    "a\u2028b\u202ec\x1b[2J\ufeff",
]


@pytest.mark.parametrize("title", HOSTILE)
def test_hostile_text_stays_text(title: str) -> None:
    text = content(Stub(title, (title,)))
    found = split_front_matter(text)
    assert set(found.data) == {"title", "status"}
    assert found.data["status"] == "draft"
    kinds = [
        child.type
        for token in MarkdownIt("gfm-like", {"html": True, "linkify": False}).parse(found.body)
        for child in token.children or ()
    ]
    assert set(kinds) == {"text"} or set(kinds) <= {"text", "text_special"}
    headings = [line for line in found.body.splitlines() if line.startswith("#")]
    assert len(headings) == 5


def test_what_is_shown_is_what_was_asked() -> None:
    title = r"why_does *x* [fail] <now> \ `y`?"
    body = split_front_matter(content(Stub(title))).body
    inline = next(token for token in MarkdownIt().parse(body) if token.type == "inline")
    assert "".join(child.content for child in inline.children or ()) == title


def test_a_secret_is_redacted() -> None:
    assert "hunter2" not in content(Stub("x", ("use password=hunter2hunter2",)))


@pytest.mark.parametrize(
    ("title", "name"),
    [("KafkaLagHigh", "KafkaLagHigh.md"), ("kube_pod_down", "kube_pod_down.md")],
)
def test_a_file_is_called_like_its_alert(title: str, name: str) -> None:
    assert file_name(title) == name


@pytest.mark.parametrize(
    "title", ["../../etc/passwd", "/abs", "a/b\\c", "CON", "", ".", "\0", "ß?", "-rf", "a" * 500]
)
def test_hostile_names_are_plain_files(title: str) -> None:
    name = file_name(title)
    assert name.removesuffix(".md").replace("-", "").isalnum()
    assert name.isascii()
    assert not name.startswith("-")
    assert name != "CON.md"
    assert len(name) <= 80


def test_different_titles_of_the_same_words_get_different_files() -> None:
    assert file_name("is it up?") != file_name("is it up!")


def test_nothing_is_overwritten_and_no_link_followed(tmp_path: Path) -> None:
    (tmp_path / "A.md").write_text("mine")
    (tmp_path / "B.md").symlink_to(tmp_path / "elsewhere")
    written = write_stubs(tmp_path, [Stub("A"), Stub("B"), Stub("C")])
    assert (written.new, written.there) == (
        (tmp_path / "C.md",),
        (tmp_path / "A.md", tmp_path / "B.md"),
    )
    assert (tmp_path / "A.md").read_text() == "mine"
    assert not (tmp_path / "elsewhere").exists()


def test_a_folder_that_can_not_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "no" / "such"):
        with pytest.raises(ConfigurationError, match="for stubs"):
            write_stubs(folder, [])
