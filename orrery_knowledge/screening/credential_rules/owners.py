"""Secrets by owner: a block under a name in the plural, such as ``tokens { agent = "..." }``.

The keys in such a block name who has a secret, and say nothing of a secret themselves.
"""

from __future__ import annotations

from collections.abc import Iterator

from orrery_knowledge.screening.credential_rules import names
from orrery_knowledge.screening.credential_rules.assignments import Found
from orrery_knowledge.screening.credential_rules.shapes import is_chosen, is_mixed, jumbled
from orrery_knowledge.screening.findings import named_span
from orrery_knowledge.screening.patterns import compiled
from orrery_knowledge.screening.placeholders import is_placeholder, is_uuid

_HEAD = compiled(
    r"(?im)^(?P<indent>[ \t>]*)(?:[\"']?(?P<name>[\w.-]{0,40}(?:tokens|passwords|passwds|secrets"
    r"|api_?keys|credentials))[\"']?[ \t]*[:=]?[ \t]*\{?"
    r"|\[\[?(?P<section>[\w.-]{0,40}(?:tokens|passwords|secrets|api_?keys|credentials))\]\]?)"
    r"[ \t]*$"
)
_ENTRY = compiled(
    r"^(?P<indent>[ \t>]*)[\"']?(?P<key>[\w.@-]{1,60})[\"']?[ \t]*(?:=>|[:=])[ \t]*"
    r"(?P<value>\"[^\"\n]{6,200}\"|'[^'\n]{6,200}'|[^\s\"',{}\[\]]{6,200}),?[ \t]*$"
)
_MOST = 40
"""Lines of a block that are looked at."""


def owned(text: str) -> Found:
    """Every secret in a block that names its owners."""
    for head in _HEAD.finditer(text):
        name = head.group("name") or head.group("section")
        if not names.is_setting(name) and not names.is_public(name):
            yield from _entries(text, head.end() + 1, head.group("indent"), head.group("name"))


def _entries(
    text: str, position: int, indent: str, nested: str | None
) -> Iterator[tuple[str, int, int]]:
    for _ in range(_MOST):
        if position >= len(text):
            return
        end = text.find("\n", position)
        end = len(text) if end < 0 else end
        line = text[position:end]
        deep = len(line) - len(line.lstrip(" \t>"))
        if not line.strip() or (deep <= len(indent) if nested else line.startswith("[")):
            # The block is over where a line stands no deeper; a section where the next begins.
            return
        entry = _ENTRY.match(line)
        if entry is not None and not names.is_setting(entry.group("key")):
            value = entry.group("value")
            quoted = value[0] in "\"'"
            bare = value.strip("\"'")
            if _is_secret(bare):
                start = position + named_span(entry, "value")[0] + quoted
                yield "secret", start, start + len(bare)
        position = end + 1


def _is_secret(value: str) -> bool:
    if is_placeholder(value):
        return False
    return is_uuid(value) or jumbled(value) or (is_chosen(value) and is_mixed(value))
