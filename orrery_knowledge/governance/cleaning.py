"""Text and JSON values that any store can hold and any log can print on one line."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

REPLACEMENT = "\ufffd"

# Front matter of people has tens of values, a few levels deep. What goes beyond is an attack (an
# alias bomb) or data that belongs elsewhere.
MAX_VALUES = 10_000
MAX_DEPTH = 20


class TooLarge(Exception):
    """A value has more parts or levels than metadata may have."""


class Unsupported(Exception):
    """A value has no JSON form."""


def clean_text(text: str) -> str:
    """Replace NUL and lone surrogates, which databases and encoders refuse, by U+FFFD."""
    if text.isascii() and "\0" not in text:
        return text
    return "".join(
        REPLACEMENT if char == "\0" or "\ud800" <= char <= "\udfff" else char for char in text
    )


def one_line(text: str, limit: int) -> str:
    """Join a text into one line of printable characters, at most `limit` long."""
    spaced = "".join(char if char.isprintable() else " " for char in clean_text(text))
    joined = " ".join(spaced.split())
    return joined if len(joined) <= limit else joined[: limit - 1].rstrip() + "\u2026"


def clean_json(value: object) -> Any:
    """A copy of `value` made of JSON's types only.

    Shared parts are copied each time they occur, and counted each time: that is what stops an alias
    bomb. Dates become ISO strings, keys become strings, numbers without a JSON form become text.

    Raises:
        TooLarge: more than `MAX_VALUES` values or `MAX_DEPTH` levels.
        Unsupported: a value of another type, or two keys that are equal once they are strings.
    """
    return _Copy().of(value, 0)


class _Copy:
    def __init__(self) -> None:
        self.left = MAX_VALUES

    def of(self, value: object, depth: int) -> Any:
        self.left -= 1
        if self.left < 0 or depth > MAX_DEPTH:
            raise TooLarge
        if value is None or isinstance(value, bool | int):
            return value
        if isinstance(value, str):
            return clean_text(value)
        if isinstance(value, float):
            return value if math.isfinite(value) else str(value)
        if isinstance(value, date | datetime) or hasattr(value, "isoformat"):
            return str(value.isoformat())
        if isinstance(value, Mapping):
            return self.mapping(value, depth)
        if isinstance(value, list | tuple):
            return [self.of(item, depth + 1) for item in value]
        if isinstance(value, set | frozenset):
            return [self.of(item, depth + 1) for item in sorted(value, key=repr)]
        raise Unsupported

    def mapping(self, value: Mapping[Any, object], depth: int) -> dict[str, Any]:
        copied: dict[str, Any] = {}
        for key, item in value.items():
            text = key_text(key)
            if text in copied:
                raise Unsupported
            copied[text] = self.of(item, depth + 1)
        return copied


def key_text(key: object) -> str:
    """A mapping's key as a string, as JSON would write it.

    Raises:
        Unsupported: the key is no scalar.
    """
    if isinstance(key, str):
        return clean_text(key)
    if key is None or isinstance(key, bool):
        return {None: "null", True: "true", False: "false"}[key]
    if isinstance(key, date | datetime):
        return key.isoformat()
    if isinstance(key, int | float):
        return str(key)
    raise Unsupported
