from __future__ import annotations

import tracemalloc

import pytest

from orrery_knowledge.chunking.markdown import chunk_markdown
from orrery_knowledge.chunking.parsing import MAX_HEADINGS, MAX_LINES
from orrery_knowledge.errors import DocumentError
from orrery_knowledge.models import Chunk


def chunks_of(body: str) -> list[Chunk]:
    chunks = chunk_markdown(body)
    assert "".join(chunk.text for chunk in chunks) == body
    return chunks


HOSTILE = {
    "quotes": ">" * 10_000 + " x\n# A\n",
    "quote on every line": (">" * 200 + " x\n") * 50 + "\n# A\n",
    "lists in lists": "".join("  " * depth + "- a\n" for depth in range(300)) + "\n# A\n",
    "markers on a line": "- " * 5_000 + "a\n# A\n",
    "ordered markers": "1. " * 5_000 + "a\n# A\n",
    "one line": "a" * 1_000_000 + "\n\n# A\n",
    "brackets": "# " + "[" * 500_000 + "\n# A\n",
    "wide table": "|a" * 200_000 + "|\n" + "|-" * 200_000 + "|\n\n# A\n",
    "nested colon blocks": "::: n\n\n" * 3_000 + ":::\n\n" * 3_000 + "# A\n",
    "backticks": "`" * 300_000 + " `\n\n# A\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_nesting_and_length_lose_nothing(name: str) -> None:
    assert chunks_of(HOSTILE[name])[-1].section == "A"


@pytest.mark.parametrize("kind", ["item", "quote"])
def test_a_heading_after_deep_nesting_still_makes_a_section(kind: str) -> None:
    # The parser alone skips the rest of the document at its nesting limit.
    deep = "".join("  " * depth + "- a\n" for depth in range(40))
    body = (deep if kind == "item" else ">" * 99 + " a\n") + "\n# After\n\ntext\n"
    assert chunks_of(body)[-1].section == "After"


def allocated(body: str) -> int:
    """The most bytes held at once while chunking; unlike a time, it is the same every run."""
    tracemalloc.start()
    chunk_markdown(body)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_memory_grows_with_the_text_not_with_its_square() -> None:
    items = "- item\n  more\n\n"
    assert allocated(items * 1_200) < 5 * allocated(items * 300)


def test_a_very_wide_table_is_not_taken_apart_into_cells() -> None:
    cells = 60_000
    assert allocated("|a" * cells + "|\n" + "|-" * cells + "|\n") < 200 * cells


def test_what_no_person_wrote_is_refused_before_it_is_parsed() -> None:
    """A parser in Python takes half a minute for half a million headings."""
    with pytest.raises(DocumentError) as caught:
        chunk_markdown("# h\n" * 500_000)
    assert str(caught.value) == (
        "it has 500000 lines that aren't empty; at most 100000 are read: split it"
    )


def test_the_limits_are_exact() -> None:
    line = "word " * 3
    assert len(chunks_of(f"{line}\r\n\r\n" * 1_000 + "\n" * 3 * MAX_LINES)) > 1
    with pytest.raises(DocumentError, match=f"it has {MAX_HEADINGS + 1} headings"):
        chunk_markdown("# h\n" * (MAX_HEADINGS + 1))
    # As lines of one code block they are no headings, and one line less is fine.
    assert chunks_of("```\n" + "# h\n" * (MAX_LINES - 2) + "```\n")
    with pytest.raises(DocumentError, match=f"it has {MAX_LINES + 1} lines"):
        chunk_markdown("```\n" + "# h\n" * (MAX_LINES - 1) + "```\n")
