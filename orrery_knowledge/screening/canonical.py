"""A canonical view of a text: how a model reads it, with a way back to the raw offsets.

Rules look at the view, edits happen in the raw text. Everything that doesn't change what a model
reads is folded away: case, compatibility forms, accents, look-alike letters, invisible characters,
terminal escapes, character references, percent and backslash escapes, inline HTML tags.
"""

from __future__ import annotations

import html
import sys
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from orrery_knowledge.screening.controls import SEQUENCE
from orrery_knowledge.screening.findings import searchable
from orrery_knowledge.screening.patterns import compiled

_LOOKALIKES = {
    "\u0430": "a",
    "\u0435": "e",
    "\u043e": "o",
    "\u0440": "p",
    "\u0441": "c",
    "\u0443": "y",
    "\u0445": "x",
    "\u043a": "k",
    "\u043c": "m",
    "\u0442": "t",
    "\u043d": "h",
    "\u0456": "i",
    "\u0455": "s",
    "\u0458": "j",
    "\u04bb": "h",
    "\u0501": "d",
    "\u051b": "q",
    "\u051d": "w",
    "\u0585": "o",
    "\u057d": "u",
    "\u0581": "g",
    "\u03b1": "a",
    "\u03b5": "e",
    "\u03b2": "b",
    "\u03b9": "i",
    "\u03ba": "k",
    "\u03bd": "n",
    "\u03bf": "o",
    "\u03c1": "p",
    "\u03c4": "t",
    "\u03c5": "u",
    "\u03c7": "x",
    "\u03c9": "w",
    "\u13aa": "a",
    "\u13df": "c",
    "\u13ac": "e",
    "\u13c0": "g",
    "\u13bb": "h",
    "\u13a5": "i",
    "\u13c6": "i",
    "\u13ab": "j",
    "\u13e6": "k",
    "\u13de": "l",
    "\u13b7": "m",
    "\u13e2": "p",
    "\u13a1": "r",
    "\u13d2": "r",
    "\u13da": "s",
    "\u13a2": "t",
    "\u13d9": "v",
    "\u13d4": "w",
    "\u13b3": "w",
    "\u13c3": "z",
    "\u0251": "a",
    "\u0261": "g",
    "\u0131": "i",
    "\u0237": "j",
    "\u0280": "r",
    "\u029f": "l",
    "\u0274": "n",
}
"""Letters of other scripts that look like a Latin one (after case folding; a small table)."""

INVISIBLE = (
    r"\x{00ad}\x{034f}\x{061c}\x{115f}\x{1160}\x{17b4}\x{17b5}\x{180b}-\x{180f}\x{200b}-\x{200f}"
    r"\x{202a}-\x{202e}\x{2060}-\x{206f}\x{3164}\x{fe00}-\x{fe0f}\x{feff}\x{ffa0}"
    r"\x{fff9}-\x{fffb}\x{1d173}-\x{1d17a}\x{e0000}-\x{e0fff}"
)
"""Inside of a character class: what takes no space when shown (Default_Ignorable and friends)."""

# Without groups, and runs of a thing as one match: both cost more than the match itself.
_SPECIAL = compiled(
    r"[^\x00-\x{9f}]+|(?:\r\n?)+|\x{85}|(?:"
    + SEQUENCE
    + r")+|(?:&(?:amp;)*(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});)+"
    r"|(?:%(?:25)*[0-9a-fA-F]{2})+"
    r"|(?:\\+(?:u\{[0-9a-fA-F]{1,6}\}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}|[nrt\"'/]))+"
    r"|(?:<[bB][rR]\s*/?>)+"
    r"|(?:</?(?:b|i|u|s|em|strong|span|wbr|font|small|big|mark|sub|sup)(?:\s[^<>]*)?/?>)+"
    r"|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x{84}\x{86}-\x{9f}]+"
)
_ORDINARY = bytes(set(b"\t\n" + bytes(range(0x20, 0x7F))) - set(b"&%\\<"))
"""Characters of ASCII with which nothing begins that `_SPECIAL` matches."""
_ESCAPES = {"n": "\n", "r": "\n", "t": "\t", '"': '"', "'": "'", "/": "/"}
_HIDDEN_CHARACTER = compiled("[" + INVISIBLE + "]")


@dataclass(frozen=True, slots=True)
class Canonical:
    """A view and its map.

    Attributes:
        text: what the rules look at.
    """

    text: str
    _starts: tuple[int, ...]
    _pieces: tuple[tuple[int, int, bool], ...]
    _parent: Canonical | None = None

    def raw_span(self, start: int, end: int) -> tuple[int, int]:
        """The raw offsets of ``text[start:end]``; an empty span gives an empty span."""
        if not self._starts:
            return (0, 0)
        first = max(bisect_right(self._starts, start) - 1, 0)
        last = max(bisect_right(self._starts, max(end - 1, start)) - 1, 0)
        raw_start, raw_end, verbatim = self._pieces[first]
        if verbatim:
            raw_start = min(raw_start + start - self._starts[first], raw_end)
        tail_start, raw_end, verbatim = self._pieces[last]
        if verbatim:
            raw_end = min(tail_start + end - self._starts[last], raw_end)
        span = (raw_start, max(raw_start, raw_end))
        return self._parent.raw_span(*span) if self._parent else span

    def view_offset(self, raw: int) -> int:
        """Where a raw offset lies in the view: the start of the piece that covers it, at least."""
        if self._parent:
            raw = self._parent.view_offset(raw)
        index = bisect_right(self._pieces, (raw, sys.maxsize, True)) - 1
        if index < 0:
            return 0
        start, _, verbatim = self._pieces[index]
        return self._starts[index] + (raw - start if verbatim else 0)

    def mended(self) -> Iterator[int]:
        """Where words were put right, if this is a view of a view."""
        view = self
        if view._parent:
            for place, (_, _, verbatim) in zip(view._starts, view._pieces, strict=True):
                if not verbatim:
                    yield place


