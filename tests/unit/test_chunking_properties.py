from __future__ import annotations

import re

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from orrery_knowledge.chunking.markdown import chunk_markdown
from orrery_knowledge.models import Chunk

PROFILE = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
BLANKS = " \t\r\n"

# Markdown is composed of lists of lines; a container indents or marks the lines of its content.

WORDS = st.sampled_from(
    [
        "drain", "node", "max_connections", "kube-apiserver", "e.g.", "end.", "Why?", "`code`",
        "**bold**", "[link](http://x.y/z)", "<b>", "&amp;", "\\*", "#", "##", "-", "1.", ">", "|",
        "```", "~~~", "===", "---", ":::", "!!! note", "{% x %}", "--8<--", "\u65e5\u672c\u3002",
        "\U0001f525", "e\u0301", "\u2028", "\x0c", "\x85", "\0", "\t", "Run:", "a" * 90,
    ]
)  # fmt: skip
LINE = st.lists(WORDS, min_size=1, max_size=14).map(" ".join)
PLAIN = st.lists(st.sampled_from(["a", "node", "is. Here", "Run:"]), min_size=1, max_size=30)
BLANK = st.lists(st.sampled_from(["", "  ", "\t"]), min_size=0, max_size=3)


def _fence(character: str, length: int, info: str, lines: list[str], closed: bool) -> list[str]:
    mark = character * length
    return [mark + info, *lines, *([mark] if closed else [])]


def _indented(lines: list[str], first: str, rest: str) -> list[str]:
    return [(first if number == 0 else rest) + line for number, line in enumerate(lines)]


def _table(columns: int, rows: list[str]) -> list[str]:
    head = "|" + "a|" * columns
    return [head, "|" + "-|" * columns, *(f"| {row} |" for row in rows)]


HEADING = st.builds(
    lambda level, text, closing: ["#" * level + " " + text + closing],
    st.integers(1, 6),
    st.one_of(LINE, st.just("")),
    st.sampled_from(["", " ##", "#"]),
)
SETEXT = st.builds(lambda text, mark: [text, mark], LINE, st.sampled_from(["===", "-----"]))
PARAGRAPH = st.one_of(
    st.lists(LINE, min_size=1, max_size=5), PLAIN.map(lambda words: [" ".join(words)])
)
FENCE = st.builds(
    _fence,
    st.sampled_from("`~"),
    st.integers(3, 6),
    st.sampled_from(["", "sh", " py title"]),
    st.lists(st.one_of(LINE, st.sampled_from(["", "```", "~~~~", "~~~ruby", "# x"])), max_size=12),
    st.booleans(),
)
CODE = st.lists(LINE, min_size=1, max_size=8).map(lambda lines: ["    " + line for line in lines])
TABLE = st.builds(_table, st.integers(1, 3), st.lists(LINE, max_size=8))
HTML = st.lists(LINE, max_size=6).map(lambda lines: ["<div>", *lines, "</div>"])
DIRECTIVE = st.sampled_from(
    [
        ["!!! danger", "    Stop."],
        ["!!! note", "", "    Long", "", "    ```", "    # x", "    ```"],
        ["::: tip", "", "text", "", ":::"],
        ['--8<-- "x.md"'],
        ["[ref]: http://example.com/some/where"],
        ["***"],
    ]
)
LEAF = st.one_of(PARAGRAPH, HEADING, SETEXT, FENCE, CODE, TABLE, HTML, DIRECTIVE, BLANK)


def _joined(blocks: list[list[str]], gaps: list[list[str]]) -> list[str]:
    lines: list[str] = []
    for number, block in enumerate(blocks):
        lines += block
        lines += gaps[number % len(gaps)]
    return lines


def _contained(content: st.SearchStrategy[list[str]]) -> st.SearchStrategy[list[str]]:
    several = st.builds(
        _joined, st.lists(content, min_size=1, max_size=3), st.lists(BLANK, min_size=1, max_size=2)
    )
    marker = st.sampled_from(["- ", "* ", "1. ", "12) ", "-   ", "> "])
    container = st.builds(
        lambda lines, mark: _indented(lines, mark, mark if mark == "> " else " " * len(mark)),
        several,
        marker,
    )
    return st.lists(container, min_size=1, max_size=3).map(lambda items: _joined(items, [[]]))


