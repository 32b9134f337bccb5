"""Links between the Markdown files lead somewhere, and so do their anchors."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

import pytest
from docs_support import ROOT, anchors, links, markdown_files


def broken(file: Path) -> list[str]:
    found = []
    for target in links(file):
        if target.startswith(("https://", "http://", "mailto:")):
            continue
        path, _, anchor = unquote(target).partition("#")
        there = (file.parent / path).resolve() if path else file
        if not there.exists() or (anchor and anchor not in anchors(there)):
            found.append(target)
    return found


@pytest.mark.parametrize("file", markdown_files(), ids=lambda file: str(file.relative_to(ROOT)))
def test_links_and_anchors_resolve(file):
    assert broken(file) == []


def test_a_broken_link_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# One\n\n[a](page.md#one) [b](page.md#two) [c](gone.md) [d](#one)\n")
    assert broken(page) == ["page.md#two", "gone.md"]


def test_every_page_is_reachable_from_the_readme():
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        file = waiting.pop()
        if file in reached or file.suffix != ".md":
            continue
        reached.add(file)
        waiting += [
            (file.parent / target.partition("#")[0]).resolve()
            for target in links(file)
            if not target.startswith(("http", "#"))
        ]
    assert [file.name for file in markdown_files() if file not in reached] == []
