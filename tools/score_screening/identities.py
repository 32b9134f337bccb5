"""Personal data with valid check digits: cards, IBANs, national identifiers.

The rules are those that the issuers publish: Luhn (ISO/IEC 7812-1), ISO 7064 mod 97-10 for IBANs
(ISO 13616), mod 11-10 and mod 11-2, Verhoeff, and weighted sums. No value belongs to a person
other than by chance.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from string import ascii_uppercase

CHECK_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"  # Spain: number modulo 23
_VERHOEFF_TIMES = ["0123456789", "1234067895", "2340178956", "3401289567", "4012395678"]
_VERHOEFF_TIMES += ["5987604321", "6598710432", "7659821043", "8765932104", "9876543210"]
_VERHOEFF_TURN = "1576283094"


def luhn(body: str) -> str:
    """The Luhn check digit of a number without it."""
    total = 0
    for position, digit in enumerate(reversed(body)):
        value = int(digit) * (2 if position % 2 == 0 else 1)
        total += value - 9 if value > 9 else value
    return str(-total % 10)


def verhoeff(body: str) -> str:
    """The Verhoeff check digit (as in Aadhaar)."""
    check = 0
    for position, digit in enumerate(reversed(body), start=1):
        value = int(digit)
        for _ in range(position % 8):
            value = int(_VERHOEFF_TURN[value])
        check = int(_VERHOEFF_TIMES[check][value])
    return next(d for d in "0123456789" if _VERHOEFF_TIMES[check][int(d)] == "0")


def mod_11_10(body: str) -> str:
    """ISO 7064 mod 11-10 (as in the German tax number)."""
    product = 10
    for digit in body:
        product = ((int(digit) + product) % 10 or 10) * 2 % 11
    return str((11 - product) % 10)


def iban_check(country: str, account: str) -> str:
    """The two check digits of an IBAN."""
    number = "".join(str(int(character, 36)) for character in f"{account}{country}00")
    return f"{98 - int(number) % 97:02d}"


def weighted(body: str, weights: list[int]) -> int:
    """Sum of the digits times their weights."""
    return sum(int(digit) * weight for digit, weight in zip(body, weights, strict=True))


def digits(rng: Random, count: int) -> str:
    """Random digits, the first one not zero."""
    return rng.choice("123456789") + "".join(rng.choice("0123456789") for _ in range(count - 1))


def card(rng: Random, prefix: str, length: int, separator: str = "") -> str:
    """A card number of that length with a valid Luhn digit, in groups of four."""
    body = prefix + digits(rng, length - 1 - len(prefix))
    number = body + luhn(body)
    return separator.join(number[at : at + 4] for at in range(0, length, 4))


def bad_card(rng: Random, separator: str = "") -> str:
    """Sixteen digits like a card's, whose Luhn digit is wrong."""
    number = card(rng, "4", 16)
    wrong = number[:-1] + str((int(number[-1]) + rng.randint(1, 9)) % 10)
    return separator.join(wrong[at : at + 4] for at in range(0, 16, 4))


def iban(rng: Random, country: str, shape: str, spaced: bool = False) -> str:
    """An IBAN; the shape is `L` for each letter of the bank, then the number of digits."""
    letters = shape.count("L")
    bank = "".join(rng.choice(ascii_uppercase) for _ in range(letters))
    account = bank + digits(rng, int(shape[letters:]))
    number = country + iban_check(country, account) + account
    return " ".join(number[at : at + 4] for at in range(0, len(number), 4)) if spaced else number


def _until(make: Callable[[], str | None]) -> str:
    while (made := make()) is None:
        pass
    return made


def _date(rng: Random) -> tuple[int, int, int]:
    return rng.randint(50, 99), rng.randint(1, 12), rng.randint(1, 28)


def nhs(rng: Random) -> str:
    """United Kingdom, NHS number: weights 10 to 2, modulo 11."""

    def make() -> str | None:
        body = digits(rng, 9)
        check = -weighted(body, list(range(10, 1, -1))) % 11
        return None if check == 10 else f"{body[:3]} {body[3:6]} {body[6:]}{check}"

    return _until(make)


def bsn(rng: Random) -> str:
    """Netherlands, BSN: weights 9 to 2, the check digit is the sum modulo 11."""

    def make() -> str | None:
        body = digits(rng, 8)
        check = weighted(body, list(range(9, 1, -1))) % 11
        return None if check == 10 else f"{body}{check}"

    return _until(make)


def steuer_id(rng: Random) -> str:
    """Germany, tax number: ten digits, one of them twice, and a mod 11-10 digit."""
    others = rng.sample("0123456789", 9)
    body = [*others, others[rng.randrange(9)]]
    rng.shuffle(body)
    if body[0] == "0":
        place = next(at for at, digit in enumerate(body) if digit != "0")
        body[0], body[place] = body[place], body[0]
    number = "".join(body)
    return number + mod_11_10(number)


