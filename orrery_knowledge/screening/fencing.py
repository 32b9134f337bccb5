"""Presents a passage as data, between delimiters that its text can't forge.

The mark in both delimiters is a keyed hash over source and text. The key is made once a process
and never leaves it, so that a document can't carry a fence that passes for ours; a fence of another
process is treated as a forgery and wrapped again, which is safe.
"""

from __future__ import annotations

import hmac
import secrets
import string
import unicodedata
from functools import cache

import re2

from orrery_knowledge.screening.canonical import canonical
from orrery_knowledge.screening.findings import Screened, Stage, run

_OPEN = "<<<RETRIEVED-DATA {mark} source={source}>>>\n"
_CLOSE = "\n<<<END-RETRIEVED-DATA {mark}>>>"
_FENCED = re2.compile(
    r"(?s)\A<<<RETRIEVED-DATA ([0-9a-f]{24}) source=([^\s<>]{0,1000})>>>\n(.*)"
    r"\n<<<END-RETRIEVED-DATA ([0-9a-f]{24})>>>\z"
)
_LABEL = 1000
"""The most characters of a source that a fence names; also in `_FENCED`."""

_PLAIN = frozenset(string.ascii_letters + string.digits + "-_./:#@~+=%")
LOOKALIKE = re2.compile(
    r"[<\[({«]{2,}[\s/_-]{0,8}(?:end|begin|start|close)?[\s/_-]{0,8}retrieved[\s_-]{0,8}data\b"
)
"""On the canonical view: anything that a reader could take for one of our delimiters."""

NEUTRALISED = "[fence look-alike]"


def fence(text: str, *, source: str) -> str:
    """Wrap a text; one that is genuinely fenced already comes back as it is.

    Args:
        text: the passage; delimiters that imitate ours are replaced in it.
        source: where it comes from, best as a citation; characters that could end the delimiter
            are percent-encoded, as citations have them, so that a copy still names its document.
    """
    if is_fenced(text):
        return text
    label = _label(source)
    inner = _neutralise(text)
    mark = _mark(label, inner)
    return _OPEN.format(mark=mark, source=label) + inner + _CLOSE.format(mark=mark)


def _label(source: str) -> str:
    """The source in characters that end no delimiter: letters, marks and digits of any script."""
    pieces: list[str] = []
    room = _LABEL
    for char in source:
        stays = char in _PLAIN if char.isascii() else unicodedata.category(char)[0] in "LMN"
        octets = char.encode("utf-8", "surrogatepass")
        piece = char if stays else "".join(f"%{octet:02X}" for octet in octets)
        room -= len(piece)
        if room < 0:
            break
        pieces.append(piece)
    return "".join(pieces)


def is_fenced(text: str) -> bool:
    """Whether the whole text is one fence that this process made and nobody changed since."""
    parts = _parts(text)
    return parts is not None


def unfence(text: str) -> tuple[str, str]:
    """Source and content of a genuine fence; an empty source and the text itself for any other."""
    return _parts(text) or ("", text)


def _parts(text: str) -> tuple[str, str] | None:
    if not text.startswith("<<<RETRIEVED-DATA "):
        return None
    try:
        match = _FENCED.match(text)
    except UnicodeEncodeError:
        # Lone surrogates: `fence` lets none through, so this is none of ours.
        return None
    if match is None:
        return None
    opened, source, inner, closed = match.groups()
    mark = _mark(source, inner)
    genuine = hmac.compare_digest(mark, opened) and hmac.compare_digest(mark, closed)
    return (source, inner) if genuine else None


def _neutralise(text: str) -> str:
    if any("\ud800" <= char <= "\udfff" for char in text if not char.isascii()):
        text = text.encode("utf-8", "replace").decode()
    view = canonical(text)
    pieces: list[str] = []
    position = 0
    for match in LOOKALIKE.finditer(view.text):
        start, end = view.raw_span(*match.span())
        if start >= position:
            pieces += (text[position:start], NEUTRALISED)
            position = end
    pieces.append(text[position:])
    return "".join(pieces)


def _mark(source: str, inner: str) -> str:
    message = f"{source}\0{inner}".encode()
    return hmac.new(_key(), message, "sha256").hexdigest()[:24]


@cache
def _key() -> bytes:
    return secrets.token_bytes(32)


def screen_inside(text: str, *stages: Stage) -> Screened:
    """Run stages over a text, or over what a genuine fence holds, which then is fenced anew."""
    parts = _parts(text)
    if parts is None:
        return run(text, *stages)
    source, inner = parts
    screened = run(inner, *stages)
    if screened.text == inner:
        return Screened(text=text)
    head = text.index("\n") + 1
    findings = tuple(
        finding.model_copy(
            update={
                "start": finding.start + head,
                "end": finding.end + head,
                "line": finding.line + 1,
            }
        )
        for finding in screened.findings
    )
    return Screened(text=fence(screened.text, source=source), findings=findings)
