"""Is the value behind a name a secret? The name, the value and what follows decide together."""

from __future__ import annotations

import base64

from orrery_knowledge.screening.credential_rules import names
from orrery_knowledge.screening.credential_rules.shapes import is_chosen, is_mixed, jumbled
from orrery_knowledge.screening.findings import word_set
from orrery_knowledge.screening.patterns import compiled
from orrery_knowledge.screening.placeholders import (
    is_code,
    is_name,
    is_placeholder,
    is_uuid,
    looks_random,
)

_PAIRS = frozenset({"login", "auth", "cred", "creds", "credential", "credentials", "basic"})
_BASE64 = compiled(r"^[A-Za-z0-9+/]{12,200}={0,2}$")
_MATERIAL = word_set("salt pepper totp otp hmac kek dek private seed hash encrypt secure")
_PRODUCT = compiled(r"^[A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8}){3,7}$")
"""A licence: groups of capitals and digits."""
_ERLANG = compiled(r"^[A-Z]{20}$")
"""A cookie that an Erlang node made for itself."""
_TYPED = (" | ", " = ")
_BYTES = compiled(r"^[A-Za-z0-9+/_-]{22,}={1,2}$|^[A-Za-z0-9+/_-]{32,}$")
_ASKING = frozenset(
    [
        "get",
        "is",
        "has",
        "check",
        "verify",
        "validate",
        "compare",
        "hash",
        "test",
        "generate",
        "forgot",
        "reset",
        "read",
    ]
)
_SETTERS = frozenset({"set", "with", "add", "use"})
_IDENTIFIER = compiled(r"^[a-z]+(?:_[a-z0-9]+)+$")


def is_secret(key: str, separator: str, value: str, rest: str, *, quoted: bool) -> bool:
    """Whether a value behind its name is a secret; `rest` is what follows on its line."""
    if len(value) < 4 or is_placeholder(value) or (not quoted and is_code(value)):
        return False
    tail = value.rpartition("/")[2]
    if ("://" in value or "%3A%2F%2F" in value) and not (len(tail) >= 16 and looks_random(tail)):
        return False
    if value == names.last(key) or (
        not quoted and rest[:1] in (",", ")") and _IDENTIFIER.match(value)
    ):
        return False
    if not quoted and separator.strip() == ":" and value.isidentifier() and rest[:3] in _TYPED:
        # A type with a default, and no value.
        return False
    password = names.is_password(key)
    if _credential(names.parts(key)[-1:], value):
        return True
    if names.is_setting(key) or (quoted and " " in value and not password):
        return False
    random = looks_random(value) or jumbled(value)
    if password:
        return (
            random or quoted or separator.strip() not in (":", "：") or not _is_prose(value, rest)
        )
    if names.is_public(key):
        # Clouds hand out a primary and a secondary key, both secret.
        return (
            names.parts(key)[-2] == "primary" and value.endswith("=") and bool(_BYTES.match(value))
        )
    if names.is_vague(key):
        return random and len(value) >= 16
    if names.is_weak(key):
        last = names.parts(key)[-1]
        if last.startswith("cred"):
            return random or (is_chosen(value) and is_mixed(value))
        if last == "cookie" and _ERLANG.match(value):
            return True
        if last == "key" and _PRODUCT.match(value):
            return is_mixed(value)
        if last in ("pin", "community"):
            return value.isdigit() or (quoted and is_chosen(value))
        if last in _MATERIAL:
            return len(value) >= 16 and (random or _opaque(value))
        if names.is_strong_key(key):
            return random or (len(value) >= 16 and not is_name(value))
        if len(names.parts(key)) >= 2:
            return len(value) >= 14 and (random or _opaque(value))
        if last == "key" and (key.isupper() or key.startswith("-")):
            return len(value) >= 32 and (random or _opaque(value))
        # A bare `key` is mostly a name; random bytes in Base64 are none.
        return last == "key" and bool(_BYTES.match(value)) and random and not value.islower()
    if random or _opaque(value):
        return True
    if value.isdigit() and len(value) >= 8 and names.parts(key)[-1] in ("secret", "psk"):
        return True
    words = value.count("-") + value.count("_")
    if is_uuid(value) or (is_name(value) and value.isascii() and not words):
        return False
    return (len(value) >= 12 and words >= 2 and (quoted or separator.strip() == "=")) or (
        is_chosen(value)
        and (
            quoted
            or separator.strip() == "="
            or names.is_password_like(key)
            or (not rest.strip() and is_mixed(value))
        )
        and names.parts(key)[-1:] != ["tokens"]
    )


def _credential(last: list[str], value: str) -> bool:
    """``login=svc:...``: a user and a password in one value, perhaps in Base64."""
    if not last or last[0] not in _PAIRS:
        return False
    user, colon, secret = value.partition(":")
    if colon and user and is_chosen(secret):
        return True
    if not _BASE64.match(value):
        return False
    try:
        inner = base64.b64decode(value + "=" * (-len(value) % 4)).decode("ascii")
    except ValueError:
        return False
    return inner.isprintable() and ":" in inner[1:-1]


def is_argument(key: str, separator: str, value: str, quoted: bool) -> bool:
    """Whether a value that merely stands behind a name looks so much like a secret that it is."""
    if names.parts(key) == ["pass"] or (value.startswith("(") and is_code(value[1:].rstrip("):"))):
        return False
    if names.is_setting(key) or names.is_public(key) or (" " in value.strip() and not quoted):
        return False
    if separator.strip(" \t\n(") == "" and "(" in separator:
        setter = bool(_SETTERS & set(names.parts(key))) or "string" in key.lower()
        if setter and names.is_password(key):
            return not is_placeholder(value) and len(value) >= 4
        if _ASKING & set(names.parts(key)):
            return False
        return is_chosen(value) and (setter or names.is_password(key) or jumbled(value))
    if not is_chosen(value) and not (names.is_password(key) and looks_random(value)):
        return False
    if names.is_weak(key):
        return len(names.parts(key)) >= 2 and jumbled(value) and len(value) >= 20
    if quoted or names.is_password(key):
        return True
    return looks_random(value) and len(value) >= 12


def _is_prose(value: str, rest: str) -> bool:
    """Whether an unquoted value is the first word of a sentence."""
    following = rest.split()
    if not following or "=" in following[0]:
        return False
    return all(char.isalpha() or char in ".,'-/" for char in value)


def _opaque(value: str) -> bool:
    """Long, of one part, and of digits or mixed characters: what nobody would write by hand."""
    return len(value) >= 16 and not is_name(value) and any(char.isdigit() for char in value)
