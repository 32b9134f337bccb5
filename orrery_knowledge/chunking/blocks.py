"""Blocks: the document's nodes as spans that leave no gap, with what keeps them together."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from orrery_knowledge.chunking.lines import Lines
from orrery_knowledge.chunking.parsing import Node

# A paragraph this short before code is taken for its lead-in even without a colon.
_SHORT_LEAD_IN = 200
# A gap this short (a list marker on its own line, a bare ">") joins its neighbour.
_SMALL_GAP = 16
# How deep ``:::`` blocks may lie in each other and still be kept together.
_MAX_GROUPS = 8

_ADMONITION = re.compile(r"(?:!!!|\?\?\?\+?)[ \t]")
_DIRECTIVE = re.compile(r"\{%|--8<--|:::|!!!|\?\?\?")
_FENCE_LINE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_COLONS_OPEN = re.compile(r":{3,}[ \t]*[^\s:]")
_COLONS_CLOSE = re.compile(r":{3,}[ \t]*\Z")
_EMPHASIS_MARKS = "*_ \t"
_COLONS = (":", "\N{FULLWIDTH COLON}")


@dataclass(frozen=True, slots=True)
class Block:
    """A span of the text that stays in one piece if it can.

    Attributes:
        kind: as `Node.kind`; and ``cut`` for a piece of text that is as small as it gets.
        start: offset of its first character.
        stop: where its visible content ends; what follows up to `end` is blank.
        end: where the next block starts.
        children: what it is made of, covering it exactly; () if only its text can be cut.
        intro: it belongs to what follows it (a heading, a lead-in line).
        glue: it belongs to what precedes it (an admonition after its step).
        hints: the lines that a reader misses when a chunk starts here: lead-ins, outermost first,
            and the header of a table.
    """

    kind: str
    start: int
    stop: int
    end: int
    children: tuple[Block, ...] = ()
    intro: bool = False
    glue: bool = False
    hints: tuple[str, ...] = ()


def arrange(nodes: Iterable[Node], first: int, stop: int, lines: Lines) -> list[Block]:
    """Turn sibling nodes into blocks that cover lines `first` to `stop` (exclusive) exactly.

    Args:
        nodes: siblings in order, inside those lines.
        first: where their container starts.
        stop: where it ends.
        lines: the lines of the whole text.
    """
    return _blocks(_grouped(_covering(list(nodes), first, stop, lines)), lines, ())


def _blocks(siblings: list[Node], lines: Lines, hints: tuple[str, ...]) -> list[Block]:
    """Blocks of nodes that leave no gap; `hints` are the lead-ins of their container."""
    blocks = []
    header = ""
    lead_in = ""
    for position, node in enumerate(siblings):
        following = siblings[position + 1] if position + 1 < len(siblings) else None
        own = hints
        if node.kind == "header":
            header = _line(lines, node.first)
        elif node.kind == "row" and header:
            own = (*hints, header)
        elif lead_in:
            own = (*hints, lead_in)
        intro = following is not None and _introduces(node, following)
        lead_in = _last_line(node) if intro else ""
        members = node.children
        if members and node.kind != "group":
            members = _grouped(_covering(members, node.first, node.stop, lines))
        blocks.append(
            Block(
                kind="code" if _holds_fence(node) else node.kind,
                start=lines.offset(node.first),
                stop=lines.content_end(node.first, node.stop),
                end=lines.offset(node.stop),
                children=tuple(_blocks(members, lines, own)),
                intro=intro or node.kind in ("header", "heading"),
                glue=position > 0 and _DIRECTIVE.match(node.content) is not None,
                hints=own,
            )
        )
    return blocks


def _covering(nodes: list[Node], first: int, stop: int, lines: Lines) -> list[Node]:
    """The nodes, stretched so that each starts where the one before stops.

    The parser has no token for blank lines, link definitions and bare quote marks. Blank lines
    join the node before; the rest becomes a node of kind raw unless it is very short.
    """
    covering: list[Node] = []
    reached = first

    def fill(until: int) -> None:
        nonlocal reached
        visible = lines.next_visible(reached, until)
        gap = lines.content_end(visible, until) - lines.offset(visible) if visible < until else 0
        if covering and gap <= _SMALL_GAP:
            covering[-1].stop = reached = until
        elif gap > _SMALL_GAP or (gap and until == stop):
            if covering:
                covering[-1].stop = visible
                reached = visible
            covering.append(Node("raw", reached, until))
            reached = until

    for position, node in enumerate(nodes):
        limit = nodes[position + 1].first if position + 1 < len(nodes) else stop
        fill(node.first)
        node.first, node.stop = reached, min(max(node.stop, reached + 1), limit)
        covering.append(node)
        reached = node.stop
    if reached < stop:
        fill(stop)
    return covering


def _grouped(nodes: list[Node]) -> list[Node]:
    """Put an admonition with its indented body, and a ``:::`` block, into one node each."""
    grouped: list[Node] = []
    openings: list[int] = []
    for node in nodes:
        grouped.append(node)
        if node.kind == "code" and node.indented and len(grouped) > 1:
            before = grouped[-2]
            if before.kind == "group" and _ADMONITION.match(before.content):
                grouped.pop()
                before.children.append(node)
                before.stop = node.stop
            elif before.kind == "text" and _ADMONITION.match(before.content):
                grouped[-2:] = [_group([before, node])]
        elif node.kind == "text":
            closes = _COLONS_CLOSE.match(node.content.rpartition("\n")[2]) is not None
            opens = _COLONS_OPEN.match(node.content) is not None
            if opens and not closes:
                openings.append(len(grouped) - 1)
            elif closes and not opens and openings:
                at = openings.pop()
                if len(openings) < _MAX_GROUPS:
                    grouped[at:] = [_group(grouped[at:])]
    return grouped


def _group(members: list[Node]) -> Node:
    content = members[0].content
    return Node("group", members[0].first, members[-1].stop, content, children=members)


def _introduces(node: Node, following: Node) -> bool:
    if node.kind != "text" or not node.content or _DIRECTIVE.match(following.content):
        return False
    if following.kind in ("text", "heading"):
        return False
    if node.content.rstrip(_EMPHASIS_MARKS).endswith(_COLONS):
        return True
    return following.kind == "code" and len(node.content) <= _SHORT_LEAD_IN


def _holds_fence(node: Node) -> bool:
    """Whether a paragraph is an admonition with a fence right in it.

    To CommonMark such a fence is text of the paragraph; to the author it is a fence.
    """
    return (
        node.kind == "text"
        and _ADMONITION.match(node.content) is not None
        and _FENCE_LINE.search(node.content) is not None
    )


def _last_line(node: Node) -> str:
    return node.content.rpartition("\n")[2].strip()


def _line(lines: Lines, number: int) -> str:
    return lines.text[lines.offset(number) : lines.offset(number + 1)].strip()
