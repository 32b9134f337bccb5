from __future__ import annotations

import pytest

from orrery_knowledge.chunking.markdown import SPLITTER_VERSION, chunk_markdown
from orrery_knowledge.errors import ConfigurationError
from orrery_knowledge.models import Chunk


def chunks_of(body: str, *, title: str = "", size: int = 800, first_line: int = 1) -> list[Chunk]:
    """Chunks, after checking what holds for every document."""
    chunks = chunk_markdown(body, title=title, size=size, first_line=first_line)
    assert "".join(chunk.text for chunk in chunks) == body
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
    assert all(len(chunk.context) <= 300 for chunk in chunks)
    return chunks


def sections_of(body: str) -> list[str]:
    return [chunk.section for chunk in chunks_of(body)]


# Headings


def test_a_section_knows_its_path_its_anchor_and_its_lines() -> None:
    body = (
        "# Disk full\n\nIntro.\n\n## Find it\n\nRun df.\n\n### On Linux\nHere.\n## Mend it\nDone.\n"
    )
    chunks = chunks_of(body, title="Disk full", first_line=5)
    assert [(c.heading_path, c.anchor, c.line_start, c.line_end) for c in chunks] == [
        (("Disk full",), "disk-full", 5, 7),
        (("Disk full", "Find it"), "find-it", 9, 11),
        (("Disk full", "Find it", "On Linux"), "on-linux", 13, 14),
        (("Disk full", "Mend it"), "mend-it", 15, 16),
    ]
    assert [c.context for c in chunks] == [
        "Disk full",
        "Disk full",
        "Disk full\nFind it",
        "Disk full",
    ]


def test_setext_headings_make_sections() -> None:
    chunks = chunks_of("Title\n=====\ntext\n\nPart\ntwo\n----\nmore\n")
    assert [(c.section, c.anchor, c.line_start) for c in chunks] == [
        ("Title", "title", 1),
        ("Part two", "parttwo", 5),
    ]
    assert chunks[1].heading_path == ("Title", "Part two")


def test_text_before_the_first_heading_has_no_section() -> None:
    first, second = chunks_of("prose\n\n# A\nmore\n")
    assert (first.section, first.heading_path, first.anchor) == ("", (), "")
    assert (first.text, second.text) == ("prose\n\n", "# A\nmore\n")


@pytest.mark.parametrize(
    "body",
    [
        "> # quoted\n",
        "- # in an item\n",
        "1. a\n\n   ## in a step\n",
        "    # indented code\n",
        "text\n    # lazy continuation\n",
        "#no space\n",
        "####### seven\n",
        "\\# escaped\n",
        "<div>\n# in html\n</div>\n",
    ],
)
def test_what_only_looks_like_a_heading_is_content(body: str) -> None:
    assert sections_of(body) == [""]


def test_prose_between_headings_is_never_dropped() -> None:
    # K003
    body = "# A\nprose\n## B\nmore\n\n```sh\n# a comment\n```\n"
    assert [c.text for c in chunks_of(body)] == [
        "# A\nprose\n",
        "## B\nmore\n\n```sh\n# a comment\n```\n",
    ]


def test_titles_keep_hashes_that_belong_to_them() -> None:
    # K005
    body = "## C#\na\n## F##\nb\n## Closed ##\nc\n\n```\nx\n```not-a-close\n# y\n```\n\n##\nd\n"
    chunks = chunks_of(body)
    assert [c.section for c in chunks] == ["C#", "F##", "Closed", ""]
    assert [c.anchor for c in chunks] == ["c", "f", "closed", "-1"]
    assert "# y\n```\n" in chunks[2].text
    assert chunks[3].heading_path == ("",)


def test_a_heading_without_content_is_carried_to_a_deeper_one() -> None:
    body = "# Top\n\n## Middle\n\n### Deep\n\ntext\n"
    (chunk,) = chunks_of(body, title="Top")
    assert chunk.heading_path == ("Top", "Middle", "Deep")
    assert (chunk.anchor, chunk.part, chunk.parts) == ("deep", 1, 1)
    assert (chunk.line_start, chunk.line_end) == (1, 7)
    assert chunk.context == "Top\nMiddle"


def test_a_heading_without_content_and_nothing_deeper_is_a_chunk() -> None:
    chunks = chunks_of("# A\n\n## B\n\n## C\n\n# D\n")
    assert [(c.section, c.text) for c in chunks] == [
        ("B", "# A\n\n## B\n\n"),
        ("C", "## C\n\n"),
        ("D", "# D\n"),
    ]


