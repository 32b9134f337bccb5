"""Image targets outside: showing such an image sends its address, and what is in it, away."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

import re2

from orrery_knowledge.screening.patterns import compiled

DEFANGED = "withheld:external-image"

_INLINE = compiled(r"!\[[^\]\n]{0,500}\]\(\s*<?((?i:https?:|ftp:)?//[^\s)>]+)")
_REFERENCE_USE = compiled(r"!\[([^\]\n]{0,200})\](?:\[([^\]\n]{0,200})\])?")
_REFERENCE = compiled(r"(?m)^[ >]{0,8}\[([^\]\n]{1,200})\]:[ \t]*<?((?i:https?:|ftp:)?//[^\s>]+)")
_ELEMENT = compiled(
    r"(?i)<(img|image|iframe|video|audio|source|embed|object|script|input)\b[^<>]*?"
    r"\s(?:src|srcset|href|data|poster)\s*=\s*[\"']?\s*((?:https?:|ftp:)?//[^\s\"'<>]+)"
)
_BLANK = r"\{\{|\$\{|%7b|\[[A-Za-z_ ]{2,}\]?|<[A-Za-z_ ]{2,}|\{[A-Za-z_ ]{2,}\}|[?&][\w.-]{1,40}=$"
_TO_FILL_IN = compiled(_BLANK)
_CARRIES = compiled(
    _BLANK + r"|(?i:[?&;/](?:data|secret|d|q|leak|exfil|payload|token|key|c|info|conversation|chat"
    r"|prompt|context|history|stolen|msg|text|content)=)"
)
_UPLOADED = compiled(
    r"https://(?:user-images\.githubusercontent\.com|raw\.githubusercontent\.com"
    r"|github\.com/user-attachments/assets)(?:/[\w-][\w.-]*){1,40}"
)
"""Hosts of a forge that show nobody who asked for what, so that no writer of a text learns it.

Only fixed paths on them: its proxy of images (``camo``) asks other hosts, and is none of them.
"""
_CODE = compiled(r"(?m)(?:^|[^\\`])(`[^`\n]+`)(?:$|[^`])")


def external_images(text: str) -> Iterator[tuple[int, int, bool]]:
    """Spans of image addresses on other hosts, and whether they are made to carry data along.

    In a code span nothing is loaded: there only an address with a blank to be filled in is one. A
    frame shows a page, as a link does: its address is one where it is made to carry data. A fixed
    address of an upload to a forge is none: its writer never learns what is asked for there.
    """
    if "//" not in text:
        return
    code: list[tuple[int, int]] | None = None
    for pattern, is_element in ((_INLINE, False), (_ELEMENT, True)):
        for match in pattern.finditer(text):
            start, end = match.span(match.lastindex or 1)
            address = text[start:end]
            carries = bool(_CARRIES.search(address))
            if not carries and (_UPLOADED.fullmatch(address) or _is_frame(match, is_element)):
                continue
            if code is None:
                code = [found.span(1) for found in _CODE.finditer(text)]
            if _is_within(code, start) and not _TO_FILL_IN.search(address):
                continue
            yield start, end, carries
    references = list(_REFERENCE.finditer(text))
    if references:
        used = {
            (match.group(2) or match.group(1)).strip().casefold()
            for match in _REFERENCE_USE.finditer(text)
        }
        for match in references:
            address = match.group(2)
            if match.group(1).strip().casefold() in used and not _UPLOADED.fullmatch(address):
                yield *match.span(2), bool(_CARRIES.search(address))


def _is_frame(match: re2._Match[str], is_element: bool) -> bool:
    return is_element and match.group(1).casefold() == "iframe"


def _is_within(spans: list[tuple[int, int]], place: int) -> bool:
    """Whether a place lies in one of some spans, which are in order and don't overlap."""
    before = bisect_right(spans, (place,)) - 1
    return before >= 0 and place < spans[before][1]
