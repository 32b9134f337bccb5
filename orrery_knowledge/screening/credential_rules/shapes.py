"""What a value looks like where a sentence or a command says that it is a secret.

Beside a name and an equals sign almost any value is the secret. In a sentence most words are none:
there a value has to look like one that somebody chose or generated.
"""

from __future__ import annotations

from orrery_knowledge.screening.patterns import compiled
from orrery_knowledge.screening.placeholders import is_code, is_placeholder, is_uuid, looks_random

_TRAILING = "\\.,;:!?)]}>\"'`’”»*…。，；、）」』"
_LEADING = "\\([{<\"'`‘“«„*「『（"
_TECHNICAL = compiled(
    r"(?i)^(?:non-)?(?:sha|md|aes|rsa|oauth|base|tls|ssl|https?|ipv|utf|pbkdf|bcrypt|argon|scram"
    r"|hmac|ecdsa"
    r"|ed|x|k|s|ec|es|hs|rs|ps|v|rfc|cve|iso|pkcs|win|windows|python|java|node|php|log|web|i18n"
    r"|k8s|s3|ec2|h|http)[-_ ]?\d[\w.-]{0,12}$"
)
_SLUG = compiled(r"^[a-z0-9]+(?:[-./:][a-z0-9]+)+$")
_CONSTANT = compiled(r"^[A-Z][A-Z0-9]*(?:[_-][A-Z0-9]+)+$")
_SNAKE = compiled(r"^[a-z]+(?:_[a-z]+)+\d{0,2}$")
_NUMERIC = compiled(r"^[\d.,:%/xX+-]+[A-Za-z]{0,3}$")
_ADDRESS = compiled(r"://|^[\w.+-]+@[\w-]+\.[\w.-]+$|^/|^\.{1,2}/|^~|^--?[a-z]")
_ENDING = compiled(r"\.[a-z]{2,4}$")
_CALL = compiled(
    r"^[{\[].*[\"':]|\[\]|\(\)|\w\([.\"']|^[A-Za-z_][\w.]*\([\w\s,.=]*\)?[;.]?$|^\w+\[|::|->|=>"
    r"|\$\{|\{\{|^[@#$]\w+$|</|^[a-z][\w.-]*=[\w.,-]+$"
)
_ODD = frozenset("!#$%^&*~=+{}[]|<>@?")


def trim(value: str) -> tuple[int, str]:
    """A word of a sentence without its quotes and punctuation, and how much went in front."""
    head = len(value) - len(value.lstrip(_LEADING))
    return head, value[head:].rstrip(_TRAILING)


def is_chosen(value: str) -> bool:
    """Whether a word looks like a password or token, and not like a word, a number or a name."""
    if not 6 <= len(value) <= 512 or is_placeholder(value) or is_uuid(value):
        return False
    if _NUMERIC.match(value) or _is_technical(value) or _ADDRESS.search(value):
        return False
    if _is_file(value):
        return False
    if _SLUG.match(value) or _CONSTANT.match(value) or _SNAKE.match(value) or _CALL.search(value):
        return False
    if is_code(value):
        return False
    letters = sum(char.isalpha() for char in value)
    digits = sum(char.isdigit() for char in value)
    if letters == 0:
        return False
    if digits:
        return letters >= 2
    odd = sum(char in _ODD for char in value)
    return (
        odd >= 2 or (odd == 1 and value[-1] not in _ODD and value[0] not in _ODD) or jumbled(value)
    )


def _is_technical(value: str) -> bool:
    """``SHA256withRSA``, ``x86_64``; one letter and a digit may begin a password as well."""
    if not _TECHNICAL.match(value):
        return False
    return not (value[1:2].isdigit() and is_mixed(value) and looks_random(value))


def _is_file(value: str) -> bool:
    """Whether a value ends as a file or a host does, and what stands before that is no jumble."""
    if not _ENDING.search(value):
        return False
    stem = value.rpartition(".")[0]
    mixed = any(char.islower() for char in stem) and any(char.isupper() for char in stem)
    return not (mixed and stem.isalnum() and looks_random(stem))


def jumbled(value: str) -> bool:
    """Whether letters stand in an order that no language has: many case changes, few vowels."""
    if looks_random(value):
        return True
    if len(value) < 14 or not value.isalpha() or not value.isascii():
        return False
    vowels = sum(char in "aeiouyAEIOUY" for char in value)
    run = longest = 0
    for char in value:
        run = 0 if char in "aeiouyAEIOUY" else run + 1
        longest = max(longest, run)
    return longest >= 6 or vowels * 5 < len(value) or (value.isupper() and longest >= 4)


def is_mixed(value: str) -> bool:
    """Whether it is of three kinds of characters at least, as somebody chooses a secret."""
    kinds = (
        any(char.islower() for char in value),
        any(char.isupper() for char in value),
        any(char.isdigit() for char in value),
        any(not char.isalnum() for char in value),
    )
    return sum(kinds) >= 3 or (len(value) >= 16 and any(char.isdigit() for char in value))