def test_a_very_long_heading_is_cut_in_section_and_context() -> None:
    (chunk,) = chunks_of("# " + "word " * 120 + "\ntext\n", size=2000)
    assert len(chunk.section) == 499
    assert chunk.section.endswith("word")


# Anchors


@pytest.mark.parametrize(
    ("heading", "section", "anchor"),
    [
        ("The `kubectl drain` command", "The kubectl drain command", "the-kubectl-drain-command"),
        ("See [the *docs*](https://example.com/x#y)", "See the docs", "see-the-docs"),
        ("**Bold** and _under_ snake_case", "Bold and under snake_case", None),
        ("Badge ![build](b.svg) here", "Badge here", "badge--here"),
        ('Old <span class="x">New in v4</span>', "Old New in v4", "old-new-in-v4"),
        ("`a <b>` code", "a <b> code", "a-b-code"),
        ("Fish &amp; chips", "Fish & chips", "fish--chips"),
        ("Escaped \\_x\\_", "Escaped _x_", "escaped-_x_"),
        ("[Shared][ref] link", "Shared link", "shared-link"),
        ("![only an image](x.png)", "only an image", "-1"),
    ],
)
def test_anchor_and_section_come_from_rendered_text(
    heading: str, section: str, anchor: str | None
) -> None:
    chunk = chunks_of(f"# {heading}\ntext\n\n[ref]: https://example.com\n")[0]
    assert chunk.section == section
    assert chunk.anchor == (anchor or "bold-and-under-snake_case")


def test_a_heading_in_a_quote_takes_an_anchor_and_makes_no_section() -> None:
    chunks = chunks_of("# Setup\na\n\n> # Setup\n\n# Setup\nb\n")
    assert [c.anchor for c in chunks] == ["setup", "setup-2"]


# Code is never cut


CODE = "".join(f"line {number} of the code\n" for number in range(20))


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("```", "```"),
        ("~~~", "~~~"),
        ("`````md", "`````"),
        ("~~~~ sh", "~~~~~~"),
        ("   ```", "   ```"),
        ("```", "```  "),
    ],
)
def test_a_long_fence_stays_whole(opening: str, closing: str) -> None:
    fence = f"{opening}\n{CODE}{closing}\n"
    chunks = chunks_of(f"# A\n\n{'word ' * 60}\n\n{fence}\n{'more ' * 60}\n", size=200)
    assert [fence in chunk.text for chunk in chunks].count(True) == 1


@pytest.mark.parametrize(
    "body",
    [
        "# Doc\n~~~py\nfoo()\n# drain the node first\nbar()\n~~~\n",  # K001
        "# Doc\n~~~\n~~~ruby\n# x\n~~~\n",  # K006
        "# Doc\n~~~\n```\n# x\n```\n~~~\n",
        "# Doc\n````\n```\n# x\n```\n````\n",
        "# Doc\n```\n# never closed\n\n# still code\n",
        "# Doc\n> ```\n> # quoted\n> ```\n",
        "# Doc\n- a\n\n  ~~~\n  # in an item\n  ~~~\n",
        "# Doc\n\n    # indented\n\n    # code\n",
        "# Doc\n\n\t# tab\n",
    ],
)
def test_a_comment_in_code_is_no_heading(body: str) -> None:
    assert set(sections_of(body)) == {"Doc"}
    assert {chunk.section for chunk in chunks_of(body, size=10)} == {"Doc"}


def test_a_long_indented_block_and_an_unclosed_fence_stay_whole() -> None:
    indented = "".join(f"    row {number}\n\n" for number in range(30))
    unclosed = "```\n" + "x\n\n" * 50
    chunks = chunks_of(f"para\n\n{indented}\npara\n\n{unclosed}", size=50)
    assert [indented.rstrip() in c.text for c in chunks].count(True) == 1
    assert [unclosed.rstrip() in c.text for c in chunks].count(True) == 1


def test_an_item_is_split_around_its_fence_not_in_it() -> None:
    # K013
    fence = "    ```bash\n    # comment\n" + "    kubectl drain n1\n" * 10 + "    ```\n"
    body = f"1. {'drain ' * 20}\n{fence}\n    {'after ' * 20}\n2. next\n"
    chunks = chunks_of(body, size=150)
    assert {c.section for c in chunks} == {""}
    holders = [c for c in chunks if "comment" in c.text]
    assert len(holders) == 1
    assert fence in holders[0].text
    assert "2. next" in chunks[-1].text
    assert "2. next" not in holders[0].text


