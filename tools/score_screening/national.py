"""National identifiers of more countries, with the check digits that their issuers publish."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from string import ascii_uppercase

from tools.score_screening.identities import digits, luhn, weighted

FINNISH = "0123456789ABCDEFHJKLMNPRSTUVWXY"  # number modulo 31
IRISH = "WABCDEFGHIJKLMNOPQRSTUV"  # sum modulo 23
SINGAPORE = "JZIHGFEDCBA"  # sum modulo 11, citizens born in 2000 or before
ITALIAN_MONTHS = "ABCDEHLMPRST"
_ITALIAN_ODD = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22]
_ITALIAN_ODD += [25, 24, 23]
_TURNS = [2, 3, 4, 5, 6, 7]


def turning_11(body: str) -> int:
    """Eleven minus the sum with weights 2 to 7 from the right, again and again, modulo 11."""
    reverse = body[::-1]
    weights = [_TURNS[at % 6] for at in range(len(body))]
    return 11 - weighted(reverse, weights) % 11


def it_check(body: str) -> str:
    """Italy: the letter of a codice fiscale."""
    total = 0
    for position, character in enumerate(body):
        value = int(character) if character.isdigit() else ascii_uppercase.index(character)
        total += _ITALIAN_ODD[value] if position % 2 == 0 else value
    return ascii_uppercase[total % 26]


def be_check(body: str) -> str:
    """Belgium: 97 minus the number modulo 97 (births before 2000)."""
    return f"{97 - int(body) % 97:02d}"


def no_checks(body: str) -> str | None:
    """Norway: the two check digits; none when one of them would be ten."""
    for weights in ([3, 7, 6, 1, 8, 9, 4, 5, 2], [5, 4, 3, 2, 7, 6, 5, 4, 3, 2]):
        check = -weighted(body, weights) % 11
        if check == 10:
            return None
        body += str(check)
    return body[-2:]


def fi_check(body: str) -> str:
    """Finland: a character by the nine digits modulo 31."""
    return FINNISH[int(body) % 31]


def au_check(body: str) -> str:
    """Australia: the ninth digit of a TFN, whose weight is ten; `X` when there is none."""
    check = weighted(body, [1, 4, 3, 7, 5, 8, 6, 9]) % 11
    return "X" if check == 10 else str(check)


def kr_check(body: str) -> str:
    """South Korea: weights 2 to 9, then 2 to 5."""
    return str((11 - weighted(body, [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]) % 11) % 10)


def jp_check(body: str) -> str:
    """Japan: the check digit of an individual number."""
    check = turning_11(body)
    return str(0 if check >= 10 else check)


def cl_check(body: str) -> str:
    """Chile: the check character of a RUT."""
    return {10: "K", 11: "0"}.get(turning_11(body), str(turning_11(body)))


def ar_check(body: str) -> str:
    """Argentina: the check digit of a CUIT; `X` when there is none."""
    return {10: "X", 11: "0"}.get(turning_11(body), str(turning_11(body)))


def pt_check(body: str) -> str:
    """Portugal: the ninth digit of a NIF."""
    check = 11 - weighted(body, list(range(9, 1, -1))) % 11
    return str(0 if check >= 10 else check)


def sg_check(body: str) -> str:
    """Singapore: the letter of an NRIC that begins with S."""
    return SINGAPORE[weighted(body, [2, 7, 6, 5, 4, 3, 2]) % 11]


def ro_check(body: str) -> str:
    """Romania: the thirteenth digit of a CNP."""
    check = weighted(body, [2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11
    return "1" if check == 10 else str(check)


def ie_check(body: str) -> str:
    """Ireland: the letter of a PPS number without a second one."""
    return IRISH[weighted(body, list(range(8, 1, -1))) % 23]


def _birth(rng: Random) -> tuple[int, int, int]:
    return rng.randint(50, 99), rng.randint(1, 12), rng.randint(1, 28)


def it_cf(rng: Random) -> str:
    """Italy, codice fiscale."""
    year, month, day = _birth(rng)
    surname = rng.choice(["RSS", "BNC", "VRD", "CST", "FRR"])
    name = rng.choice(["MRA", "GPP", "LCU", "NNA", "PLA"])
    place = rng.choice(["H501", "F205", "L219", "D612"])
    body = f"{surname}{name}{year}{ITALIAN_MONTHS[month - 1]}{day:02d}{place}"
    return body + it_check(body)


def be_rrn(rng: Random) -> str:
    """Belgium, rijksregisternummer."""
    year, month, day = _birth(rng)
    order = f"{rng.randint(1, 997):03d}"
    check = be_check(f"{year}{month:02d}{day:02d}{order}")
    return f"{year}.{month:02d}.{day:02d}-{order}.{check}"


def no_fnr(rng: Random) -> str:
    """Norway, fødselsnummer."""
    while True:
        year, month, day = _birth(rng)
        body = f"{day:02d}{month:02d}{year}{rng.randint(0, 499):03d}"
        if (checks := no_checks(body)) is not None:
            return f"{body[:6]} {body[6:]}{checks}"


def fi_hetu(rng: Random) -> str:
    """Finland, henkilötunnus."""
    year, month, day = _birth(rng)
    date, order = f"{day:02d}{month:02d}{year}", f"{rng.randint(2, 899):03d}"
    return f"{date}-{order}{fi_check(date + order)}"


def au_tfn(rng: Random) -> str:
    """Australia, tax file number."""
    while (check := au_check(body := digits(rng, 8))) == "X":
        pass
    return f"{body[:3]} {body[3:6]} {body[6:]}{check}"


def kr_rrn(rng: Random) -> str:
    """South Korea, resident registration number."""
    year, month, day = _birth(rng)
    body = f"{year}{month:02d}{day:02d}{rng.randint(1, 2)}{digits(rng, 5)}"
    return f"{body[:6]}-{body[6:]}{kr_check(body)}"


def jp_my_number(rng: Random) -> str:
    """Japan, individual number."""
    body = digits(rng, 11)
    return f"{body[:4]} {body[4:8]} {body[8:]}{jp_check(body)}"


def cl_rut(rng: Random) -> str:
    """Chile, RUT."""
    body = str(rng.randint(5_000_000, 24_999_999))
    return f"{int(body):,}".replace(",", ".") + f"-{cl_check(body)}"


def ar_cuit(rng: Random) -> str:
    """Argentina, CUIT."""
    while (check := ar_check(body := rng.choice(["20", "27"]) + digits(rng, 8))) == "X":
        pass
    return f"{body[:2]}-{body[2:]}-{check}"


def za_id(rng: Random) -> str:
    """South Africa, identity number: Luhn."""
    year, month, day = _birth(rng)
    body = f"{year}{month:02d}{day:02d}{digits(rng, 4)}08"
    return body + luhn(body)


def pt_nif(rng: Random) -> str:
    """Portugal, NIF of a person."""
    body = rng.choice("12") + digits(rng, 7)
    return body + pt_check(body)


def sg_nric(rng: Random) -> str:
    """Singapore, NRIC."""
    body = digits(rng, 7)
    return f"S{body}{sg_check(body)}"


def ro_cnp(rng: Random) -> str:
    """Romania, CNP."""
    year, month, day = _birth(rng)
    county = f"{rng.randint(1, 46):02d}"
    body = f"{rng.randint(1, 2)}{year}{month:02d}{day:02d}{county}{rng.randint(1, 999):03d}"
    return body + ro_check(body)


def ie_pps(rng: Random) -> str:
    """Ireland, PPS number."""
    body = digits(rng, 7)
    return body + ie_check(body)


_MAKERS: tuple[Callable[[Random], str], ...] = (ar_cuit, au_tfn, be_rrn, cl_rut, fi_hetu, ie_pps)
_MAKERS += (it_cf, jp_my_number, kr_rrn, no_fnr, pt_nif, ro_cnp, sg_nric, za_id)
MORE_NATIONAL = {make.__name__: make for make in _MAKERS}
