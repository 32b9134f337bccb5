"""Made-up values for texts with secrets; put together, so that no literal secret lies here."""

from __future__ import annotations

import string

VALUES = {
    "word": "Harbor_" + "5518",
    "password": "vT7q." + "Lw2_eRz9",
    "odd": "k;9,W(x" + "<Q~r!2z]",
    "long": "Zk4t9QwB2xLm7RvP" + "c3Hn8YdS5GfJ1TuA",
    "hex": "9f86d081884c7d65" + "9a2feaa0c55ad015",
    "base64": "q83Vv6kqYJ0m3nQyB1u5S0" + "Jt0p8Fh2Lw9Zr7Xc4Ed6E=",
    "capitals": "QXZKTWVBNR" + "PLGHDSCJKM",
    "digits": "5820" + "4719",
    "words": "copper lantern orchard violet",
    "base32": "JBSWY3DPEHPK" + "3PXPQ2RT5XKA",
}
_PIECE = 6


def fill(template: str) -> tuple[str, list[str]]:
    """A text and the secrets in it."""
    used = [name for _, name, _, _ in string.Formatter().parse(template) if name in VALUES]
    return template.format(**VALUES), [VALUES[name] for name in used]


def readable(secret: str, text: str) -> bool:
    """Whether six characters in a row of a secret can still be read."""
    return any(secret[at : at + _PIECE] in text for at in range(len(secret) - _PIECE + 1))