def test_a_fence_deep_in_lists_and_quotes_stays_whole() -> None:
    inner = "".join(f"> - a\n>   - b {n}\n>\n>     ~~~\n>     # {n}\n>     ~~~\n" for n in range(9))
    for chunk in chunks_of(inner, size=30):
        assert chunk.text.count("~~~") % 2 == 0


def test_the_lead_in_stays_with_its_fence() -> None:
    body = f"# A\n\n{'x' * 70}\n\nRun:\n\n```\n{CODE}```\n"
    first, second = chunks_of(body, size=80)
    assert first.text == f"# A\n\n{'x' * 70}\n\n"
    assert second.text == f"Run:\n\n```\n{CODE}```\n"
    assert (second.part, second.parts) == (2, 2)


def test_a_lead_in_that_had_to_stay_behind_is_in_the_context() -> None:
    lead_in = "y" * 70 + "\nthen run:"
    first, second = chunks_of(f"{lead_in}\n\n```\n{CODE}```\n", title="T", size=80)
    assert first.text == f"{lead_in}\n\n"
    assert second.context == "T\nthen run:"


def test_a_long_lead_in_leaves_its_end_with_the_fence() -> None:
    ending = "word " * 9 + "then run:\n\n"
    fence = "```\n" + "x" * 46 + "\n```\n"
    chunks = chunks_of("word " * 20 + ending + fence, size=100)
    assert [c.text for c in chunks] == ["word " * 20, ending + fence]


def test_link_definitions_after_code_are_no_part_of_it() -> None:
    body = "```\nx\n```\n" + "".join(f"[ref{n}]: https://example.com/{n}\n" for n in range(9))
    assert max(len(c.text) for c in chunks_of(body, size=100)) <= 115


# Sizes


def test_a_heading_is_not_left_alone() -> None:
    body = "# A\n\n" + "b" * 98 + "\n\n# C\n\n" + "dd " * 90
    chunks = chunks_of(body, size=100)
    assert chunks[0].text == "# A\n\n" + "b" * 98 + "\n\n"
    assert chunks[1].text.startswith("# C\n\ndd dd ")


def test_a_lead_in_is_not_taken_away_from_a_heading() -> None:
    lead_in = "Run this as the user that owns it:\n\n"
    chunks = chunks_of(f"# A\n\n{lead_in}```\n{CODE}```\n", size=100)
    assert [c.text for c in chunks] == [f"# A\n\n{lead_in}", f"```\n{CODE}```\n"]
    assert chunks[1].context == "A\nRun this as the user that owns it:"


def test_a_long_heading_stays_with_its_code() -> None:
    assert len(chunks_of(f"# {'A' * 40}\n\n```\n{CODE}```\n", size=100)) == 1


def test_a_long_paragraph_does_not_fill_up_the_last_words_of_a_chunk() -> None:
    chunks = chunks_of("x" * 90 + "\n\n" + "word " * 60, size=100)
    assert [c.text for c in chunks[:2]] == ["x" * 90 + "\n\n", "word " * 20]


def test_a_list_that_cannot_follow_its_lead_in_whole_starts_with_it() -> None:
    items = [f"- {n} {'y' * 5}\n" for n in range(9)]
    lead_in = "z" * 29 + ":\n\n"
    chunks = chunks_of("x" * 50 + "\n\n" + lead_in + "".join(items), size=100)
    assert chunks[0].text == "x" * 50 + "\n\n" + lead_in + items[0]
    assert chunks[1].text == "".join(items[1:])


def test_the_head_of_a_table_stays_with_its_first_row() -> None:
    head = f"| {'a' * 36} |\n|{'-' * 38}|\n"
    rows = [f"| {'1' * 26} |\n", f"| {'2' * 26} |\n"]
    assert [c.text for c in chunks_of(head + "".join(rows), size=100)] == [head + rows[0], rows[1]]


def test_a_section_that_fits_is_one_chunk() -> None:
    body = "# A\n\n" + "\n\n".join(["x" * 100] * 3) + "\n"
    assert len(chunks_of(body, size=320)) == 1


def test_whole_paragraphs_are_packed_in_order() -> None:
    a, b, c = "a" * 60 + "\n\n", "b" * 30 + "\n\n", "c" * 50 + "\n"
    chunks = chunks_of(a + b + c, size=100)
    assert [chunk.text for chunk in chunks] == [a + b, c]
    assert [(chunk.part, chunk.parts) for chunk in chunks] == [(1, 2), (2, 2)]
    assert [(chunk.line_start, chunk.line_end) for chunk in chunks] == [(1, 3), (5, 5)]


