"""A title for a document that does not state one."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from orrery_knowledge.governance.cleaning import one_line

MAX_TITLE = 300
# A title stands near the top; parsing the rest of a huge file would only cost time.
_HEAD = 64 * 1024
_GENERIC = frozenset(("readme", "index"))


def first_heading(body: str) -> str:
    """Plain text of the first level-1 heading at top level; "" when there is none.

    Code spans and link texts count, images and HTML tags don't.
    """
    head = body
    if len(body) > _HEAD:
        ends = [match.end() for match in re.finditer(r"[\r\n]", body[:_HEAD])]
        head = body[: ends[-1]] if ends else body[:_HEAD]
    references: dict[str, Any] = {}
    try:
        # Parsing text inside blocks is the slow part, so only headings get it.
        tokens = MarkdownIt("commonmark").disable("inline").parse(head, references)
        for opening, content in pairwise(tokens):
            if opening.type == "heading_open" and opening.tag == "h1" and opening.level == 0:
                title = _plain_text(content.content, references)
                if title:
                    return title
    except RecursionError:
        return ""
    return ""


def _plain_text(heading: str, references: dict[str, Any]) -> str:
    inline = MarkdownIt("commonmark").parseInline(heading, references)
    parts = (_plain(token) for block in inline for token in block.children or ())
    return one_line("".join(parts), MAX_TITLE)


def _plain(token: Token) -> str:
    if token.type in ("softbreak", "hardbreak"):
        return " "
    return token.content if token.type in ("text", "code_inline", "text_special") else ""


def title_of_path(path: str) -> str:
    """File stem; for README and index files the name of the folder that they describe."""
    pure = PurePosixPath(path)
    stem = pure.stem or path
    if stem.casefold() in _GENERIC and pure.parent.name:
        stem = pure.parent.name
    return one_line(stem, MAX_TITLE) or "untitled"
