"""Check digits of further national identifiers: published examples, and what is drawn holds."""

from __future__ import annotations

import random
import re

import pytest

from tools.score_screening import national


@pytest.mark.parametrize(
    ("check", "body", "expected"),
    [
        (national.it_check, "RSSMRA85T10A562", "S"),
        (national.be_check, "850730033", "28"),
        (national.no_checks, "151086950", "88"),
        (national.no_checks, "000000001", "91"),  # 2 and 9 make 11; 3 + 2 * 9 and 1 make 22
        (national.fi_check, "131052308", "T"),  # the example of the Finnish register
        (national.au_check, "12345678", "2"),
        (national.kr_check, "971013901990", "2"),
        (national.jp_check, "12345678901", "8"),
        (national.cl_check, "12345678", "5"),
        (national.cl_check, "6", "K"),  # 6 * 2 = 12, and 11 - 1 is ten
        (national.cl_check, "0", "0"),
        (national.ar_check, "2012345678", "6"),
        (national.pt_check, "12345678", "9"),
        (national.pt_check, "00000000", "0"),
        (national.sg_check, "1234567", "D"),
        (national.ro_check, "180010122114", "4"),
        (national.ie_check, "1234567", "T"),
    ],
)
def test_check_digits_are_those_of_published_examples(check, body, expected):
    assert check(body) == expected


def test_no_number_when_a_check_digit_would_be_ten():
    assert national.no_checks("400000000") is None  # 3 * 4 = 12, ten less than 22
    assert national.au_check("10000001") == "X"  # 1 + 9 = 10


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("ar_cuit", r"2[07]-\d{8}-\d"),
        ("au_tfn", r"\d{3} \d{3} \d{3}"),
        ("be_rrn", r"\d\d\.\d\d\.\d\d-\d{3}\.\d\d"),
        ("cl_rut", r"\d{1,2}\.\d{3}\.\d{3}-[\dK]"),
        ("fi_hetu", r"\d{6}-\d{3}[0-9A-Y]"),
        ("ie_pps", r"\d{7}[A-W]"),
        ("it_cf", r"[A-Z]{6}\d\d[A-T]\d\d[A-Z]\d{3}[A-Z]"),
        ("jp_my_number", r"\d{4} \d{4} \d{4}"),
        ("kr_rrn", r"\d{6}-[12]\d{6}"),
        ("no_fnr", r"\d{6} \d{5}"),
        ("pt_nif", r"[12]\d{8}"),
        ("ro_cnp", r"[12]\d{12}"),
        ("sg_nric", r"S\d{7}[A-JZ]"),
        ("za_id", r"\d{10}08\d"),
    ],
)
def test_what_is_drawn_has_its_shape(name, shape):
    rng = random.Random("unit")
    for _ in range(30):
        assert re.fullmatch(shape, national.MORE_NATIONAL[name](rng))


def test_every_identifier_is_tested():
    assert len(national.MORE_NATIONAL) == 14


def numbers(text: str) -> list[int]:
    return [int(digit) for digit in re.sub(r"\D", "", text)]


def test_drawn_numbers_hold_by_their_own_sums():
    rng = random.Random("sums")
    for _ in range(30):
        tfn = numbers(national.au_tfn(rng))
        weights = [1, 4, 3, 7, 5, 8, 6, 9, 10]
        assert sum(d * w for d, w in zip(tfn, weights, strict=True)) % 11 == 0
        cuit = numbers(national.ar_cuit(rng))
        weights = [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]
        assert sum(d * w for d, w in zip(cuit, weights, strict=True)) % 11 == 0
        norwegian = numbers(national.no_fnr(rng))
        weights = [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]
        assert sum(d * w for d, w in zip(norwegian, weights, strict=True)) % 11 == 0
        belgian = "".join(map(str, numbers(national.be_rrn(rng))))
        assert (int(belgian[:9]) + int(belgian[9:])) % 97 == 0
        african = numbers(national.za_id(rng))
        doubled = [sum(divmod(2 * d, 10)) for d in african[1::2]]
        assert (sum(african[::2]) + sum(doubled)) % 10 == 0