def test_parts_count_the_section_alone() -> None:
    body = "# A\n" + "a " * 150 + "\n## B\nb\n# C\nc\n"
    chunks = chunks_of(body, size=100)
    assert [(c.section, c.part, c.parts) for c in chunks] == [
        ("A", 1, 3),
        ("A", 2, 3),
        ("A", 3, 3),
        ("B", 1, 1),
        ("C", 1, 1),
    ]


def test_a_tiny_last_part_joins_the_one_before() -> None:
    body = "a" * 97 + "\n\nDone.\n"
    assert len(chunks_of(body, size=100)) == 1
    assert len(chunks_of("a" * 97 + "\n\n" + "b" * 13 + "\n", size=100)) == 2


def test_a_long_paragraph_is_cut_at_sentence_ends() -> None:
    body = f"{'One ' * 10}end. {'Two ' * 10}end. Three.\n"
    assert [c.text for c in chunks_of(body, size=60)] == [
        "One " * 10 + "end. ",
        "Two " * 10 + "end. Three.\n",
    ]


def test_a_list_is_split_between_items_and_keeps_nested_lists() -> None:
    items = [f"- item {n}\n  - nested {n}\n" for n in range(6)]
    chunks = chunks_of("Steps:\n\n" + "".join(items), size=60, title="T")
    assert chunks[0].text == "Steps:\n\n" + items[0] + items[1]
    assert [c.text for c in chunks[1:]] == [items[2] + items[3], items[4] + items[5]]
    assert [c.context for c in chunks] == ["T", "T\nSteps:", "T\nSteps:"]


def test_a_nested_list_is_split_when_its_item_is_too_long() -> None:
    nested = [f"  - nested number {n}\n" for n in range(6)]
    chunks = chunks_of("- the item:\n" + "".join(nested), size=60)
    assert chunks[0].text == "- the item:\n" + nested[0] + nested[1]
    assert [c.text for c in chunks[1:]] == [nested[2] + nested[3] + nested[4], nested[5]]
    assert chunks[1].context == "the item:"


def test_a_table_is_split_between_rows_and_repeats_its_header_in_context() -> None:
    head = "| name | value |\n|------|-------|\n"
    rows = [f"| key{n} | {n} |\n" for n in range(8)]
    chunks = chunks_of("# T\n\n" + head + "".join(rows), size=80, title="T")
    assert chunks[0].text == "# T\n\n" + head + "".join(rows[:3])
    assert chunks[1].text == "".join(rows[3:])
    assert chunks[1].context == "T\n| name | value |"


def test_html_is_kept_whole_or_split_at_lines() -> None:
    short = "<table>\n" + "<tr></tr>\n" * 5 + "</table>\n"
    assert [c.text for c in chunks_of("x" * 50 + "\n\n" + short, size=70)] == [
        "x" * 50 + "\n\n",
        short,
    ]
    long = "<table>\n" + "<tr>One. Two.</tr>\n" * 12 + "</table>\n"
    for chunk in chunks_of(long, size=70):
        assert chunk.text.endswith(">\n")
        assert len(chunk.text) <= 81


def test_link_definitions_are_split_at_lines() -> None:
    body = "".join(f"[ref{n}]: https://example.com/{n}\n" for n in range(9))
    chunks = chunks_of("# A\n\n" + body, size=100)
    assert all(chunk.text.endswith("\n") for chunk in chunks)
    assert [c.section for c in chunks] == ["A"] * len(chunks)
    assert len(chunks) == 3


def test_size_has_to_be_positive() -> None:
    with pytest.raises(ConfigurationError, match="at least 1 character, not 0"):
        chunk_markdown("x", size=0)


# Directives


def test_an_admonition_stays_with_its_body_and_its_step() -> None:
    # K013
    step = "1. Drain\n    ```bash\n    # comment\n    kubectl drain n1\n    ```\n"
    danger = '!!! danger "Read"\n\n    Never on a Friday.\n\n    # no heading\n'
    chunks = chunks_of(f"{'x' * 100}\n\n{step}{danger}", size=160)
    assert [c.text for c in chunks] == ["x" * 100 + "\n\n", step + danger]


