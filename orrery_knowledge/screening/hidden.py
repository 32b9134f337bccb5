"""Text that a person doesn't see and a model reads: markup, invisible characters, encoded blobs."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from orrery_knowledge.screening.patterns import compiled
from orrery_knowledge.screening.sieve import Sieve

_COMMENT = compiled(r"(?s)<!--.*?(?:-->|--!>)|(?-s:\[(?://|comment|_)\]:\s*(?:#|<>)\s*[\"'(].*)")
_STYLED = compiled(
    r"(?is)<(?:span|div|p|font|section|td|li|b|i|a|template|noscript|text|small)\b[^<>]*?"
    r"(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*[01](?:px|pt|em|%)?\s*[;\"']"
    r"|opacity\s*:\s*0(?:\.0*)?\s*[;\"']|\bhidden\b|color\s*:\s*(?:#fff(?:fff)?\b|white\b"
    r"|transparent\b)|aria-hidden\s*=|text-indent\s*:\s*-\d{3}"
    r"|left\s*:\s*-\d{3})[^<>]*>.*?</\w{1,10}\s*>"
    r"|\$\s*\\color\{white\}.{0,500}?\$"
)
_READ_ALOUD = compiled(
    r"(?i)<\w{1,10}\s[^<>]*class\s*=\s*[\"'][^\"']*(?:visually-hidden|sr-only|screen-reader)"
)
_FLAG = compiled(
    r"\x{1f3f4}\x{e0067}\x{e0062}\x{e0065}\x{e006e}\x{e0067}\x{e007f}"
    r"|\x{1f3f4}\x{e0067}\x{e0062}\x{e0073}\x{e0063}\x{e0074}\x{e007f}"
    r"|\x{1f3f4}\x{e0067}\x{e0062}\x{e0077}\x{e006c}\x{e0073}\x{e007f}"
)
"""The three flags (England, Scotland, Wales) that are legitimately spelt with tag characters."""

_CONCEALED = r"(?:\x1b\[|\x{9b})(?:[0-9]*;)*8(?:;[0-9]*)*m[^\x1b\x{9b}\n]*"
_INVISIBLE_RUNS = (
    ("tag-characters", compiled(r"[\x{e0000}-\x{e007f}]+")),
    ("variation-selectors", compiled(r"[\x{fe00}-\x{fe0f}\x{e0100}-\x{e01ef}]{3,}")),
    (
        "zero-width-code",
        compiled(r"[\x{200b}-\x{200d}\x{2060}-\x{2064}\x{feff}\x{180e}\x{034f}]{8,}"),
    ),
    ("bidi-override", compiled(r"[\x{202d}\x{202e}]")),
    ("concealed-by-terminal", compiled(_CONCEALED)),
)
_BLOB = compiled(
    r"(?:[A-Za-z0-9+/_-]{40,}\r?\n[ \t>]*)*[A-Za-z0-9+/_-]{24,}={0,2}|(?:\\x[0-9a-fA-F]{2}){16,}"
    r"|(?:[0-9a-fA-F]{2}[ :]){24,}[0-9a-fA-F]{2}|(?:[01]{8}\s){16,}[01]{8}"
)
_MAX_BLOB = 200_000
_LAYERS = 2
_BASE32 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
_MORSE = compiled(r"(?:[.\x{b7}-]{1,6}[ /|]{1,3}){12,}[.\x{b7}-]{1,6}")
_GAP = compiled(r"\s{0,2}[/|]\s{0,2}|\s{3,}")
_NUMBERS = compiled(
    r"\b(?:(?:3[2-9]|[4-9][0-9]|1[01][0-9]|12[0-6])(?:,\s?|\s)){15,}(?:3[2-9]"
    r"|[4-9][0-9]|1[01][0-9]|12[0-6])\b"
)
_ANY_SIGNS = Sieve([_MORSE, _NUMBERS])
_CODES = """
    .- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .--
    -..- -.-- --..
"""
_LETTERS = dict(zip(_CODES.split(), "abcdefghijklmnopqrstuvwxyz", strict=True))
"""The international Morse code (ITU-R M.1677-1)."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """An encoded blob that turned out to be prose."""

    start: int
    end: int
    text: str


def comments(text: str) -> list[tuple[int, int]]:
    """HTML and Markdown comments."""
    if "<!--" not in text and "]:" not in text:
        return []
    return [match.span() for match in _COMMENT.finditer(text)]


def styled(text: str) -> list[tuple[int, int]]:
    """Elements that are styled so that nobody sees them."""
    if "<" not in text and "\\color" not in text:
        return []
    return [match.span() for match in _STYLED.finditer(text)]


def read_aloud(element: str) -> bool:
    """Whether an element's class says that screen readers are to read it."""
    return bool(_READ_ALOUD.match(element))


def invisible_runs(text: str) -> Iterator[tuple[str, int, int]]:
    """Runs of characters that show nothing and carry something, with the rule's name."""
    if text.isascii() and "\x1b" not in text:
        return
    flags = {match.span() for match in _FLAG.finditer(text)}
    for rule, pattern in _INVISIBLE_RUNS:
        for match in pattern.finditer(text):
            start, end = match.span()
            if rule == "concealed-by-terminal" and len(match.group().split("m", 1)[1].split()) < 3:
                continue
            if (start - 1, end) not in flags:
                yield rule, start, end


def decoded_prose(text: str) -> Iterator[Decoded]:
    """Base64, hexadecimal and binary runs that decode to words."""
    for match in _BLOB.finditer(text):
        start, end = match.span()
        # Behind a backslash, the first letter belongs to an escape such as ``\\n``.
        start += text[start - 1 : start] == "\\" and text[start] in "nrt"
        if end - start <= _MAX_BLOB and (prose := _decoded(text[start:end], _LAYERS)):
            yield Decoded(start, end, prose)
    matches = _ANY_SIGNS.over(text)
    for match in matches(_MORSE):
        words = _GAP.split(match.group().strip())
        prose = " ".join("".join(_LETTERS.get(sign, "") for sign in w.split()) for w in words)
        if _is_prose(prose):
            yield Decoded(match.start(), match.end(), prose)
    for match in matches(_NUMBERS):
        prose = "".join(chr(int(number)) for number in match.group().replace(",", " ").split())
        if _is_prose(prose):
            yield Decoded(match.start(), match.end(), prose)


def _decoded(blob: str, layers: int) -> str | None:
    for octets in _decodings(blob):
        try:
            prose = octets.decode()
        except UnicodeDecodeError:
            continue
        if _is_prose(prose):
            return prose
        if layers and _BLOB.fullmatch(prose.strip()):
            return _decoded(prose.strip(), layers - 1)
    return None


def _decodings(blob: str) -> Iterator[bytes]:
    flat = "".join(blob.replace(">", "").split())
    digits = flat.replace("\\x", "").replace(":", "")
    if set(digits) <= set("01") and len(digits) % 8 == 0:
        yield int(digits, 2).to_bytes(len(digits) // 8)
    with suppress(ValueError):
        yield bytes.fromhex(digits)
    standard = flat.rstrip("=").replace("-", "+").replace("_", "/")
    with suppress(binascii.Error, ValueError):
        yield base64.b64decode(standard + "=" * (-len(standard) % 4), validate=True)

    if flat.isupper() and not set(standard) - _BASE32:
        with suppress(binascii.Error, ValueError):
            yield base64.b32decode(standard + "=" * (-len(standard) % 8))


def _is_prose(text: str) -> bool:
    if text.count(" ") < 2:
        return False
    plain = sum(char.isalpha() or char in " \n.,;:!?'\"" for char in text)
    return plain >= 0.8 * len(text)
