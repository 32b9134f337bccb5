"""File names as bytes, turned into text that is always valid, printable and unambiguous.

A name is bytes; a path in an index, a log line or a citation is text. `printable_path` keeps a
name as it is as far as possible and writes as ``%XX`` (upper-case hexadecimal, one for each byte)

* bytes that aren't valid UTF-8,
* control characters (newline, tab, escape, ...), and
* characters that change how the text around them is shown or broken into lines (bidirectional
  controls, line and paragraph separators).

A literal ``%`` stays, unless what follows would read as one of those escapes: then it is ``%25``.
So two different names never give the same text, and ``a%20b.md`` or ``100%.md`` stay as they are.
"""

from __future__ import annotations

import os

import re2

# Escapes that `printable_path` can write: 00-1F, 25, 7F and 80-FF.
_ESCAPE_LIKE = re2.compile(r"%((?:[01][0-9A-F]|25|7F|[89A-F][0-9A-F]))")
_UNSAFE_RANGES = (
    range(0x20),
    range(0x7F, 0xA0),
    (0x061C, 0x200E, 0x200F, 0xFEFF),
    range(0x2028, 0x202F),
    range(0x2066, 0x206A),
)
_UNSAFE = frozenset(code for codes in _UNSAFE_RANGES for code in codes)


def printable_path(raw: bytes) -> str:
    """Text for the bytes of a path; injective (see the module's description)."""
    text = raw.decode("utf-8", "surrogateescape")
    if text.isascii() and text.isprintable() and "%" not in text:
        return text
    # RE2 takes no lone surrogates, and an escape-like sequence is ASCII: work on the bytes.
    text = (
        _ESCAPE_LIKE.sub(rb"%25\1", raw).decode("utf-8", "surrogateescape") if b"%" in raw else text
    )
    return "".join(map(_printable, text))


def printable_name(name: str) -> str:
    """`printable_path` for a name as `os` gives it (bytes as lone surrogates)."""
    return printable_path(os.fsencode(name))


def _printable(character: str) -> str:
    code = ord(character)
    if code in _UNSAFE or 0xD800 <= code <= 0xDFFF:
        return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogateescape"))
    return character
