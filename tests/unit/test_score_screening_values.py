from __future__ import annotations

import base64
import random
import re

import pytest

from orrery_knowledge.errors import ConfigurationError
from tools.score_screening import identities
from tools.score_screening.formats import ALPHABETS, PLAIN, TOKENS
from tools.score_screening.values import SINGLE, SYMBOLS, draw, fill


@pytest.mark.parametrize(
    ("check", "body", "expected"),
    [
        (identities.luhn, "7992739871", "3"),
        (identities.luhn, "411111111111111", "1"),  # a well-known test card
        (identities.luhn, "04645428", "6"),  # SIN 046 454 286
        (identities.luhn, "811218987", "6"),  # personnummer 811218-9876
        (identities.verhoeff, "236", "3"),
        (identities.verhoeff, "12345", "1"),
        (identities.mod_11_10, "8609574271", "9"),  # the tax number of the official example
        (identities.ean, "756921707698", "5"),  # AHV 756.9217.0769.85
        (identities.cpf_checks, "111444777", "35"),
        (identities.tckn_checks, "100000001", "46"),
        (identities.cn_check, "11010519491231002", "X"),
    ],
)
def test_check_digits_are_those_of_published_examples(check, body, expected):
    assert check(body) == expected


@pytest.mark.parametrize(
    ("country", "account", "expected"),
    [
        ("DE", "370400440532013000", "89"),
        ("GB", "WEST12345698765432", "82"),
        ("NL", "ABNA0417164300", "91"),
    ],
)
def test_iban_digits_are_those_of_published_examples(country, account, expected):
    assert identities.iban_check(country, account) == expected


def rng() -> random.Random:
    return random.Random("unit")


def numbers(text: str) -> list[int]:
    return [int(digit) for digit in re.sub(r"\D", "", text)]


def test_national_numbers_hold_by_their_own_sums():
    for _ in range(20):
        draws = rng()
        bsn = numbers(identities.bsn(draws))
        assert (
            sum(d * w for d, w in zip(bsn, [9, 8, 7, 6, 5, 4, 3, 2, -1], strict=True))
        ) % 11 == 0
        nhs = numbers(identities.nhs(draws))
        assert sum(d * w for d, w in zip(nhs, range(10, 0, -1), strict=True)) % 11 == 0
        pesel = numbers(identities.pesel(draws))
        weights = [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]
        assert sum(d * w for d, w in zip(pesel, weights, strict=True)) % 10 == 0
        nir = identities.nir(draws).replace(" ", "")
        assert (int(nir[:13]) + int(nir[13:])) % 97 == 0
        dni = identities.dni(draws)
        assert "TRWAGMYFPDXBNJZSQVHLCKE"[int(dni[:8]) % 23] == dni[8]


def test_a_card_is_valid_and_a_bad_card_is_not():
    for prefix, length in (("4", 16), ("53", 16), ("37", 15)):
        card = identities.card(rng(), prefix, length)
        assert len(card) == length
        assert card.startswith(prefix)
        assert identities.luhn(card[:-1]) == card[-1]
    bad = identities.bad_card(rng())
    assert len(bad) == 16
    assert identities.luhn(bad[:-1]) != bad[-1]


def test_a_card_and_an_iban_come_in_groups():
    assert re.fullmatch(r"4\d{3}-\d{4}-\d{4}-\d{4}", identities.card(rng(), "4", 16, "-"))
    assert re.fullmatch(r"DE\d\d( \d{4}){4} \d\d", identities.iban(rng(), "DE", "18", spaced=True))
    assert re.fullmatch(r"GB\d\d[A-Z]{4}\d{14}", identities.iban(rng(), "GB", "LLLL14"))


def test_a_format_says_alphabet_and_length():
    assert re.fullmatch(r"k_[0-9a-f]{6}\.[A-Z]{3}", draw(rng(), "k_{hx:6}.{AZ:3}"))


def test_every_format_names_known_alphabets():
    for pattern in [*TOKENS.values(), *PLAIN.values()]:
        assert {name for name, _ in re.findall(r"\{(\w+):(\d+)\}", pattern)} <= ALPHABETS.keys()
        assert not re.search(r"[{}]", draw(rng(), pattern))


def test_no_name_stands_for_two_values():
    tables = [SINGLE, SYMBOLS, TOKENS, PLAIN]
    assert len({name for table in tables for name in table}) == sum(map(len, tables))


def test_filling_says_where_the_values_are():
    made = fill("user=⟪hex8⟫ pass=⟪ph:##-##⟫ end", "seed")
    first, second = (made.text[start:end] for start, end in made.spans)
    assert made.text == f"user={first} pass={second} end"
    assert re.fullmatch(r"[0-9a-f]{8}", first)
    assert re.fullmatch(r"\d\d-\d\d", second)


def test_the_seed_decides():
    assert fill("⟪long⟫", "a") == fill("⟪long⟫", "a")
    assert fill("⟪long⟫", "a") != fill("⟪long⟫", "b")


@pytest.mark.parametrize(
    ("argument", "between"), [("", "\n"), (":4", "\n    "), (":>", "\n> "), (":json", "\\n")]
)
def test_each_line_of_a_key_is_a_value(argument, between):
    made = fill(
        f"⟪begin:RSA PRIVATE KEY⟫{between}⟪pem{argument}⟫{between}⟪end:RSA PRIVATE KEY⟫", "s"
    )
    lines = made.text.split(between)
    assert [made.text[start:end] for start, end in made.spans] == lines[1:-1]
    assert lines[0] == "-----BEGIN RSA PRIVATE KEY-----"
    assert lines[-1] == "-----END RSA PRIVATE KEY-----"
    assert len(lines) == 10


def test_a_basic_header_holds_a_name_and_a_password():
    user, password = base64.b64decode(fill("⟪basic⟫", "s").text).decode().split(":")
    assert user.startswith("svc-")
    assert len(password) == 15


@pytest.mark.parametrize("part", ["nothing", "iban", "card:4", "ssn2"])
def test_an_unknown_value_is_named(part):
    with pytest.raises(ConfigurationError, match=f"unknown value: {part}"):
        fill(f"a ⟪{part}⟫", "s")
