"""Image targets outside: showing such an image sends its address, and what is in it, away."""

from __future__ import annotations

from collections.abc import Iterator

from orrery_knowledge.screening.patterns import compiled

DEFANGED = "withheld:external-image"

_INLINE = compiled(r"!\[[^\]\n]{0,500}\]\(\s*<?((?i:https?:|ftp:)?//[^\s)>]+)")
_REFERENCE_USE = compiled(r"!\[([^\]\n]{0,200})\](?:\[([^\]\n]{0,200})\])?")
_REFERENCE = compiled(r"(?m)^[ >]{0,8}\[([^\]\n]{1,200})\]:[ \t]*<?((?i:https?:|ftp:)?//[^\s>]+)")
_ELEMENT = compiled(
    r"(?i)<(?:img|image|iframe|video|audio|source|embed|object|script|input)\b[^<>]*?"
    r"\s(?:src|srcset|href|data|poster)\s*=\s*[\"']?\s*((?:https?:|ftp:)?//[^\s\"'<>]+)"
)
_CARRIES = compiled(
    r"\{\{|\$\{|%7b|\[[A-Za-z_ ]{2,}\]?|<[A-Za-z_ ]{2,}|\{[A-Za-z_ ]{2,}\}|[?&][\w.-]{1,40}=$"
    r"|(?i:[?&;/](?:data|secret|d|q|leak|exfil|payload|token|key|c|info|conversation|chat|prompt"
    r"|context|history|stolen|msg|text|content)=)"
)


def external_images(text: str) -> Iterator[tuple[int, int, bool]]:
    """Spans of image addresses on other hosts, and whether they are made to carry data along."""
    if "//" not in text:
        return
    for pattern in (_INLINE, _ELEMENT):
        for match in pattern.finditer(text):
            yield *match.span(1), bool(_CARRIES.search(match.group(1)))
    references = list(_REFERENCE.finditer(text))
    if references:
        used = {
            (match.group(2) or match.group(1)).strip().casefold()
            for match in _REFERENCE_USE.finditer(text)
        }
        for match in references:
            if match.group(1).strip().casefold() in used:
                yield *match.span(2), bool(_CARRIES.search(match.group(2)))
