"""Check digits of numbers that are given to people: published formulas, no look-up anywhere."""

from __future__ import annotations

from collections.abc import Sequence

_D = (
    "0123456789", "1234067895", "2340178956", "3401289567", "4012395678",
    "5987604321", "6598710432", "7659821043", "8765932104", "9876543210",
)  # fmt: skip
_P = (
    "0123456789", "1576283094", "5803796142", "8916043527",
    "9453126870", "4286573901", "2793806415", "7046913258",
)  # fmt: skip
"""Verhoeff's tables: multiplication in the dihedral group of order 10, and permutations."""
_ODD_VALUES = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21)
_ODD = dict(
    zip(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        (*_ODD_VALUES, *_ODD_VALUES, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23),
        strict=True,
    )
)
"""Values of the characters in odd places of an Italian tax code (decree of 23 December 1976)."""


def weighted(digits: str, weights: Sequence[int]) -> int:
    """Sum of digits times weights; `X` counts ten."""
    return sum(
        (10 if char in "Xx" else int(char)) * weight
        for char, weight in zip(digits, weights, strict=False)
    )


def luhn(digits: str) -> bool:
    """Luhn's check (ISO/IEC 7812-1)."""
    numbers = [int(char) for char in digits]
    doubled = [number * 2 - 9 * (number > 4) for number in numbers[-2::-2]]
    return (sum(numbers[-1::-2]) + sum(doubled)) % 10 == 0


def mod_11_2(value: str) -> bool:
    """ISO 7064 modulo 11, radix 2: Chinese resident ids."""
    check = 0
    for char in value:
        check = (2 * check + (10 if char in "Xx" else int(char))) % 11
    return check == 1


def mod_11_10(digits: str) -> bool:
    """ISO 7064 modulo 11, 10: German tax ids, Croatian OIB."""
    product = 10
    for char in digits[:-1]:
        product = 2 * ((int(char) + product) % 10 or 10) % 11
    return (11 - product) % 10 == int(digits[-1])


def verhoeff(digits: str) -> bool:
    """Verhoeff's check: Indian Aadhaar numbers."""
    check = 0
    for place, char in enumerate(reversed(digits)):
        check = int(_D[check][int(_P[place % 8][int(char)])])
    return check == 0


def ean13(digits: str) -> bool:
    """The check of an EAN-13: Swiss AHV numbers."""
    return weighted(digits, (1, 3) * 6 + (1,)) % 10 == 0


def cpf(digits: str) -> bool:
    """Both check digits of a Brazilian CPF."""
    first = weighted(digits, range(10, 1, -1)) * 10 % 11 % 10
    second = weighted(digits, range(11, 1, -1)) * 10 % 11 % 10
    return len(set(digits)) > 1 and digits[9:] == f"{first}{second}"


def tckn(digits: str) -> bool:
    """Both check digits of a Turkish identity number."""
    odd, even = sum(map(int, digits[0:9:2])), sum(map(int, digits[1:8:2]))
    tenth = (odd * 7 - even) % 10
    return (
        digits[0] != "0"
        and int(digits[9]) == tenth
        and (sum(map(int, digits[:10])) % 10 == int(digits[10]))
    )


def nir(value: str) -> bool:
    """A French social security number with its key; Corsican departments count as 19 and 18."""
    flat = value.upper().replace("2A", "19").replace("2B", "18")
    return flat.isdigit() and 97 - int(flat[:13]) % 97 == int(flat[13:])


def codice_fiscale(value: str) -> bool:
    """The check letter of an Italian tax code."""
    flat = value.upper()
    even = sum(int(char) if char.isdigit() else ord(char) - ord("A") for char in flat[1:15:2])
    odd = sum(_ODD[char] for char in flat[0:15:2])
    return chr(ord("A") + (even + odd) % 26) == flat[15]


def dni(value: str) -> bool:
    """The letter of a Spanish DNI or NIE."""
    flat = value.upper()
    number = flat[:-1].translate(str.maketrans("XYZ", "012"))
    return number.isdigit() and "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == flat[-1]


def norwegian(digits: str) -> bool:
    """Both check digits of a Norwegian birth number."""
    first = weighted(digits, (3, 7, 6, 1, 8, 9, 4, 5, 2, 1))
    second = weighted(digits, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1))
    return first % 11 == 0 and second % 11 == 0


def belgian(digits: str) -> bool:
    """A Belgian national number: born before 2000, or since with a 2 in front."""
    check = int(digits[9:])
    return 97 - int(digits[:9]) % 97 == check or 97 - int("2" + digits[:9]) % 97 == check


def finnish(value: str) -> bool:
    """The check character of a Finnish personal identity code."""
    number = int(value[:6] + value[7:10])
    return "0123456789ABCDEFHJKLMNPRSTUVWXY"[number % 31] == value[10].upper()


def chilean(value: str) -> bool:
    """The check digit of a Chilean RUT."""
    total = weighted(value[-2::-1], (2, 3, 4, 5, 6, 7) * 2)
    return "0123456789K0"[(11 - total % 11) % 11] == value[-1].upper()
