"""What looks like a secret and is none: one table, no entropy, the same answer in every process."""

from __future__ import annotations

from itertools import pairwise

from orrery_knowledge.screening.findings import word_set
from orrery_knowledge.screening.patterns import compiled

DOCUMENTED = frozenset(
    {
        "akiaiosfodnn7example",
        "wjalrxutnfemi/k7mdeng/bpxrficyexamplekey",
        "je7mtgbclwbf/2zk/h3ycho8l1ihk+bg",
        "asiaiosfodnn7example",
    }
)
"""Sample keys that AWS prints in its own documentation."""

_WORDS = word_set(
    """
    password passwd pass pwd passphrase secret token key apikey api_key user username changeme
    change_me change-me changeit replaceme replace_me replace-me redacted removed masked hidden
    omitted example sample dummy placeholder todo tbd none null nil true false yes no on off enabled
    disabled required optional empty undefined unset default string str text bytes int integer
    number boolean bool object value foo bar baz foobar your-password yourpassword mypassword
    my-password insert_here abc abc123 xyz prompt ask stdin env file vault manual auto automatic
    generated random base64 plain plaintext plain-text hashed encrypted invalid incorrect wrong
    missing expired unknown failed valid correct authentication auth basic bearer digest hello
    """
)
_KEYWORDS = ("password", "passwd", "token", "credential", "api-key", "apikey")
_REFERENCE = compiled(
    r"^[\"']?(?:\\{0,2}\$(?:[A-Z_][A-Z0-9_]*(?:$|\W)"
    r"|[a-z_]+[a-z0-9]*(?:[A-Z][a-z0-9]+)*(?:$|[^\w$])|[\d*@#?!]$|[{(\[]|env:)"
    r"|%[A-Za-z_]+%|%\(\w|\{\{|<[^>]*>?$|&lt;|\[[\w .:-]*\]?$|\{[\w.]+\}(?:\\n)*$|#\{|@[\w./-]+@?$"
    r"|!(?:Ref|Sub|vault|reference)\b|&\w+$|\*{3,}"
    r"|x{4,}$|X{4,}$|#{3,}$|\.{3,}|…|-+$|_+$|\([\w ]*\)?$|~/|\.\.?/|file:|vault:|ssm:|env[:(.]"
    r"|secretref|op://|arn:|projects/|keyvault|\@Microsoft\.KeyVault"
    r"|process\.env|os\.(?:environ|getenv)|getenv|ENV\[|System\.getenv|var\."
    r"|local\.|data\.|module\.|self\.|this\.|config\.|settings\.|secrets\.|request\.|args\."
    r"|options\.|\$_(?:ENV|SERVER|POST|GET)\b|--?[a-z][a-z-]+$)"
)
_FILLER = compiled(
    r"(?i)^(?:x+|\*+|\.+|-+|_+|0+|1+|a+|1234567890|0123456789|12345678|123456)$"
    r"|(?:^|[^a-z])(?:your|my|the|insert|enter|replace|put|some)[_\s-].{0,40}(?:password|secret"
    r"|token|key|here|value|id)"
    r"|^(?:replace|change|insert|enter|fill|put|update)[_-]?(?:me|this|in|it)\b"
    r"|<[a-z][a-z0-9 _./-]{0,60}>|\{\{|\$\{[\w.:-]|\$\([a-z]|^[A-Za-z_]\w*\([\w\s\"'.,\[\]]*\)?$"
    r"|\*{4,}|\.{3,}$|x{6,}"
    r"|example(?:key|token|secret|password)?$"
    r"|^\[redacted|^redacted|^(?:not|never|should|must|will|is|are|was|has|can|may)$"
    r"|^(?:sk|pk|rk)[-_](?:[a-z]+[-_])?1234\w{0,8}$|^sk-\.{2,}"
)
_UUID = compiled(r"(?i)^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$")
_DIGEST = compiled(r"(?i)^(?:sha(?:1|224|256|384|512)|md5)[:-][0-9a-f+/=]+$")
_CODE = compiled(
    r"^[A-Za-z_][\w.]*\([^!#%^~?@|]*$|^[A-Za-z_][\w.]*\([^!#%^~?@|)]*\)|^[A-Za-z_][\w.]*\[[\w\"'.:]*\]?(?:$|[.\[(),;=])|\)$|::[A-Za-z]|[\w)]->[a-z]|=>|&&|\|\|"
)
_PART = (
    r"(?:[A-Z]{0,4}[a-z]*(?:[A-Z][a-z]+)*(?:[A-Z]{0,3}|\d{0,2})|[a-z_]+\d?[a-z_]*\d{0,2}"
    r"|[A-Z][A-Z_]*)"
)
_ATTRIBUTE = compiled(rf"^{_PART}(?:\??\.{_PART})+!?$")
_CONSTANT = compiled(r"^[A-Z]{2,}(?:_[A-Z]+)+$")
_PATH = compiled(r"^/(?:[\w.@-]+/)*[\w.@-]*$")
_ABOUT = compiled(r"^[#./]{0,2}(?:[a-z]{1,16}(?:[-_./#][a-z]{1,16})*)$")
_GENERATED = compiled(r"^[a-z0-9]+(?:-[a-z0-9]+)+-[bcdfghjklmnpqrstvwxz2456789]{5}$")
"""Kubernetes ends generated names with five characters of this alphabet (apimachinery's `rand`)."""
_SLUG = compiled(r"^[a-z]+(?:[-_./][a-z]+)*$")
_APART = compiled(r"[^A-Za-z0-9]+")
_CAMEL = compiled(r"^[A-Z]{0,4}[a-z]{2,}(?:[A-Z]{1,4}[a-z]{2,})*[A-Z]{0,4}s?$")
_MARKER = compiled(r"\[REDACTED:[a-z-]{1,40}\]")
_NUMBER = compiled(r"^[\d.,:%/-]+[a-zA-Z]{0,3}$")


