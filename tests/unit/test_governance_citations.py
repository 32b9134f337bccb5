from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from orrery_knowledge.errors import KnowledgeError
from orrery_knowledge.governance.citations import (
    Citation,
    format_citation,
    format_review_id,
    parse_citation,
    parse_review_id,
)

DIGEST = "1a2b3c4" + "d" * 57


@pytest.mark.parametrize(
    ("citation", "written"),
    [
        (
            Citation(path="runbooks/pool-exhaustion.md", anchor="remedy"),
            "kb:runbooks/pool-exhaustion.md#remedy",
        ),
        (
            Citation(source="wiki", path="a.md", anchor="x", part=2, digest="1a2b3c4"),
            "kb:wiki:a.md#x~2@1a2b3c4",
        ),
        (Citation(path="a.md", part=1), "kb:a.md~1"),
        (Citation(path="a.md", digest="1a2b3c4"), "kb:a.md@1a2b3c4"),
        (Citation(path="a#b@c~d:e%f g.md"), "kb:a%23b%40c%7Ed%3Ae%25f%20g.md"),
        (Citation(path="a\nb\r\t\u2028.md"), "kb:a%0Ab%0D%09%E2%80%A8.md"),
        (Citation(path="运行/回滚.md", anchor="步骤"), "kb:运行/回滚.md#步骤"),
        (Citation(path="caf\u00e9.md"), "kb:caf\u00e9.md"),
        (Citation(path="cafe\u0301.md"), "kb:cafe%CC%81.md"),
        (Citation(path="a\u202eb\u200b.md"), "kb:a%E2%80%AEb%E2%80%8B.md"),
        (Citation(path="bad\udcff.md"), "kb:bad%ED%B3%BF.md"),
        (Citation(path="(a)[b],<c>.md"), "kb:%28a%29%5Bb%5D%2C%3Cc%3E.md"),
    ],
)
def test_written_and_read(citation: Citation, written: str) -> None:
    fields = citation.model_dump()
    path = fields.pop("path")
    assert format_citation(path, **fields) == written
    assert parse_citation(written) == citation


def test_digest_is_shown_by_its_first_seven_digits() -> None:
    assert format_citation("a.md", digest=DIGEST) == "kb:a.md@1a2b3c4"
    assert parse_citation(f"kb:a.md@{DIGEST}").digest == DIGEST


PARTS = st.text(
    alphabet=st.one_of(
        st.sampled_from("#@~:%/ \n.aA1-_é\u0301\ud800\udcff\U0001f525\0回\u0338=<"),
        st.characters(),
    ),
    min_size=1,
    max_size=12,
)
CITATIONS = st.builds(
    Citation,
    source=st.none() | PARTS,
    path=PARTS,
    anchor=st.just("") | PARTS,
    part=st.none() | st.integers(1, 999_999_999),
    digest=st.none() | st.text(alphabet="0123456789abcdef", min_size=7, max_size=7),
)


def write(citation: Citation) -> str:
    return format_citation(
        citation.path,
        anchor=citation.anchor,
        part=citation.part,
        digest=citation.digest,
        source=citation.source,
    )


@settings(max_examples=100)
@given(CITATIONS)
@example(Citation(source="a", path="b:c"))
@example(Citation(path="a:b", anchor="c~2@1a2b3c4"))
def test_any_citation_comes_back_exactly(citation: Citation) -> None:
    written = write(citation)
    assert parse_citation(written) == citation
    # One word on one line, and no tool that composes letters changes it.
    assert written.split() == [written]
    assert written.isprintable()
    assert unicodedata.normalize("NFC", written) == written


@settings(max_examples=100)
@given(CITATIONS, CITATIONS)
def test_different_citations_are_written_differently(one: Citation, two: Citation) -> None:
    assert (write(one) == write(two)) == (one == two)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "kb:",
        "kb::a.md",
        "kb:a:b:c.md",
        "a.md#x",
        "KB:a.md",
        "kb:a.md#",
        "kb:a.md#x#y",
        "kb:a.md~0",
        "kb:a.md~01",
        "kb:a.md~x",
        "kb:a.md@1a2b3c",
        "kb:a.md@1A2B3C4",
        "kb:a.md@1a2b3c4~2",
        "kb:a b.md",
        " kb:a.md",
        "kb:a.md\n",
        "kb:a%.md",
        "kb:a%zz.md",
        "kb:a%FF.md",
        "kb:" + "a" * 20_000,
    ],
)
def test_what_is_no_citation_says_so_in_one_line(text: str) -> None:
    with pytest.raises(KnowledgeError, match=r"^not a citation; [^\n]*$") as caught:
        parse_citation(text)
    assert len(str(caught.value)) < 80


@pytest.mark.parametrize(
    "arguments",
    [
        {"path": ""},
        {"path": "a", "source": ""},
        {"path": "a", "part": 0},
        {"path": "a", "part": 10**9},
        {"path": "a", "digest": "1a2b3c"},
        {"path": "a", "digest": "1A2B3C4D"},
    ],
)
def test_what_can_not_be_cited(arguments: dict[str, object]) -> None:
    with pytest.raises(KnowledgeError):
        format_citation(**arguments)  # type: ignore[arg-type]


@settings(max_examples=60)
@given(PARTS, PARTS)
def test_any_review_id_comes_back_exactly(source: str, path: str) -> None:
    written = format_review_id(source, path, DIGEST)
    assert parse_review_id(written) == (source, path, DIGEST[:12])


@pytest.mark.parametrize(
    "text", ["", "a.md@1a2b3c4d5e6f", "s:a.md", "s:a.md@1a2b3c4", "s:a:b@" + "a" * 12]
)
def test_what_is_no_review_id(text: str) -> None:
    with pytest.raises(KnowledgeError, match="not a version"):
        parse_review_id(text)