def test_the_last_step_goes_along_with_its_admonition() -> None:
    steps = [f"{n}. step {n} {'x' * 20}\n" for n in range(1, 5)]
    danger = "\n!!! danger\n    no\n" + "    more text here\n" * 3
    chunks = chunks_of("".join(steps) + danger, size=140)
    assert [c.text for c in chunks] == ["".join(steps[:3]), steps[3] + danger]


def test_a_long_admonition_still_follows_its_step() -> None:
    danger = "!!! danger\n\n" + "    never on a Friday\n" * 8
    chunks = chunks_of("x" * 90 + "\n\nstep\n\n" + danger, size=100)
    assert [c.text for c in chunks] == ["x" * 90 + "\n\n", "step\n\n" + danger]


def test_a_fence_in_an_admonition_is_not_cut() -> None:
    body = "!!! note\n    ```bash\n" + "    echo one two\n" * 9 + "    ```\n"
    assert len(chunks_of(body, size=60)) == 1


@pytest.mark.parametrize(
    "directive", ['--8<-- "x.md"', '{% include-markdown "../y.md" %}', "??? tip\n    folded"]
)
def test_a_directive_is_visible_and_stays_with_what_precedes_it(directive: str) -> None:
    body = f"{'x' * 80}\n\nstep text\n\n{directive}\n"
    chunks = chunks_of(body, size=91)
    assert chunks[-1].text == f"step text\n\n{directive}\n"


def test_a_colon_block_stays_together() -> None:
    block = "::: warning\n\nfirst\n\nsecond\n\n:::\n"
    chunks = chunks_of("x" * 60 + "\n\n" + block, size=80)
    assert chunks[-1].text == block


def test_everything_at_once() -> None:
    # K012
    body = (
        "# Guide\n\n## Install\n\n### From source\n\nGet it:\n\n"
        "````md\n```sh\n# not a heading\n```\n````\n\n"
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n!!! note\n    Careful.\n\n"
        "### From a package\n\nRun it.\n"
    )
    first, second = chunks_of(body, title="Guide")
    assert first.heading_path == ("Guide", "Install", "From source")
    assert "````md\n```sh\n# not a heading\n```\n````\n" in first.text
    assert "| a | b |\n|---|---|\n| 1 | 2 |\n" in first.text
    assert second.heading_path == ("Guide", "Install", "From a package")
    assert second.context == "Guide\nInstall"


# Odd texts


def test_an_empty_body_has_no_chunk() -> None:
    assert chunk_markdown("") == []


@pytest.mark.parametrize("body", ["\n", " ", "\r\n\t\r\n", "   \n\n\n"])
def test_a_blank_body_is_one_chunk(body: str) -> None:
    (chunk,) = chunks_of(body, first_line=3)
    assert (chunk.section, chunk.parts, chunk.line_start) == ("", 1, 3)


def test_only_three_line_ends_count() -> None:
    body = "a\u2028# b\x0c# c\x85# d\x0b# e\r# One\r\ntext\n# Two\nend"
    assert [(c.section, c.line_start, c.line_end) for c in chunks_of(body)] == [
        ("", 1, 1),
        ("One", 2, 3),
        ("Two", 4, 5),
    ]


def test_crlf_and_nul_survive() -> None:
    body = "# A\0b\r\n\r\n```\r\n# x\0\r\n```\r\n\r\n# C\r\nlast\0"
    chunks = chunks_of(body)
    assert [c.section for c in chunks] == ["A\ufffdb", "C"]
    assert [(c.line_start, c.line_end) for c in chunks] == [(1, 5), (7, 8)]


def test_a_byte_order_mark_is_text() -> None:
    assert sections_of("\ufeff# A\n") == [""]


def test_blank_lines_belong_to_the_chunk_before() -> None:
    chunks = chunks_of("\n\n# A\n\ntext\n\n \n# B\n\n\n")
    assert [c.text for c in chunks] == ["\n\n# A\n\ntext\n\n \n", "# B\n\n\n"]
    assert [(c.line_start, c.line_end) for c in chunks] == [(3, 5), (8, 8)]


def test_context_is_capped_and_keeps_every_part() -> None:
    body = f"# {'h' * 200}\n\n## {'k' * 200}\n\nLead in:\n\n" + "- an item\n" * 20
    last = chunks_of(body, title="t" * 200, size=120)[-1]
    title, path, lead_in = last.context.split("\n")
    assert (len(title), len(path), lead_in) == (80, 119, "Lead in:")
    assert title.endswith("t…")
    assert path.count("…") == 2


def test_version_names_the_parser() -> None:
    assert SPLITTER_VERSION.startswith("markdown-1+markdown-it-py-")