class _Builder:
    """Collects pieces of a view from left to right."""

    def __init__(self) -> None:
        self.out: list[str] = []
        self.starts: list[int] = []
        self.pieces: list[tuple[int, int, bool]] = []
        self.length = 0

    def add(self, piece: str, start: int, end: int, *, verbatim: bool = False) -> None:
        if piece:
            self.starts.append(self.length)
            self.pieces.append((start, end, verbatim))
            self.out.append(piece)
            self.length += len(piece)

    def build(self, parent: Canonical | None = None) -> Canonical:
        return Canonical("".join(self.out), tuple(self.starts), tuple(self.pieces), parent)


def canonical(text: str) -> Canonical:
    """Fold a text; takes time proportional to its length, never raises on a str."""
    raw = searchable(text)
    builder = _Builder()
    position = 0
    plain = raw.isascii() and not raw.encode().translate(None, _ORDINARY)
    for match in () if plain else _SPECIAL.finditer(raw):
        start, end = match.span()
        builder.add(raw[position:start].lower(), position, start, verbatim=True)
        _special(builder, raw[start:end], start, end)
        position = end
    builder.add(raw[position:].lower(), position, len(raw), verbatim=True)
    return builder.build()


def rewrite(view: Canonical, edits: Iterable[tuple[int, int, str]]) -> Canonical:
    """A view of a view: replace spans (sorted, not overlapping) and keep the way back."""
    builder = _Builder()
    position = 0
    for start, end, replacement in edits:
        builder.add(view.text[position:start], position, start, verbatim=True)
        builder.add(replacement, start, end)
        position = end
    builder.add(view.text[position:], position, len(view.text), verbatim=True)
    return builder.build(view)


def _special(builder: _Builder, found: str, start: int, end: int) -> None:
    first = found[0]
    if first == "&":
        for piece in found[1:].split("&"):
            end = start + len(piece) + 1
            builder.add(_entity(piece), start, end)
            start = end
    elif first == "\\":
        _escapes(builder, found, start)
    elif first == "%":
        octets = bytes.fromhex(found.replace("%25", "%").replace("%", ""))
        builder.add(fold(octets.decode(errors="replace")) or "%", start, end)
    elif first in "\r\x85":
        builder.add("\n" * (found.count("\r") or 1), start, end)
    elif found[:3].lower() == "<br":
        for piece in found[:-1].split(">"):
            end = start + len(piece) + 1
            builder.add("\n", start, end)
            start = end
    elif first > "\x9f":
        _wide(builder, found, start)


def _escapes(builder: _Builder, found: str, start: int) -> None:
    end = start
    for body in found[1:].split("\\"):
        end += 1 + len(body)
        # An empty body is one more backslash before the next one.
        if body:
            builder.add(_escape(body), start, end)
            start = end


@lru_cache(maxsize=4096)
def _entity(body: str) -> str:
    """What a character reference stands for, given without its first ampersand."""
    while body.startswith("amp;"):
        body = body.removeprefix("amp;")
    return fold(html.unescape(html.unescape(f"&{body}")))


@lru_cache(maxsize=4096)
def _escape(body: str) -> str:
    if body in _ESCAPES:
        return _ESCAPES[body]
    number = int(body[1:].strip("{}"), 16)
    return fold(chr(number)) if number <= 0x10FFFF else ""


def _wide(builder: _Builder, run: str, offset: int) -> None:
    """Fold a run of characters outside ASCII, word by word."""
    word: list[str] = []
    for index, char in enumerate(run):
        part = _fold_one(char)
        if part == "" or char.isalpha():
            word.append(part)
            continue
        _word(builder, word, offset + index)
        word = []
        builder.add(part, offset + index, offset + index + 1)
    _word(builder, word, offset + len(run))


def _word(builder: _Builder, parts: list[str], end: int) -> None:
    """Add a word that ends at `end`, one part for each of its characters.

    A word that is Cyrillic or Greek through and through stays what it is, or rules for those
    languages could not be written; a word made of look-alikes only is Latin.
    """
    if all(char in _LOOKALIKES or char.isascii() for part in parts for char in part):
        parts = ["".join(_LOOKALIKES.get(char, char) for char in part) for part in parts]
    start = end - len(parts)
    for place, part in enumerate(parts, start):
        builder.add(part, place, place + 1)


def fold(text: str) -> str:
    """Fold characters that came out of an escape: no look at their neighbours."""
    return "".join(_LOOKALIKES.get(part, part) for part in map(_fold_one, text))


@lru_cache(maxsize=8192)
def _fold_one(char: str) -> str:
    if char.isascii():
        return char.lower() if char in "\t\n" or char.isprintable() else ""
    if "\ud800" <= char <= "\udfff":
        return "\ufffd"
    if "\U000e0020" <= char <= "\U000e007e":
        return chr(ord(char) - 0xE0000).lower()
    if _HIDDEN_CHARACTER.match(char) or unicodedata.category(char) in ("Cf", "Cc", "Mn", "Me"):
        return "\n" if char == "\x85" else ""
    if char in "\u2028\u2029":
        return "\n"
    if unicodedata.category(char) == "Zs":
        return " "
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", char).casefold())
    return "".join(part for part in plain if not unicodedata.combining(part))
