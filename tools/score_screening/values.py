"""Fills the templates of the set with values drawn from a seed.

A template holds parts such as ``⟪github_classic⟫`` or ``⟪iban:DE:18⟫``. What is drawn depends on
the seed, the template and the variant only, so a case is the same whatever else is run.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from random import Random
from typing import NamedTuple
from urllib.parse import quote

from orrery_knowledge.errors import ConfigurationError
from tools.score_screening import identities
from tools.score_screening.formats import ALPHABETS, PLAIN, TOKENS
from tools.score_screening.national import MORE_NATIONAL

PART = re.compile(r"⟪([^⟫]+)⟫")
DRAWN = re.compile(r"\{(\w+):(\d+)\}")
WORDS: list[str] = re.findall(
    r"[a-z]+",
    "amber anchor barley bramble cedar cobalt copper delta ember falcon garnet harbour hazel "
    "indigo juniper kestrel lantern maple meadow nimbus orchard pebble quarry raven saffron "
    "thistle umber velvet willow zephyr",
)
NAMES = ("anna", "ben", "chen", "dora", "emil", "farid", "grace", "hiro", "ines", "kofi", "olga")
SURNAMES = ("abel", "brandt", "castro", "dubois", "eklund", "fuchs", "garcia", "ito", "jansen")
DOMAINS = ("northpost.io", "mailhaus.de", "correo-sur.es", "lumen-isp.net", "kestrelbank.co.uk")
SYMBOLS = {
    "odd_braceless": "!#$%&()*+,-./:;<=>?@^_|~",
    "odd_line": "!$%&()*+,-./:<=>?@^_|~",
    "odd_quoteless": "!#$%&()*+,-./:;<=>?@[]^_{|}~",
    "odd_semicolonless": "!#$%&()*+,-./:<=>?@^_|~",
    "odd_shell": "%+,-./:=@^_~",
    "odd_xml": "!#$%()*+,-./:;=?@^_|~",
    "url_odd": "!$*+,-._~=^#/:@",
}


class Span(NamedTuple):
    """Where a secret lies in a text: code points, end excluded."""

    start: int
    end: int


class FilledText(NamedTuple):
    """A text made of a template, and where its values lie."""

    text: str
    spans: tuple[Span, ...]


def draw(rng: Random, pattern: str) -> str:
    """Text of a format: each ``{alphabet:count}`` replaced by random characters."""

    def characters(part: re.Match[str]) -> str:
        return "".join(rng.choices(ALPHABETS[part[1]], k=int(part[2])))

    return DRAWN.sub(characters, pattern)


def phone(rng: Random, pattern: str) -> str:
    """`#` is any digit, `N` one from 2 to 9."""
    drawn = {"#": "0123456789", "N": "23456789"}
    return "".join(rng.choice(drawn.get(character, character)) for character in pattern)


def odd(rng: Random, symbols: str) -> str:
    """A password with four symbols among letters and digits, none of them at an end."""
    inner = rng.choices(symbols, k=4) + list(draw(rng, "{an:9}"))
    rng.shuffle(inner)
    return rng.choice(ALPHABETS["an"]) + "".join(inner) + rng.choice(ALPHABETS["lo"])


def encoded(text: str) -> str:
    """Standard base64 of a text."""
    return base64.b64encode(text.encode()).decode()


def _jwt(rng: Random) -> str:
    header = json.dumps({"alg": "HS256", "typ": "JWT"}, separators=(",", ":"))
    claims = json.dumps({"sub": f"svc-{rng.randint(10, 99)}", "iat": rng.randint(10**9, 2 * 10**9)})
    parts = [encoded(part).rstrip("=") for part in (header, claims)]
    return ".".join([*parts, draw(rng, "{b64u:43}")])


def _pem(rng: Random, count: int = 7) -> list[str]:
    return [draw(rng, "{b64:64}") for _ in range(count)] + [draw(rng, "{b64:38}==")]


def _whole_pem(rng: Random, kind: str) -> str:
    body = "\n".join(_pem(rng, 3))
    return f"-----BEGIN {kind}-----\n{body}\n-----END {kind}-----\n"


def _email(rng: Random) -> str:
    join = rng.choice([".", "_", "", "-"])
    number = rng.choice(["", "", str(rng.randint(1, 99))])
    return f"{rng.choice(NAMES)}{join}{rng.choice(SURNAMES)}{number}@{rng.choice(DOMAINS)}"


def _password(rng: Random) -> str:
    inner = rng.choice("-_.~") + draw(rng, "{an:9}{dg:2}")
    return (
        rng.choice(ALPHABETS["an"]) + "".join(rng.sample(inner, len(inner))) + draw(rng, "{lo:2}")
    )


def _json_blob(rng: Random) -> str:
    return encoded(json.dumps({"page": rng.randint(2, 99), "sort": rng.choice(WORDS), "size": 50}))


def _auths(rng: Random) -> str:
    auth = encoded(f"ci:{_password(rng)}")
    return encoded(json.dumps({"auths": {"reg.meridian.example": {"auth": auth}}}))


def _colon_hex(rng: Random, count: int) -> str:
    return ":".join(draw(rng, "{hx:2}") for _ in range(count))


SINGLE: dict[str, Callable[[Random], str]] = {
    "badcard": identities.bad_card,
    "badcard_s": lambda rng: identities.bad_card(rng, " "),
    "basic": lambda rng: encoded(f"svc-{rng.choice(WORDS)}:{_password(rng)}"),
    "b64auths": _auths,
    "b64cert": lambda rng: encoded(_whole_pem(rng, "CERTIFICATE")),
    "b64json": _json_blob,
    "b64pem": lambda rng: encoded(_whole_pem(rng, "RSA PRIVATE KEY")),
    "b64pw": lambda rng: encoded(_password(rng)),
    "b64text": lambda rng: encoded(f"Welcome to hall {rng.randint(1, 9)}, mind the {_word(rng)}."),
    "colonhex16": lambda rng: _colon_hex(rng, 16),
    "colonhex20": lambda rng: _colon_hex(rng, 20).upper(),
    "elastic_api": lambda rng: encoded(draw(rng, "{b64u:20}:{b64u:22}")),
    "email": _email,
    "email_enc": lambda rng: quote(_email(rng), safe=""),
    "enc": lambda rng: quote(odd(rng, "!#$%&*+/:;=?@^"), safe=""),
    "jwt": _jwt,
    "pw": _password,
    "word": lambda rng: f"{_word(rng).title()}{rng.choice('-_!')}{rng.randint(1000, 9999)}",
    "words": lambda rng: " ".join(rng.sample(WORDS, 4)),
    "words_dash": lambda rng: "-".join(rng.sample(WORDS, 4)),
    **identities.NATIONAL,
    **MORE_NATIONAL,
}


def _word(rng: Random) -> str:
    return rng.choice(WORDS)


def _lines(rng: Random, name: str, arguments: list[str]) -> tuple[list[str], str]:
    """The lines of a block, and what lies between them."""
    shape = arguments[0] if arguments else "0"
    if name == "b64lines":
        return _pem(rng, 3), "\n" + " " * int(shape)
    if shape == "json":
        return _pem(rng), "\\n"
    return _pem(rng), "\n> " if shape == ">" else "\n" + " " * int(shape)


def _value(rng: Random, name: str, arguments: list[str]) -> str:
    """One value by its name.

    Raises:
        ConfigurationError: there is no such value, or it takes other arguments.
    """
    try:
        return _drawn(rng, name, arguments)
    except (LookupError, ValueError) as error:
        shown = ":".join([name, *arguments])
        raise ConfigurationError(f"the screening set names an unknown value: {shown}") from error


def _drawn(rng: Random, name: str, arguments: list[str]) -> str:
    if name in SINGLE:
        return SINGLE[name](rng)
    if name in SYMBOLS:
        return odd(rng, SYMBOLS[name])
    if name == "ph":
        return phone(rng, ":".join(arguments))
    if name == "card":
        prefix, length, separator = arguments
        return identities.card(rng, prefix, int(length), separator)
    if name == "iban":
        return identities.iban(rng, arguments[0], arguments[1], arguments[2:] == ["s"])
    return draw(rng, TOKENS[name] if name in TOKENS else PLAIN[name])


def fill(template: str, seed: str) -> FilledText:
    """Replace every part of a template by a value; each line of a block is a span of its own.

    Raises:
        ConfigurationError: a part names no value.
    """
    rng = Random(seed)  # noqa: S311 - the same cases in every run, no cryptography
    text = ""
    spans = []
    last = 0
    for part in PART.finditer(template):
        text += template[last : part.start()]
        last = part.end()
        name, *arguments = part[1].split(":")
        if name in ("begin", "end"):  # no line of a key file lies in the repository
            text += f"-----{name.upper()} {arguments[0]}-----"
            continue
        if name in ("pem", "b64lines"):
            values, between = _lines(rng, name, arguments)
        else:
            values, between = [_value(rng, name, arguments)], ""
        for position, value in enumerate(values):
            text += between if position else ""
            spans.append(Span(len(text), len(text) + len(value)))
            text += value
    return FilledText(text + template[last:], tuple(spans))
