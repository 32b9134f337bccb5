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

from orrery_knowledge.screening.canonical import canonical
from orrery_knowledge.screening.findings import Screened, Stage, run
from orrery_knowledge.screening.patterns import compiled

_OPEN = "<<<RETRIEVED-DATA {mark} source={source}>>>\n"
_CLOSE = "\n<<<END-RETRIEVED-DATA {mark}>>>"
_LABEL = 1000
"""The most characters of a source that a fence names; a longer one is cut."""
_MARK = 24
_MARK_AT = len("<<<RETRIEVED-DATA ")
_SOURCE_AT = _MARK_AT + _MARK + len(" source=")
_CLOSE_LENGTH = len(_CLOSE.format(mark=_MARK * "0"))

_PLAIN = frozenset(string.ascii_letters + string.digits + "-_./:#@~+=%")
LOOKALIKE = compiled(
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
    if len(source) <= _LABEL and _PLAIN.issuperset(source):
        return source
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
    # The mark is worked out anew, so only two delimiters of ours can be like these two.
    start, end = text.find("\n") + 1, len(text) - _CLOSE_LENGTH
    if not start or end < start:
        return None
    source, inner = text[_SOURCE_AT : start - len(">>>\n")], text[start:end]
    try:
        mark = _mark(source, inner)
    except UnicodeEncodeError:
        # Lone surrogates: `fence` lets none through, so this is none of ours.
        return None
    given = text[_MARK_AT : _MARK_AT + _MARK]
    genuine = given.isascii() and hmac.compare_digest(mark, given)
    whole = text[:start] + text[end:] == _OPEN.format(mark=mark, source=source) + _CLOSE.format(
        mark=mark
    )
    return (source, inner) if genuine and whole and _label(source) == source else None


def _neutralise(text: str) -> str:
    if not text.isascii():
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
    return hmac.digest(_key(), message, "sha256").hex()[:_MARK]


@cache
def _key() -> bytes:
    return secrets.token_bytes(32)


def screen_inside(text: str, *stages: Stage) -> Screened:
    """Run stages over a text, or over what a genuine fence holds, which then is fenced anew."""
    if not text:
        return Screened(text=text)
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
