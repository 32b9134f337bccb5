"""Takes personal data out of a text where a format or a checksum makes it sure.

IP addresses, host names and user ids stay: operators need them. Names of people can't be told
from names of services by rules, and stay too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import re2

from orrery_knowledge.screening.fencing import screen_inside
from orrery_knowledge.screening.findings import Edit, Screened, named_span, searchable, word_set
from orrery_knowledge.screening.personal_rules.checksums import luhn
from orrery_knowledge.screening.personal_rules.national_ids import numbers
from orrery_knowledge.screening.personal_rules.phones import phones
from orrery_knowledge.screening.placeholders import masked

_LETTERS = r"\w\x{c0}-\x{24f}\x{400}-\x{4ff}"
"""Latin with its accents, and Cyrillic: whole scripts would make the automaton too large."""
_EMAIL = re2.compile(
    rf"(?i)(?:^|[^{_LETTERS}.+@/:%-]|%20|(?:mail|to|from|cc|bcc|user|login|contact|owner|reporter"
    r"|assignee|author|name|by):|\\[nrt])(?:mailto:)?"
    rf"(?P<v>[{_LETTERS}][{_LETTERS}.+'%-]{{0,63}}(?:@"
    rf"|%40)(?:[{_LETTERS}-]{{1,63}}\.)+[a-z\x{{c0}}-\x{{24f}}\x{{400}}-\x{{4ff}}]{{2,24}})"
    r"(?:[^\w@:]|:[^\w/]|:?$)"
)
_SPELT = re2.compile(
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
_DOTS = re2.compile(r"[._-]")
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
_CARD = re2.compile(
    r"(?:^|[^\w.+-])(?P<v>[2-6]\d{3}(?:[ -]?\d{4}){2}[ -]?\d{1,7}"
    r"|3[47]\d{2}[ -]?\d{6}[ -]?\d{5})(?:[^\w-]|$)"
)
_ISSUED = re2.compile(
    r"^(?:4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}"
    r"|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:6011|65\d\d|64[4-9]\d|35\d\d|62\d\d)\d{12})$"
)
"""Number ranges of the large card networks (ISO/IEC 7812 issuer identification)."""
_IBAN = re2.compile(r"\b(?P<v>[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?)\b")
_IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22,
    "BR": 29, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20,
    "EG": 29, "ES": 24, "FI": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18,
    "GR": 27, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30,
    "KZ": 20, "LB": 28, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "MC": 27, "MD": 24, "ME": 22,
    "MK": 19, "MT": 31, "NL": 18, "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29,
    "RO": 24, "RS": 22, "SA": 24, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "TN": 24, "TR": 26,
    "UA": 29, "VG": 24, "XK": 20,
}  # fmt: skip
"""Length of an IBAN by country (SWIFT's IBAN registry)."""


def redact_personal(text: str) -> Screened:
    """Replace e-mail addresses, phone and card numbers, IBANs and national ids."""
    return screen_inside(text, edits)


def edits(text: str) -> Sequence[Edit]:
    """The stage: what to change in a text."""
    raw = masked(searchable(text))
    return [
        Edit(start, end, f"[REDACTED:{rule}]", "personal", rule, (start, end))
        for rule, start, end in _found(raw)
    ]


def _found(text: str) -> Iterator[tuple[str, int, int]]:
    if "@" in text or "%40" in text:
        for match in _overlapping(_EMAIL, text):
            name, _, host = match[0].lower().replace("%40", "@").rpartition("@")
            if not _is_role(name) and not host.endswith(_RESERVED):
                yield "email", match[1], match[2]
    if "at" in text.lower():
        for _, start, end in _overlapping(_SPELT, text):
            yield "email", start, end
    for value, start, end in _overlapping(_IBAN, text):
        if is_iban(value):
            yield "iban", start, end
    for value, start, end in _overlapping(_CARD, text):
        if is_card(value):
            yield "payment-card", start, end
    if any(char.isdigit() for char in text):
        yield from numbers(text)
        yield from phones(text)


def _is_role(name: str) -> bool:
    """Whether an address is that of a role or a list, and of no person."""
    local = name.split("+")[0]
    return local in _ROLES or _DOTS.split(local)[-1] in _LISTS


def _overlapping(pattern: re2._Regexp, text: str) -> Iterator[tuple[str, int, int]]:
    for match in pattern.finditer(text):
        yield match.group("v"), *named_span(match, "v")


def is_card(value: str) -> bool:
    """Whether digits have a card's length and pass Luhn's check (ISO/IEC 7812-1)."""
    flat = "".join(char for char in value if char.isdigit())
    return len(set(flat)) > 1 and bool(_ISSUED.match(flat)) and luhn(flat)


def is_iban(value: str) -> bool:
    """Whether a value has its country's length and the remainder 1 modulo 97 (ISO 13616)."""
    flat = value.replace(" ", "")
    if _IBAN_LENGTHS.get(flat[:2]) != len(flat):
        return False
    return int("".join(str(int(char, 36)) for char in flat[4:] + flat[:4])) % 97 == 1
