"""Bounds the size of a text."""

from __future__ import annotations

from typing import Any

from orrery_knowledge.screening.fencing import fence, is_fenced, unfence
from orrery_knowledge.screening.findings import searchable
from orrery_knowledge.screening.patterns import compiled

_NOTE = "\n[truncated: {shown} of {total} characters shown]"
_CODE = compiled(r"(?m)^ {0,3}(`{3,}|~{3,})([^\n]*)$")


def cap(text: str, limit: int) -> tuple[str, bool]:
    """Cut a text to at most `limit` characters, note included.

    It ends with a paragraph if one ends in the last fifth of the room, else with a line, else with
    a word. A code block is left out whole when it begins in the second half, else it is closed; a
    genuine fence stays whole, and what it holds is cut.

    Args:
        text: the text.
        limit: characters, not bytes; zero or less leaves nothing.

    Returns:
        the text and whether it was cut.
    """
    if len(text) <= limit:
        return text, False
    if is_fenced(text):
        source, inner = unfence(text)
        cut, _ = cap(inner, limit - (len(text) - len(inner)))
        fenced = fence(cut, source=source)
        if len(fenced) <= limit:
            return fenced, True
    note = _NOTE.format(shown=limit, total=len(text))
    room = limit - len(note)
    if room <= 0:
        return text[: max(limit, 0)], True
    shown, closing = _outside_code(text, _boundary(text, room))
    if shown + len(closing) > room:
        shown, closing = _outside_code(text, _boundary(text, room - len(closing)))
    return text[:shown] + closing + _NOTE.format(shown=shown, total=len(text)), True


def _boundary(text: str, room: int) -> int:
    """Where to end within `room` characters: between paragraphs, lines or words."""
    for mark in ("\n\n", "\n", " "):
        if (found := text.rfind(mark, room - room // 5, room)) > 0:
            return found
    return max(room, 0)


def _outside_code(text: str, cut: int) -> tuple[int, str]:
    """The cut moved out of an open code block, or what closes the block there."""
    opened: Any = None
    for line in _CODE.finditer(searchable(text), 0, cut):
        marker, info = line.groups()
        if opened is None:
            # An info string behind backticks holds none: else it is code inside a line.
            if not (marker[0] == "`" and "`" in info):
                opened = line
        elif marker.startswith(opened[1]) and not info.strip():
            opened = None
    if opened is None:
        return cut, ""
    if opened.start() > cut // 2:
        return opened.start() - 1, ""
    return cut, f"\n{opened[1]}"
