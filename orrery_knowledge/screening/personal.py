"""Takes personal data out of a text where a format or a checksum makes it sure.

IP addresses, host names and user ids stay: operators need them. Names of people can't be told
from names of services by rules, and stay too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cache
from typing import get_args

import re2

from orrery_knowledge.models import PersonalKind
from orrery_knowledge.screening.fencing import screen_inside
from orrery_knowledge.screening.findings import (
    Edit,
    Screened,
    Stage,
    named_span,
    searchable,
    word_set,
)
from orrery_knowledge.screening.patterns import compiled
from orrery_knowledge.screening.personal_rules.national_ids import numbers
from orrery_knowledge.screening.personal_rules.phones import phones
from orrery_knowledge.screening.personal_rules.standards import standard
from orrery_knowledge.screening.placeholders import masked
from orrery_knowledge.screening.remembering import knowing_clean
from orrery_knowledge.screening.sieve import Sieve

PERSONAL_KINDS: frozenset[PersonalKind] = frozenset(get_args(PersonalKind))
"""All of them: what is redacted where nobody chose."""

_LETTERS = r"\w\x{c0}-\x{24f}\x{400}-\x{4ff}"
"""Latin with its accents, and Cyrillic: whole scripts would make the automaton too large."""
_EMAIL = compiled(
    rf"(?i)(?:^|[^{_LETTERS}.+@/:%-]|%20|(?:mail|to|from|cc|bcc|user|login|contact|owner|reporter"
    r"|assignee|author|name|by):|\\[nrt])(?:mailto:)?"
    rf"(?P<v>[{_LETTERS}][{_LETTERS}.+'%-]{{0,63}}(?:@"
    rf"|%40)(?:[{_LETTERS}-]{{1,63}}\.)+[a-z\x{{c0}}-\x{{24f}}\x{{400}}-\x{{4ff}}]{{2,24}})"
    r"(?:[^\w@:]|:[^\w/]|:?$)"
)
_SPELT = compiled(
    r"(?i)(?:^|[^\w.+@/:-])(?P<v>[a-z0-9][\w.+-]{0,63}\s?[\[({<]\s?at\s?[\])}>]\s?[a-z0-9-]{1,63}"
    r"(?:(?:\.|\s?[\[({<]\s?dot\s?[\])}>]\s?)[a-z0-9-]{1,63}){1,4})"
)
_ROLES = word_set(
    """
    git root admin noreply no-reply donotreply support security oncall on-call ops sre postmaster
    webmaster hostmaster abuse info alerts alertmanager team help helpdesk contact example user
    users username me you someone postgres mysql system daemon nobody deploy ubuntu ec2-user core
    """
)
_LISTS = word_set("team teams list users dev devs announce advocates maintainers security support")
_DOTS = compiled(r"[._-]")
_RESERVED = (
    "example.com",
    "example.org",
    "example.net",
    ".example",
    ".test",
    ".invalid",
    ".local",
    ".localhost",
    ".internal",
    ".svc",
    "gserviceaccount.com",
    "calendar.google.com",
)
_CARD = compiled(
    r"(?:^|[^\w.+-])(?P<v>[2-6]\d{3}(?:[ -]?\d{4}){2}[ -]?\d{1,7}"
    r"|3[47]\d{2}[ -]?\d{6}[ -]?\d{5})(?:[^\w-]|$)"
)
_ISSUED = compiled(
    r"^(?:4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}"
    r"|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:6011|65\d\d|64[4-9]\d|35\d\d|62\d\d)\d{12})$"
)
"""Number ranges of the large card networks (ISO/IEC 7812 issuer identification)."""
_IBAN = compiled(r"\b(?P<v>[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?)\b")
_ANY_RARE = Sieve([_IBAN, _CARD])
_DIGIT = compiled(r"\pN")
_luhn = standard("luhn")
_iban = standard("iban", check_country=False)


def redact_personal(text: str, kinds: Collection[PersonalKind] = PERSONAL_KINDS) -> Screened:
    """Replace e-mail addresses, phone and card numbers, IBANs and national ids.

    Args:
        text: any str.
        kinds: which of them; the others stay.
    """
    return screen_inside(text, stage_of(kinds))


def stage_of(kinds: Collection[PersonalKind]) -> Stage:
    """The stage: what to change in a text, for the kinds that are to go."""
    return _stage_of(frozenset(kinds))


@cache
def _stage_of(kinds: frozenset[PersonalKind]) -> Stage:
    @knowing_clean
    def edits(text: str) -> Sequence[Edit]:
        if not kinds:
            return ()
        raw = masked(searchable(text))
        return [
            Edit(start, end, f"[REDACTED:{rule}]", "personal", rule, (start, end))
            for rule, start, end in _found(raw, kinds)
        ]

    return edits


def _found(text: str, kinds: Collection[PersonalKind]) -> Iterator[tuple[str, int, int]]:
    if "email" in kinds:
        yield from _addresses(text)
    rarely = _ANY_RARE.over(text)
    if "iban" in kinds:
        for value, start, end in _values(rarely(_IBAN)):
            if is_iban(value):
                yield "iban", start, end
    if "card" in kinds:
        for value, start, end in _values(rarely(_CARD)):
            if is_card(value):
                yield "payment-card", start, end
    if not _DIGIT.search(text):
        return
    if "national-id" in kinds:
        yield from numbers(text)
    if "phone" in kinds:
        yield from phones(text)


def _addresses(text: str) -> Iterator[tuple[str, int, int]]:
    if "@" in text or "%40" in text:
        for match in _values(_EMAIL.finditer(text)):
            name, _, host = match[0].lower().replace("%40", "@").rpartition("@")
            if not _is_role(name) and not host.endswith(_RESERVED):
                yield "email", match[1], match[2]
    if "at" in text.lower():
        for _, start, end in _values(_SPELT.finditer(text)):
            yield "email", start, end


def _is_role(name: str) -> bool:
    """Whether an address is that of a role or a list, and of no person."""
    local = name.split("+")[0]
    return local in _ROLES or _DOTS.split(local)[-1] in _LISTS


def _values(matches: Iterator[re2._Match[str]]) -> Iterator[tuple[str, int, int]]:
    for match in matches:
        yield match.group("v"), *named_span(match, "v")


def is_card(value: str) -> bool:
    """Whether digits have a card's length and pass Luhn's check (ISO/IEC 7812-1)."""
    flat = "".join(char for char in value if char.isdigit())
    return len(set(flat)) > 1 and bool(_ISSUED.match(flat)) and _luhn(flat)


def is_iban(value: str) -> bool:
    """Whether a value has its country's form and the remainder 1 modulo 97 (ISO 13616)."""
    # The check digits that some banks have besides are no matter: whose account it is, is.
    return _iban(value.replace(" ", ""))