def masked(text: str) -> str:
    """The same text with our markers blotted out, character for character.

    A marker names its rule ("password", "phone"), and must not become a name for what follows it.
    """
    if "[REDACTED:" not in text:
        return text
    return str(_MARKER.sub(lambda match: "*" * len(match.group()), text))


def is_placeholder(value: str) -> bool:
    """Whether a value stands for a secret instead of being one."""
    # `*password*` is how Markdown writes a word that the reader has to replace.
    bare = value.strip("\"'`*_")
    low = bare.lower()
    return (
        low in _WORDS
        or low in DOCUMENTED
        or not any(char.isalnum() for char in bare)
        or len(set(low)) <= 2
        or bool(_REFERENCE.search(value))
        or bool(_FILLER.search(bare))
        or bool(_DIGEST.match(bare))
        or bool(_PATH.match(bare) and _changes(bare) < 6)
        or bool(_ABOUT.match(bare) and any(word in bare for word in _KEYWORDS))
    )


def is_code(value: str) -> bool:
    """Whether an unquoted value is an expression: a call, an attribute, a type."""
    return bool(_CODE.search(value) or _ATTRIBUTE.match(value) or _CONSTANT.match(value))


def is_name(value: str) -> bool:
    """Whether a value is words, a number or an id: the name of a secret, not the secret."""
    return bool(_SLUG.match(value) or _NUMBER.match(value) or _GENERATED.match(value))


def is_uuid(value: str) -> bool:
    """Whether a value is a UUID."""
    return bool(_UUID.match(value))


def looks_random(value: str) -> bool:
    """Whether a value mixes letters and digits as a generated one does, inside of one part."""
    if len(value) < 10 or is_uuid(value) or is_name(value):
        return False
    parts = [part for part in _APART.split(value) if part]
    mixed = [
        part
        for part in parts
        if len(part) >= 6
        and any(char.isdigit() for char in part)
        and any(char.isalpha() for char in part)
    ]
    cased = [
        part for part in parts if len(part) >= 12 and _changes(part) >= 4 and not _CAMEL.match(part)
    ]
    return bool(mixed or cased) and len(set(value)) >= 7


def _changes(part: str) -> int:
    """How often the case changes from one letter to the next."""
    return sum(
        one.isalpha() and two.isalpha() and one.isupper() != two.isupper()
        for one, two in pairwise(part)
    )
