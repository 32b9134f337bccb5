"""Cut front matter off a document: it is metadata, never text."""

from __future__ import annotations

import re
import tomllib
from typing import Any, NamedTuple

import re2
from pydantic import Field

from orrery_knowledge.errors import DocumentError
from orrery_knowledge.governance.cleaning import MAX_DEPTH, TooLarge, Unsupported, clean_json
from orrery_knowledge.governance.yaml_mapping import read_yaml_mapping
from orrery_knowledge.models import Model

# Tens of lines are usual. Beyond this a parser in Python gets slow, and nobody wrote it by hand.
MAX_CHARACTERS = 32 * 1024

# \n, \r\n and \r end lines, as in CommonMark; U+2028 and form feeds do not.
_OPENING = re.compile(r"(---|\+\+\+)[ \t]*(?:\r\n|\r|\n)")
_CLOSING = {
    "---": re.compile(r"(?<=[\r\n])(?:---|\.\.\.)[ \t]*(?:\r\n|\r|\n|\Z)"),
    "+++": re.compile(r"(?<=[\r\n])\+\+\+[ \t]*(?:\r\n|\r|\n|\Z)"),
}
# What YAML's readers refuse outright. Replaced first, so that a stray byte costs no document.
_UNPRINTABLE = re.compile(
    "[^\\t\\n\\x20-\\x7e\\x85\\xa0-\\ud7ff\\ue000-\\ufefe\\uff00-\\ufffd\\U00010000-\\U0010ffff]"
)
# A key starts with none of the characters that Markdown gives a meaning to, nor does YAML allow it.
_YAML_KEY = re.compile(r"^(?![\s#>|*&!%@`-])[^\n]*?:(?:\s|$)", re.M)
_TOML_KEY = re.compile(r"^[^#=\n]+=|^\[", re.M)
# The parser takes time that grows with the square of a dotted key's length.
_TOML_DEEP = re2.compile(rf"""(?:[\w"'-]+\s*\.\s*){{{MAX_DEPTH}}}""")
_TOML_LINE = re.compile(r"at line (\d+)")


class FrontMatter(Model):
    """A document in its two parts.

    Attributes:
        data: the front matter, JSON types only; empty when there is none.
        body: the text after it.
        first_line: number, in the file, of the body's first line; 1 without front matter.
    """

    data: dict[str, Any] = Field(default_factory=dict)
    body: str
    first_line: int = 1


class _Block(NamedTuple):
    fence: str
    content: str
    end: int
    lines: int


def split_front_matter(text: str) -> FrontMatter:
    """Split a document into front matter (YAML between ``---``, TOML between ``+++``) and body.

    A ``---`` on the first line without a closing one, or whose content is no mapping, is a thematic
    break: the text stays whole. A byte order mark in front is dropped either way.

    Raises:
        DocumentError: it is front matter, but can't be read. Says the line, never the content.
    """
    text = text.removeprefix("\ufeff")
    block = _find_block(text)
    if block is None:
        return FrontMatter(body=text)
    data = _read(block)
    if data is None:
        return FrontMatter(body=text)
    return FrontMatter(data=data, body=text[block.end :], first_line=block.lines + 1)


def _find_block(text: str) -> _Block | None:
    first = _OPENING.match(text)
    closing = _CLOSING[first[1]].search(text, first.end()) if first else None
    if first is None or closing is None:
        return None
    whole = text[: closing.end()]
    lines = whole.count("\n") + whole.count("\r") - whole.count("\r\n")
    return _Block(first[1], text[first.end() : closing.start()], closing.end(), lines)


def _read(block: _Block) -> dict[str, Any] | None:
    content = block.content.replace("\r\n", "\n").replace("\r", "\n")
    key = _YAML_KEY if block.fence == "---" else _TOML_KEY
    try:
        if len(content) > MAX_CHARACTERS:
            raise DocumentError(f"front matter is longer than {MAX_CHARACTERS} characters")
        return _parse(block.fence, _UNPRINTABLE.sub("\ufffd", content))
    except DocumentError:
        # Prose between two thematic breaks is no broken front matter: nothing in it is a key.
        if key.search(content[:MAX_CHARACTERS]):
            raise
        return None


def _parse(fence: str, content: str) -> dict[str, Any] | None:
    try:
        found = read_yaml_mapping(content) if fence == "---" else _read_toml(content)
        # An empty one carries nothing, and `---` twice is as likely two thematic breaks.
        return clean_json(found) if found else None
    except TooLarge:
        raise DocumentError("front matter has too many values or levels") from None
    except Unsupported:
        raise DocumentError("front matter holds a value that is no text, number or list") from None


def _read_toml(content: str) -> dict[str, Any]:
    if _TOML_DEEP.search(content):
        raise TooLarge
    try:
        return tomllib.loads(content)
    except tomllib.TOMLDecodeError as error:
        line = _TOML_LINE.search(str(error))
        where = f" (line {int(line.group(1)) + 1})" if line else ""
        raise DocumentError(f"front matter is not valid TOML{where}") from None
    except (RecursionError, ValueError):
        raise DocumentError("front matter is not valid TOML") from None