def nir(rng: Random) -> str:
    """France, NIR: 97 minus the number modulo 97."""
    year, month, _ = _date(rng)
    place, commune, order = rng.randint(21, 89), rng.randint(1, 900), rng.randint(1, 900)
    body = f"{rng.randint(1, 2)}{year}{month:02d}{place}{commune:03d}{order:03d}"
    key = 97 - int(body) % 97
    return f"{body[0]} {body[1:3]} {body[3:5]} {body[5:7]} {body[7:10]} {body[10:]} {key:02d}"


def dni(rng: Random) -> str:
    """Spain, DNI: a letter by the number modulo 23."""
    number = digits(rng, 8)
    return number + CHECK_LETTERS[int(number) % 23]


def pesel(rng: Random) -> str:
    """Poland, PESEL: weights 1 3 7 9, the complement to ten."""
    year, month, day = _date(rng)
    body = f"{year}{month:02d}{day:02d}{digits(rng, 4)}"
    return body + str(-weighted(body, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3]) % 10)


def cpf_checks(body: str) -> str:
    """Brazil: the two check digits of a CPF."""
    for first in (10, 11):
        rest = weighted(body, list(range(first, 1, -1))) % 11
        body += str(0 if rest < 2 else 11 - rest)
    return body[-2:]


def cpf(rng: Random) -> str:
    """Brazil, CPF."""
    body = digits(rng, 9)
    return f"{body[:3]}.{body[3:6]}.{body[6:]}-{cpf_checks(body)}"


def sin(rng: Random) -> str:
    """Canada, SIN: Luhn."""
    body = digits(rng, 8)
    return f"{body[:3]} {body[3:6]} {body[6:]}{luhn(body)}"


def ean(body: str) -> str:
    """The EAN-13 check digit."""
    return str(-weighted(body, [1, 3] * 6) % 10)


def ahv(rng: Random) -> str:
    """Switzerland, AHV number: EAN-13 with the prefix 756."""
    body = "756" + digits(rng, 9)
    return f"756.{body[3:7]}.{body[7:11]}.{body[11:]}{ean(body)}"


def aadhaar(rng: Random) -> str:
    """India, Aadhaar: Verhoeff; never begins with 0 or 1."""
    body = rng.choice("23456789") + digits(rng, 10)
    number = body + verhoeff(body)
    return f"{number[:4]} {number[4:8]} {number[8:]}"


def tckn_checks(body: str) -> str:
    """Turkey: the two check digits of a nine-digit number."""
    values = [int(digit) for digit in body]
    tenth = (7 * sum(values[::2]) - sum(values[1::2])) % 10
    return f"{tenth}{(sum(values) + tenth) % 10}"


def tckn(rng: Random) -> str:
    """Turkey, T.C. kimlik no."""
    body = digits(rng, 9)
    return body + tckn_checks(body)


def personnummer(rng: Random) -> str:
    """Sweden, personnummer: Luhn over the ten digits."""
    year, month, day = _date(rng)
    body = f"{year}{month:02d}{day:02d}{digits(rng, 3)}"
    return f"{body[:6]}-{body[6:]}{luhn(body)}"


def cn_check(body: str) -> str:
    """China: mod 11-2 digit of a resident identity number (GB 11643)."""
    weights = [pow(2, 17 - position, 11) for position in range(17)]
    return "10X98765432"[weighted(body, weights) % 11]


def cn_id(rng: Random) -> str:
    """China, resident identity number."""
    year, month, day = _date(rng)
    body = f"{rng.choice(['110105', '310104', '440305'])}19{year}{month:02d}{day:02d}"
    body += digits(rng, 3)
    return body + cn_check(body)


def ssn(rng: Random) -> str:
    """United States, social security number (no check digit; areas 000, 666 and 9xx unused)."""
    return f"{rng.randint(100, 665)}-{rng.randint(10, 99)}-{rng.randint(1000, 9999)}"


def nino(rng: Random) -> str:
    """United Kingdom, National Insurance number (no check digit)."""
    prefix = rng.choice(["AB", "CE", "HJ", "JL", "PR", "SX"])
    body = digits(rng, 6)
    return f"{prefix} {body[:2]} {body[2:4]} {body[4:]} {rng.choice('ABCD')}"


_MAKERS: tuple[Callable[[Random], str], ...] = (aadhaar, ahv, bsn, cn_id, cpf, dni, nhs, nino, nir)
_MAKERS += (personnummer, pesel, sin, ssn, steuer_id, tckn)
NATIONAL = {make.__name__: make for make in _MAKERS}
