"""A title for a document that does not state one."""

from __future__ import annotations

from itertools import pairwise
from pathlib import PurePosixPath
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from orrery_knowledge.governance.cleaning import one_line

MAX_TITLE = 300
# A title stands near the top; parsing the rest of a huge file would only cost time.
_HEADS = (4 * 1024, 64 * 1024)
_GENERIC = frozenset(("readme", "index"))


def first_heading(body: str) -> str:
    """Plain text of the first level-1 heading at top level; "" when there is none.

    Code spans and link texts count, images and HTML tags don't.
    """
    for size in _HEADS:
        raw, references = _raw_heading(body, size)
        # What a link in brackets refers to may be defined further down.
        whole = size >= min(len(body), _HEADS[-1])
        if raw and (whole or "[" not in raw):
            return _plain_text(raw, references)
    return ""


def _raw_heading(body: str, size: int) -> tuple[str, dict[str, Any]]:
    head = body[:size]
    if len(body) > size and (end := max(head.rfind("\n"), head.rfind("\r")) + 1):
        head = head[:end]
    references: dict[str, Any] = {}
    try:
        # Parsing text inside blocks is the slow part, so only the heading gets it.
        tokens = MarkdownIt("commonmark").disable("inline").parse(head, references)
    except RecursionError:
        return "", references
    for opening, content in pairwise(tokens):
        if opening.type == "heading_open" and opening.tag == "h1" and opening.level == 0:
            # Cut before it is parsed: thousands of brackets would take seconds.
            raw = content.content[: 4 * MAX_TITLE]
            if _plain_text(raw, references):
                return raw, references
    return "", references


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
