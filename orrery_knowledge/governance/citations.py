"""Citations: ``kb:[source:]path[#anchor][~part][@digest7]``, written and read.

What could be taken for a separator, breaks a line or ends a sentence is percent-encoded as UTF-8.
Letters of every script stay as they are, so that people and models can read and repeat them.
"""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import unquote_to_bytes

from orrery_knowledge.errors import KnowledgeError
from orrery_knowledge.models import Model

DIGEST_LENGTH = 7
REVIEW_DIGEST_LENGTH = 12
MAX_LENGTH = 16 * 1024

_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._/+=")
# Each part excludes every separator that may follow it, so there is one way to read it.
_CITATION = re.compile(
    r"kb:(?:(?P<source>[^:#~@\s]+):)?(?P<path>[^:#~@\s]+)(?:#(?P<anchor>[^:#~@\s]+))?"
    r"(?:~(?P<part>[1-9][0-9]{0,8}))?(?:@(?P<digest>[0-9a-f]{7,64}))?"
)
_REVIEW_ID = re.compile(r"(?P<source>[^:#~@\s]+):(?P<path>[^:#~@\s]+)@(?P<digest>[0-9a-f]{12,64})")


class Citation(Model):
    """A citation in its parts.

    Attributes:
        source: None where the citation leaves it out.
        anchor: "" for what stands before the first heading.
        part: part of its section, from 1; None where the section has one.
        digest: the first digits of the document version's digest; None means the latest one that
            was issued in the investigation.
    """

    source: str | None = None
    path: str
    anchor: str = ""
    part: int | None = None
    digest: str | None = None


def format_citation(
    path: str,
    *,
    anchor: str = "",
    part: int | None = None,
    digest: str | None = None,
    source: str | None = None,
) -> str:
    """Write a citation. Different arguments give different citations (digests by 7 digits).

    Raises:
        KnowledgeError: an empty path or source, a part below 1, a digest that is none.
    """
    shown = None if digest is None else digest[:DIGEST_LENGTH]
    if not path or source == "":
        raise KnowledgeError("a citation needs a path, and a source that is not empty")
    if part is not None and not 1 <= part <= 999_999_999:
        raise KnowledgeError("the part of a citation counts from 1")
    if shown is not None and not re.fullmatch(r"[0-9a-f]{7}", shown):
        raise KnowledgeError("the digest of a citation has at least 7 hex digits")
    return "".join(
        (
            "kb:",
            "" if source is None else f"{encode_part(source)}:",
            encode_part(path),
            f"#{encode_part(anchor)}" if anchor else "",
            "" if part is None else f"~{part}",
            "" if shown is None else f"@{shown}",
        )
    )


def parse_citation(text: str) -> Citation:
    """Read a citation.

    Raises:
        KnowledgeError: it is none. The message does not repeat it.
    """
    match = _CITATION.fullmatch(text) if len(text) <= MAX_LENGTH else None
    if match is None:
        raise KnowledgeError("not a citation; it looks like kb:path#section@1a2b3c4")
    source, anchor, part = match["source"], match["anchor"], match["part"]
    return Citation(
        source=None if source is None else decode_part(source),
        path=decode_part(match["path"]),
        anchor="" if anchor is None else decode_part(anchor),
        part=None if part is None else int(part),
        digest=match["digest"],
    )


def format_review_id(source: str, path: str, digest: str) -> str:
    """``source:path@digest12``: the name of a version in review lists and commands."""
    return f"{encode_part(source)}:{encode_part(path)}@{digest[:REVIEW_DIGEST_LENGTH]}"


def parse_review_id(text: str) -> tuple[str, str, str]:
    """Read what `format_review_id` writes, into source, path and digest digits.

    Raises:
        KnowledgeError: it is none.
    """
    match = _REVIEW_ID.fullmatch(text) if len(text) <= MAX_LENGTH else None
    if match is None:
        raise KnowledgeError("not a version; it looks like source:path@1a2b3c4d5e6f")
    return decode_part(match["source"]), decode_part(match["path"]), match["digest"]


def encode_part(text: str) -> str:
    """Percent-encode one part of a citation; `decode_part` gives the text back exactly."""
    readable = "".join(char if _stays(char) else _percent(char) for char in text)
    if unicodedata.is_normalized("NFC", readable):
        return readable
    # Editors and models compose decomposed letters without being asked, which would break it.
    return "".join(char if char in _PLAIN else _percent(char) for char in text)


def decode_part(text: str) -> str:
    """Undo `encode_part`.

    Raises:
        KnowledgeError: a percent sign that starts no escape, or bytes that are no UTF-8.
    """
    try:
        if re.search(r"%(?![0-9A-Fa-f]{2})", text):
            raise ValueError
        return unquote_to_bytes(text.encode("utf-8", "surrogatepass")).decode(
            "utf-8", "surrogatepass"
        )
    except ValueError:
        raise KnowledgeError("not a citation; it has a broken percent escape") from None


def _stays(char: str) -> bool:
    return char in _PLAIN if char.isascii() else char.isprintable()


def _percent(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "surrogatepass"))
