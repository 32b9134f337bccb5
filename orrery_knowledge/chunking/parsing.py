"""The Markdown parser, set up for hostile input, and its tokens as a tree of nodes.

markdown-it-py does all the parsing: CommonMark plus tables. Inline text is parsed for headings
only. At its nesting limit the parser skips the rest of the enclosing container, which for a list
means the rest of the document; so quotes and lists stop opening below that limit instead, and what
lies deeper is read as a paragraph.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, blockquote, list_block, table
from markdown_it.token import Token
from markdown_it.utils import EnvType

from orrery_knowledge.errors import DocumentError

_Rule = Callable[[StateBlock, int, int, bool], bool]

# A list takes two levels (itself and its item), a quote one: sixteen lists or thirty-two quotes.
_MAX_LEVEL = 32
# A table's header row makes three tokens a cell; a row of megabytes would make millions.
_MAX_TABLE_ROW = 20_000
# Inline parsing of hostile brackets isn't linear; nobody writes a heading of this many characters.
_MAX_HEADING = 500

# Nobody writes as much by hand; what programs write is no runbook, and a parser in Python takes
# seconds for each ten thousand of them.
MAX_LINES = 100_000
MAX_HEADINGS = 20_000

_KINDS = {
    "paragraph_open": "text",
    "heading_open": "heading",
    "fence": "code",
    "code_block": "code",
    "html_block": "html",
    "hr": "text",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "list_item_open": "item",
    "blockquote_open": "quote",
    "table_open": "table",
    "thead_open": "header",
    "tr_open": "row",
}
_CONTAINERS = frozenset(["list", "item", "quote", "table"])


@dataclass(slots=True)
class Node:
    """A block of the document: its kind and its lines, `stop` exclusive.

    Attributes:
        kind: text, heading, code, html, list, item, quote, table, header, row; and in later steps
            group (blocks that belong together) and raw (lines for which the parser has no token).
        content: what a paragraph or heading says, without quote marks and indentation.
        indented: whether code is indented rather than fenced.
        level: of a heading, from 1.
    """

    kind: str
    first: int
    stop: int
    content: str = ""
    indented: bool = False
    level: int = 0
    children: list[Node] = field(default_factory=list)


def _bounded(rule: _Rule) -> _Rule:
    def bounded(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        return state.level < _MAX_LEVEL and rule(state, start, end, silent)

    return bounded


def _narrow_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    if state.eMarks[start] - state.bMarks[start] > _MAX_TABLE_ROW:
        return False
    return table(state, start, end, silent)


def _parser() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"maxNesting": _MAX_LEVEL + 8}).enable("table")
    markdown.core.ruler.enableOnly(["normalize", "block"])
    ruler = markdown.block.ruler
    # Which rules each may interrupt has to be repeated when a rule is replaced.
    around = ["paragraph", "reference", "blockquote"]
    ruler.at("blockquote", _bounded(blockquote), {"alt": [*around, "list"]})
    ruler.at("list", _bounded(list_block), {"alt": around})
    ruler.at("table", _narrow_table, {"alt": ["paragraph", "reference"]})
    return markdown


def _tree(tokens: list[Token]) -> tuple[list[Node], list[tuple[Node | None, str]]]:
    """Nodes of the top level, and every heading in order (None stands for a nested one)."""
    top: list[Node] = []
    open_nodes: list[list[Node]] = [top]
    headings: list[tuple[Node | None, str]] = []
    for position, token in enumerate(tokens):
        if token.nesting < 0:
            if token.type in ("thead_close", "tr_close"):
                continue
            if _KINDS.get(token.type.removesuffix("_close") + "_open") in _CONTAINERS:
                open_nodes.pop()
            continue
        kind = _KINDS.get(token.type)
        if kind is None or token.map is None:
            continue
        first, stop = token.map
        node = Node(kind, first, stop, indented=token.type == "code_block")
        if token.type in ("paragraph_open", "heading_open"):
            node.content = tokens[position + 1].content
        if kind == "heading":
            node.level = int(token.tag[1:])
            headings.append((node if token.level == 0 else None, node.content))
        if kind == "header":
            node.stop += 1  # the row of dashes has no token
        elif kind == "row" and open_nodes[-1] and open_nodes[-1][-1].stop > node.first:
            continue  # the header's own row
        open_nodes[-1].append(node)
        if kind in _CONTAINERS:
            open_nodes.append(node.children)
    return top, headings


def _refuse_above(limit: int, number: int, what: str) -> None:
    if number > limit:
        raise DocumentError(f"it has {number} {what}; at most {limit} are read: split it")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of the document's top level.

    Attributes:
        node: where it is; `node.level` is its depth.
        title: its plain text on one line, cut when it is very long.
        anchor_text: its rendered text, of which the anchor is made.
    """

    node: Node
    title: str
    anchor_text: str


class ParsedDocument:
    """A parsed text.

    Raises:
        DocumentError: it has more lines or headings than a document that people read.

    Attributes:
        nodes: the blocks of the top level, in order, headings included.
        headings: every heading in order; None for one in a list or quote, which makes no section
            but takes an anchor.
    """

    def __init__(self, text: str) -> None:
        # A line of text is at least two characters, with its end.
        if len(text) > 2 * MAX_LINES:
            filled = sum(map(bool, text.replace("\r", "\n").split("\n")))
            _refuse_above(MAX_LINES, filled, "lines that aren't empty")
        self._markdown = _parser()
        self._env: EnvType = {}
        self.nodes, found = _tree(self._markdown.parse(text, self._env))
        _refuse_above(MAX_HEADINGS, len(found), "headings")
        self.headings: list[tuple[Heading | None, str]] = []
        for node, content in found:
            title, anchor_text = self._rendered(content)
            heading = None if node is None else Heading(node, title, anchor_text)
            self.headings.append((heading, anchor_text))

    def _rendered(self, content: str) -> tuple[str, str]:
        """Title and anchor text of a heading: tags, URLs and emphasis marks are gone."""
        content = content[:_MAX_HEADING]
        tokens: list[Token] = []
        self._markdown.inline.parse(content, self._markdown, self._env, tokens)
        shown, alternative = [], []
        for token in tokens:
            if token.type in ("text", "text_special", "code_inline"):
                shown.append(token.content)
            elif token.type in ("softbreak", "hardbreak"):
                shown.append("\n")
            elif token.type == "image":
                alternative.append(token.content)
        anchor_text = "".join(shown)
        title = " ".join(anchor_text.split()) or " ".join(" ".join(alternative).split())
        return title, anchor_text