BLOCK = st.recursive(LEAF, _contained, max_leaves=8)
MARKDOWN = st.builds(
    lambda blocks, gaps, end, last: end.join(_joined(blocks, gaps)) + (end if last else ""),
    st.lists(BLOCK, max_size=10),
    st.lists(BLANK, min_size=1, max_size=4),
    st.sampled_from(["\n", "\n", "\r\n", "\r"]),
    st.booleans(),
)
ODD = st.text(
    st.one_of(st.sampled_from("#`~->|:!. \t\r\n\n\n-=[]()<{\0\x0b\x0c\x85\u2028"), st.characters())
)
TEXT = st.one_of(MARKDOWN, ODD)
SIZE = st.sampled_from([40, 100, 800])


def source_lines(body: str) -> list[str]:
    """The lines, as CommonMark ends them; an oracle of its own, without the module's code."""
    return body.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def code_lines(body: str) -> list[tuple[int, int, str]]:
    """First line, line after the last, and type of every code block, however deep it lies."""
    tokens = MarkdownIt("commonmark").enable("table").parse(body)
    return [(*t.map, t.type) for t in tokens if t.type in ("fence", "code_block") and t.map]


def line_of_each_chunk_start(chunks: list[Chunk]) -> list[int]:
    starts, seen = [], ""
    for chunk in chunks:
        starts.append(len(source_lines(seen)) - 1)
        seen += chunk.text
    return starts


@PROFILE
@given(TEXT, SIZE)
@example("\r\n\r\n", 40)
@example("# A\n\n\n# B\r# C", 40)
@example("\ud800 # x\n" * 20, 40)
def test_the_texts_partition_the_body(body: str, size: int) -> None:
    chunks = chunk_markdown(body, size=size)
    assert "".join(chunk.text for chunk in chunks) == body
    assert all(chunk.text for chunk in chunks)
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
    assert chunk_markdown(body, size=size) == chunks


@PROFILE
@given(MARKDOWN, SIZE)
@example("- a\n\n      indented\n      code\n" * 5, 40)
@example("> ~~~\n> x\n" * 20 + "y\n", 40)
def test_no_code_block_is_cut(body: str, size: int) -> None:
    chunks = chunk_markdown(body, size=size)
    ends = [sum(len(c.text) for c in chunks[: n + 1]) for n in range(len(chunks))]
    lines = re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", body)
    for first, stop, _ in code_lines(body):
        before = len("".join(lines[:first]))
        # An unclosed fence takes the blank lines after it; they show nothing.
        after = before + len("".join(lines[first:stop]).rstrip(BLANKS + ">"))
        assert not [end for end in ends if before < end < after]


@PROFILE
@given(TEXT, SIZE)
def test_a_chunk_without_code_keeps_to_its_size(body: str, size: int) -> None:
    chunks = chunk_markdown(body, size=size)
    code = code_lines(body)
    starts = line_of_each_chunk_start(chunks)
    for chunk, start in zip(chunks, starts, strict=True):
        stop = start + len(source_lines(chunk.text))
        if any(first < stop and start < last for first, last, _ in code):
            continue
        if re.search(r"!!![ \t]", chunk.text) and re.search(r"```|~~~", chunk.text):
            continue  # a fence in an admonition is code to its author
        assert len(chunk.text.strip(BLANKS)) <= size * 115 // 100


@PROFILE
@given(TEXT, SIZE, st.integers(1, 50))
def test_lines_are_those_of_the_first_and_last_visible_line(
    body: str, size: int, first_line: int
) -> None:
    seen = ""
    for chunk in chunk_markdown(body, size=size, first_line=first_line):
        # Every line is counted by the breaks before it, and a \r\n is one of them.
        start = len(source_lines(seen))
        visible = chunk.text.strip(BLANKS)
        before = chunk.text[: chunk.text.find(visible)] if visible else ""
        assert chunk.line_start == first_line + start - 1 + len(source_lines(before)) - 1
        if visible:
            assert chunk.line_end == chunk.line_start + len(source_lines(visible)) - 1
        seen += chunk.text


@PROFILE
@given(MARKDOWN, SIZE)
def test_sections_are_those_of_the_top_level_headings(body: str, size: int) -> None:
    tokens = MarkdownIt("commonmark").enable("table").parse(body)
    levels = [int(t.tag[1:]) for t in tokens if t.type == "heading_open" and t.level == 0]
    chunks = chunk_markdown(body, size=size)
    anchors = [chunk.anchor for chunk in chunks if chunk.part == 1]
    assert len(anchors) == len(set(anchors))
    assert len(anchors) <= len(levels) + 1
    assert all(len(chunk.heading_path) <= 6 for chunk in chunks)
    for chunk in chunks:
        same = [other for other in chunks if other.anchor == chunk.anchor]
        assert [other.part for other in same] == list(range(1, chunk.parts + 1))
        assert chunk.section == (chunk.heading_path[-1] if chunk.heading_path else "")
