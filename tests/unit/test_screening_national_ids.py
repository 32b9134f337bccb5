"""National ids: the numbers are the samples that the administrations print themselves."""

from __future__ import annotations

import pytest

from orrery_knowledge.screening import redact_personal
from orrery_knowledge.screening.personal_rules.standards import standard


@pytest.mark.parametrize(
    "text",
    [
        "NINO: AB123456C",
        "National Insurance number AB 12 34 56 C",
        "Steuer-ID: 86095742719",
        "IdNr 86 095 742 719",
        "DNI 12345678Z",
        "NIE: X1234567L",
        "Codice fiscale RSSMRA85T10A562S",
        "PESEL 44051401359",
        "PESEL: 02070803628",
        "Aadhaar: 2341 2341 2346",
        "personnummer 811228-9874",
        "fødselsnummer 01010750160",
        "CPR-nr. 070761-4285",
        "hetu: 131052-308T",
        "SIN 046 454 286",
        "TFN: 123 456 782",
        "RUT 12.345.678-5",
        "CURP: BADD110313HCMLNS09",
        "rijksregisternummer 85.07.30-033.28",
        "PPS number 1234567T",
        "passport no. C01X00T47",
        "Passport number: 123456789",
        "Reisepass C01X00T47",
        "driver's license D1234567",
        "SNILS 112-233-445 95",
        "ИНН 500100732259",
        "паспорт 45 08 123456",
        "주민등록번호 900101-1234567",
        "NRIC S1234567D",
        "マイナンバー 1234 5678 9018",
        '"ssn":"219-09-9999"',
        "customer_ssn=219099999",
        "CUIT 20-12345678-6",
        "ID number 8001015009087",
        "AMKA 01013099997",
        "rodné číslo 736028/5163",
        "OIB 69435151530",
        "EGN 7523169263",
        "CNP 1630615123457",
        "Sozialversicherungsnummer 65 170839 J 008",
        "SVNR 1237 010180",
    ],
)
def test_number_beside_its_name_goes(text: str) -> None:
    screened = redact_personal(text).text
    assert "[REDACTED:national-id]" in screened or "[REDACTED:social-security]" in screened
    # At most the digits of a name such as "No. 1" are left.
    assert sum(char.isdigit() for char in screened) <= 1


@pytest.mark.parametrize(
    "text",
    [
        "RSSMRA85T10A562S moved out",
        "756.9217.0769.85 was sent twice",
        "111.444.777-35 duplicado",
        "131052-308T in the dump",
        "11010519491231002X in the log",
        "AB 12 34 56 C in the ticket",
    ],
)
def test_number_in_a_form_of_its_own_goes_without_a_name(text: str) -> None:
    assert redact_personal(text).text.startswith("[REDACTED:national-id]")


@pytest.mark.parametrize(
    "text",
    [
        "BSN: 123456789",
        "NHS number 943 476 5918",
        "PESEL 44051401358",
        "CPF 111.444.777-36",
        "CPF 111.111.111-11",
        "AHV 756.9217.0769.84",
        "IdNr 86095742718",
        "Aadhaar 2341 2341 2345",
        "DNI 12345678A",
        "RSSMRA85T10A562T",
        "111222333",
        "44051401359 rows",
        "order 86095742719",
        "run 12 jobs",
        "tin: 12 oz",
    ],
)
def test_wrong_check_digit_or_no_name_stays(text: str) -> None:
    assert redact_personal(text).text == text


@pytest.mark.parametrize(
    ("module", "right", "wrong"),
    [
        ("iso7064.mod_11_10", "86095742719", "86095742718"),
        ("iso7064.mod_11_2", "11010519491231002X", "110105194912310021"),
        ("verhoeff", "2363", "2364"),
        ("it.codicefiscale", "RSSMRA85T10A562S", "RSSMRA85T10A562T"),
        ("es.dni", "12345678Z", "12345678A"),
        ("br.cpf", "11144477735", "11144477736"),
        ("ean", "7569217076985", "7569217076984"),
        ("fi.hetu", "131052-308T", "131052-308U"),
        ("be.nn", "85073003328", "85073003329"),
        ("fr.nir", "255081416802538", "255081416802539"),
        ("luhn", "79927398713", "79927398710"),
    ],
)
def test_check_digits_of_published_samples(module: str, right: str, wrong: str) -> None:
    assert standard(module)(right)
    assert not standard(module)(wrong)


def test_one_of_several_checks_is_enough_and_options_reach_it() -> None:
    assert standard("es.dni", "es.nie")("X5253868R")
    # 53 is right for ISO 13616; the check digits of a Belgian account (12 for 1234567890 modulo 97
    # would be 02) are not.
    account = "BE53" + "123456789012"
    assert standard("iban", check_country=False)(account)
    assert not standard("iban")(account)
