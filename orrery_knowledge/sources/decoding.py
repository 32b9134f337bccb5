"""Bytes to text: what a source does with a file whose encoding nobody declared.

UTF-8 with or without byte order mark, UTF-16 and UTF-32 with one, UTF-16 without one when it is
unmistakable, and otherwise UTF-8 with each undecodable byte replaced. The text never holds a NUL,
a lone surrogate or a leading byte order mark; what was repaired is said in a warning.
"""

from __future__ import annotations

import codecs
from typing import NamedTuple

SNIFFED_BYTES = 64 * 1024
# The specification limits a pointer file to less than 1024 bytes:
# https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md
LFS_POINTER_LIMIT = 1024
_LFS_POINTER = b"version https://git-lfs.github.com/spec/v1"

# Longest first: the mark of UTF-32-LE begins with that of UTF-16-LE.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Control characters that text does not hold: all but \t \n \v \f \r and escape (terminal colours).
_CONTROLS = bytes(code for code in range(0x20) if code not in b"\t\n\x0b\x0c\r\x1b")


class Decoded(NamedTuple):
    """The text of a file and what had to be repaired in it."""

    text: str
    warnings: tuple[str, ...]


def decode(data: bytes) -> Decoded:
    """Decode a file's bytes; never fails. Ask `looks_binary` first."""
    encoding, skip = _encoding(data)
    warnings: list[str] = []
    if encoding == "utf-8":
        text, replaced = _decode_utf8(data[skip:])
        if replaced:
            warnings.append(f"{replaced} bytes replaced: not UTF-8")
    else:
        if not skip:
            warnings.append(f"no byte order mark: read as {encoding.upper()}")
        try:
            text = data[skip:].decode(encoding)
        except UnicodeDecodeError:
            text = data[skip:].decode(encoding, "replace")
            warnings.append(f"some bytes replaced: not {encoding.upper()}")
    nuls = text.count("\x00")
    if nuls:
        text = text.replace("\x00", "\ufffd")
        warnings.append(f"{nuls} NUL characters replaced")
    return Decoded(text, tuple(warnings))


def looks_binary(head: bytes) -> bool:
    """Whether the beginning of a file (up to `SNIFFED_BYTES`) is clearly no text.

    A few stray control characters are tolerated, and so is text in a legacy encoding, which has
    none. Compressed or executable content has about one control byte in ten.
    """
    encoding, skip = _encoding(head)
    if encoding != "utf-8" or skip:
        return False
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if controls < 8:
        return False
    if controls > len(head) * 0.10:
        return True
    undecodable = _decode_utf8(head)[1]
    return controls > len(head) * 0.02 and controls + undecodable > len(head) * 0.30


def is_lfs_pointer(data: bytes) -> bool:
    """Whether a whole file is a Git LFS pointer instead of the document that it stands for."""
    return len(data) < LFS_POINTER_LIMIT and data.startswith(_LFS_POINTER)


def _encoding(data: bytes) -> tuple[str, int]:
    """The encoding of some bytes and the length of their byte order mark."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding, len(mark)
    head = data[:SNIFFED_BYTES]
    pairs = len(head) // 2
    if pairs >= 4 and 0 in head:
        for encoding, zeros, others in (
            ("utf-16-le", head[1::2], head[0::2]),
            ("utf-16-be", head[0::2], head[1::2]),
        ):
            controls = len(others) - len(others.translate(None, _CONTROLS))
            if zeros.count(0) > pairs * 0.7 and controls < pairs * 0.05:
                return encoding, 0
    return "utf-8", 0


def _decode_utf8(data: bytes) -> tuple[str, int]:
    """Decode with replacement, in linear time, and count the bytes that were replaced."""
    try:
        return data.decode("utf-8"), 0
    except UnicodeDecodeError:
        escaped = data.decode("utf-8", "surrogateescape")
    # The only lone surrogates are the escapes, one for each undecodable byte.
    text = escaped.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text, sum("\udc80" <= character <= "\udcff" for character in escaped)
