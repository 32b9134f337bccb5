"""A token format: what a provider's tokens begin with and consist of."""

from __future__ import annotations

from typing import Any, NamedTuple

from orrery_knowledge.screening.patterns import compiled


class Format(NamedTuple):
    """A token format: `hints` are lower-case substrings, one of which every match holds."""

    rule: str
    hints: tuple[str, ...]
    pattern: Any


def token_format(rule: str, hints: str, pattern: str) -> Format:
    """A format; the secret is the group `v`, or the whole match without one."""
    return Format(rule, tuple(hints.split()), compiled(pattern))


BEFORE = r"(?:^|[^A-Za-z0-9_])"
"""What may stand in front of a token. It is no part of the secret, so name the group `v`."""
