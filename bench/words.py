"""Seeded names, numbers and coined words, so that a recombined corpus has a vocabulary that grows.

In real text the number of different words grows with roughly the square root of its length (Heaps
1978), because frequencies fall with rank (Zipf 1949). Sentences that are only shuffled have a
vocabulary that stands still, in which no word is rare; that would flatter or harm every engine.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

EXPONENT = 1.6
"""Of the distribution that ranks are drawn from: n draws give about n ** (1 / 1.6) words."""

COINED_SHARE = 0.06
"""Share of the plain words of a sentence that are replaced by a coined one."""

RENAMED_SHARE = 0.5
"""Share of the identifiers of which one part is replaced."""

SHIFT = 10.0
"""Flattens the head, so that the first ranks are common and not everywhere (Mandelbrot 1953)."""

MAX_RANK = 5_000_000

_SYLLABLES = tuple(consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou")
_TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.\-]*[A-Za-z0-9]|[A-Za-z0-9]")
_DIGITS = re.compile(r"\d+")
_IDENTIFIER = re.compile(r"[a-z]+[_-][a-z]|[a-z][A-Z]|[A-Z][a-z]+[A-Z]")
_PART = re.compile(r"[A-Z]?[a-z]{3,}")


def coin(rank: int) -> str:
    """The word of a rank, from 0: two syllables at least; no two ranks share one."""
    count = len(_SYLLABLES)
    word = ""
    left = rank + count  # skips the words of one syllable
    while True:
        left, last = divmod(left, count)
        word = _SYLLABLES[last] + word
        if left == 0:
            return word
        left -= 1


def draw_rank(random: Random, exponent: float = EXPONENT) -> int:
    """A rank, from 0, with a probability that falls as a power of it."""
    tail = (1.0 - random.random()) ** (-1.0 / (exponent - 1.0))
    return min(int(SHIFT * (tail - 1.0)), MAX_RANK)


def service_name(random: Random) -> str:
    """A service; a few are named everywhere, most hardly ever."""
    return f"{coin(draw_rank(random))}-{random.choice(('api', 'worker', 'gateway', 'store'))}"


def vary(text: str, random: Random, *, service: str, known: Sequence[str]) -> str:
    """Change names, numbers, identifiers and a few words of a text; its structure stays.

    Args:
        text: Markdown of a sample document.
        random: decides; the same state gives the same text.
        service: what most names of services become.
        known: the services that the samples are about.
    """
    services = frozenset(known)

    def change(match: re.Match[str]) -> str:
        token = match.group()
        if token in services:
            return service if random.random() < 0.7 else service_name(random)
        if _IDENTIFIER.search(token):
            return _digits(_rename(token, random), random)
        if token.isalpha() and token.islower() and len(token) >= 5:
            return coin(draw_rank(random)) if random.random() < COINED_SHARE else token
        return _digits(token, random)

    return _TOKEN.sub(change, text)


def _digits(token: str, random: Random) -> str:
    """Another number of as many digits; the year of a date stays plausible."""

    def change(match: re.Match[str]) -> str:
        length = len(match.group())
        return str(random.randrange(10 ** (length - 1), 10**length))

    return _DIGITS.sub(change, token)


def _rename(token: str, random: Random) -> str:
    """One part of an identifier replaced by a coined word of the same case."""
    parts = list(_PART.finditer(token))
    if not parts or random.random() >= RENAMED_SHARE:
        return token
    part = random.choice(parts)
    word = coin(draw_rank(random))
    if part.group()[0].isupper():
        word = word.capitalize()
    return token[: part.start()] + word + token[part.end() :]
