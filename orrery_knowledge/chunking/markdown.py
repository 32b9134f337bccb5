"""Cuts a Markdown document into chunks: headings first, size only inside a section."""

from __future__ import annotations

from dataclasses import dataclass

import markdown_it

from orrery_knowledge.chunking.blocks import Block, arrange
from orrery_knowledge.chunking.lines import BLANKS, Lines
from orrery_knowledge.chunking.packing import Packer
from orrery_knowledge.chunking.parsing import Heading, ParsedDocument
from orrery_knowledge.chunking.slugs import Slugger
from orrery_knowledge.errors import ConfigurationError
from orrery_knowledge.models import Chunk

# Part of a document's processing key. Raise the number whenever the same text may be cut in
# another way; a new parser may cut in another way too.
SPLITTER_VERSION = f"markdown-1+markdown-it-py-{markdown_it.__version__}"

_CONTEXT = 300
_CONTEXT_TITLE = 80
_CONTEXT_PATH = 120


def chunk_markdown(
    body: str, *, title: str = "", size: int = 800, first_line: int = 1
) -> list[Chunk]:
    r"""Cut the body of a Markdown document into chunks.

    The texts of the chunks, joined in order, are the body. Lines end at ``\n``, ``\r\n`` and
    ``\r`` only. Chunks depend on nothing but the arguments and `SPLITTER_VERSION`.

    Args:
        body: the document without its front matter.
        title: the document's title, for the context of its chunks.
        size: most characters of a chunk, blank ends not counted. Code blocks are never cut, so a
            chunk with one may be longer; a block that belongs to its neighbour may add 15 %.
        first_line: the line of the file on which the body starts, from 1.

    Returns:
        The chunks in order; none for an empty body.

    Raises:
        ConfigurationError: `size` is below 1.
        DocumentError: more lines or headings than `parsing.MAX_LINES` and `MAX_HEADINGS`.
    """
    if size < 1:
        raise ConfigurationError(f"the chunk size must be at least 1 character, not {size}")
    if not body:
        return []
    lines = Lines(body)
    packer = Packer(body, size)
    chunks: list[Chunk] = []
    for section in _sections(lines):
        packed = packer.pack(section.blocks)
        for part, blocks in enumerate(packed, 1):
            # Blank lines before the first block of a document belong to its first chunk.
            start = blocks[0].start if chunks else 0
            end = blocks[-1].end
            first, last = _visible_lines(lines, start, end)
            chunks.append(
                Chunk(
                    ordinal=len(chunks),
                    text=body[start:end],
                    context=_context(title, section, part, blocks[0].hints),
                    section=section.path[-1] if section.path else "",
                    heading_path=section.path,
                    anchor=section.anchor,
                    part=part,
                    parts=len(packed),
                    line_start=first_line + first,
                    line_end=first_line + last,
                )
            )
    return chunks


@dataclass(frozen=True, slots=True)
class _Section:
    """A section's own text: up to the next heading of any depth.

    Attributes:
        path: titles from the outermost heading down to its own; () before the first heading.
        anchor: of its heading.
        blocks: its text, after the headings without content above it.
    """

    path: tuple[str, ...]
    anchor: str
    blocks: list[Block]


def _sections(lines: Lines) -> list[_Section]:
    document = ParsedDocument(lines.text)
    first = lines.next_visible(0, len(lines))
    if first == len(lines):
        return [_Section((), "", [Block("raw", 0, 0, len(lines.text))])]

    slugger = Slugger()
    headings: list[tuple[Heading, str]] = []
    for heading, anchor_text in document.headings:
        anchor = slugger.add(anchor_text)
        if heading is not None:
            headings.append((heading, anchor))

    sections: list[_Section] = []
    carried: list[Block] = []
    path: list[tuple[int, str]] = []
    nodes = iter(document.nodes)
    own = []
    # What precedes the first heading.
    for node in nodes:
        if node.kind == "heading":
            break
        own.append(node)
    start = headings[0][0].node.first if headings else len(lines)
    if start > first:
        sections.append(_Section((), "", arrange(own, first, start, lines)))

    for position, (heading, anchor) in enumerate(headings):
        following = headings[position + 1][0] if position + 1 < len(headings) else None
        stop = following.node.first if following else len(lines)
        own = [heading.node]
        for node in nodes:
            if node.kind == "heading":
                break
            own.append(node)
        level = heading.node.level
        path = [*(above for above in path if above[0] < level), (level, heading.title)]
        blocks = arrange(own, heading.node.first, stop, lines)
        if len(blocks) == 1 and following is not None and following.node.level > level:
            carried.extend(blocks)
            continue
        titles = tuple(title for _, title in path)
        sections.append(_Section(titles, anchor, [*carried, *blocks]))
        carried = []
    return sections


def _visible_lines(lines: Lines, start: int, end: int) -> tuple[int, int]:
    """The first and last line (from 0) of the span that show something of it."""
    text = lines.text[start:end]
    visible = text.strip(BLANKS)
    if not visible:
        return lines.at(start), lines.at(end - 1)
    before = len(text) - len(text.lstrip(BLANKS))
    return lines.at(start + before), lines.at(start + before + len(visible) - 1)


def _context(title: str, section: _Section, part: int, hints: tuple[str, ...]) -> str:
    """What a reader of this chunk alone would miss, in at most `_CONTEXT` characters."""
    title = " ".join(title.split())
    # The first part shows its own heading in its text.
    path = section.path[:-1] if part == 1 else section.path
    if path and path[0].casefold() == title.casefold():
        path = path[1:]
    context = _cut(title, _CONTEXT_TITLE)
    if path:
        each = (_CONTEXT_PATH - 3 * (len(path) - 1)) // len(path)
        joined = " > ".join(path)
        if len(joined) > _CONTEXT_PATH:
            joined = " > ".join(_cut(heading, each) for heading in path)
        context = f"{context}\n{joined}" if context else joined
    for hint in hints[-2:]:
        left = _CONTEXT - len(context) - 1
        line = _cut(" ".join(hint.split()), left // 2 if hint is not hints[-1] else left)
        if line:
            context = f"{context}\n{line}" if context else line
    return context


def _cut(text: str, length: int) -> str:
    if len(text) <= length:
        return text
    return text[: max(length - 1, 0)].rstrip() + "…" if length > 1 else ""
