"""Bounds the size of a text."""

from __future__ import annotations

from orrery_knowledge.screening.fencing import fence, is_fenced, unfence

_NOTE = "\n[truncated: {shown} of {total} characters shown]"


def cap(text: str, limit: int) -> tuple[str, bool]:
    """Cut a text to at most `limit` characters, note included, preferably at the end of a line.

    A genuine fence stays whole: what it holds is cut.

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
    newline = text.rfind("\n", room - room // 5, room)
    shown = newline if newline > 0 else room
    return text[:shown] + _NOTE.format(shown=shown, total=len(text)), True
