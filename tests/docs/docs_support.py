"""What the documentation tests share: Markdown files, their code blocks, anchors and tables."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from orrery_knowledge.chunking.slugs import Slugger

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs" / "reference"
SHELLS = frozenset({"sh", "bash", "console"})


class Block(NamedTuple):
    """A fenced block: its info string, content, and place."""

    file: Path
    line: int
    info: str
    content: str

    @property
    def name(self) -> str:
        return f"{self.file.relative_to(ROOT)}:{self.line}"


def markdown_files() -> list[Path]:
    """Every Markdown file that documents the project (samples are data)."""
    top = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    evals = ROOT / "evals"
    sets = [*evals.glob("*/*.md"), *evals.glob("*/*/README.md")]
    return [*top, *sorted((ROOT / "docs").rglob("*.md")), *sorted(sets)]


@cache
def tokens(file: Path) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(file.read_text(encoding="utf-8"))


def blocks(*languages: str) -> list[Block]:
    """Fenced blocks of all files whose info string starts with one of these words."""
    return [
        Block(file, (token.map or [0])[0] + 1, token.info.strip(), token.content)
        for file in markdown_files()
        for token in tokens(file)
        if token.type == "fence" and token.info.split()[:1] and token.info.split()[0] in languages
    ]


def anchors(file: Path) -> set[str]:
    """GitHub's anchors of a file's headings."""
    slugger = Slugger()
    found = tokens(file)
    return {
        slugger.add(_text(found[position + 1]))
        for position, token in enumerate(found)
        if token.type == "heading_open"
    }


def links(file: Path) -> Iterator[str]:
    """Targets of every link and image."""
    for token in tokens(file):
        for child in token.children or ():
            target = child.attrGet("href") or child.attrGet("src")
            if target:
                yield str(target)


def table_rows(file: Path, section: str | None = None) -> list[list[str]]:
    """Cells of every table row (headers left out) of a file or of the section with this title."""
    rows: list[list[str]] = []
    heading = ""
    in_body = False
    found = tokens(file)
    for position, token in enumerate(found):
        if token.type == "heading_open":
            heading = _text(found[position + 1])
        elif token.type in ("tbody_open", "tbody_close"):
            in_body = token.type == "tbody_open"
        elif section is not None and heading != section:
            continue
        elif in_body and token.type == "tr_open":
            rows.append([])
        elif in_body and token.type == "td_open":
            rows[-1].append(_text(found[position + 1]))
    return rows


def names(file: Path, section: str | None = None) -> list[str]:
    """First cells of the table rows of a section."""
    return [row[0] for row in table_rows(file, section)]


def commands(program: str) -> list[tuple[Block, list[str]]]:
    """Every call of a program in a shell block, as its arguments."""
    found = []
    for block in blocks(*SHELLS):
        for line in block.content.replace("\\\n", " ").splitlines():
            for words in simple_commands(line.removeprefix("$ ")):
                while words and "=" in words[0] and not words[0].startswith("-"):
                    words = words[1:]  # NAME=value before a command
                if words and words[0].removeprefix(".venv/bin/") == program:
                    found.append((block, words[1:]))
    return found


def simple_commands(line: str) -> Iterator[list[str]]:
    """The words of each command of a line; pipes and redirections left out."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words: list[str] = []
    skip = False
    for word in lexer:
        if word in {"|", "||", "&&", ";", "&"}:
            yield words
            words = []
        elif word in {"<", ">", ">>"}:
            skip = True  # the next word is a file of the shell's
        elif skip:
            skip = False
        else:
            words.append(word)
    yield words


def _text(inline: Token) -> str:
    return "".join(
        child.content if child.type != "softbreak" else " " for child in inline.children or ()
    ).strip()
