"""Phone numbers of many countries; all of them are made up."""

from __future__ import annotations

import pytest

from orrery_knowledge.screening import redact_personal


@pytest.mark.parametrize(
    ("before", "number", "after"),
    [
        ("Call me at ", "(415) 682-2671", ""),
        ("phone ", "415-682-2671", ""),
        ("cell: ", "415.682.2671", ""),
        ("fax ", "4156822671", ""),
        ("", "+1-415-682-2671", ""),
        ("", "+44 (0)20 7946 0958", ""),
        ("tel ", "020 7946 0958", ""),
        ("Mobile ", "07700 900123", ""),
        ("Handy ", "0171 2345678", ""),
        ("Handy: ", "0171/2345678", ""),
        ("Telefon ", "089 / 1234567", ""),
        ("Tel.: ", "(089) 1234-567", ""),
        ("Durchwahl ", "089 1234-56", ""),
        ("erreichbar unter ", "0151 23456789", ""),
        ("Rufbereitschaft: ", "0170-1234567", ""),
        ("Bereitschaftshandy ", "+49 (0) 170 1234567", ""),
        ("Numéro : ", "01 42 68 53 00", ""),
        ("portable ", "0612345678", ""),
        ("tél. ", "+33 6 12 34 56 78", ""),
        ("móvil ", "612 345 678", ""),
        ("llamar al ", "91 234 56 78", ""),
        ("teléfono: ", "934 567 890", ""),
        ("cellulare ", "347 1234567", ""),
        ("chiama il ", "02 1234 5678", ""),
        ("telefone ", "(11) 91234-5678", ""),
        ("celular: ", "+55 11 91234-5678", ""),
        ("ligue para ", "(21) 2345-6789", ""),
        ("telefoon ", "020 123 4567", ""),
        ("Bel ", "06 12345678", ""),
        ("komórka ", "601 234 567", ""),
        ("tel. ", "22 123 45 67", ""),
        ("telefon ", "+48 601 234 567", ""),
        ("電話番号 ", "03-1234-5678", ""),
        ("TEL: ", "03-1234-5678", ""),
        ("电话:", "010-12345678", ""),
        ("手机号 ", "13812345678", ""),
        ("联系电话 ", "138-1234-5678", ""),
        ("휴대폰: ", "010-1234-5678", ""),
        ("Тел. ", "8 (495) 123-45-67", ""),
        ("звоните ", "8-916-123-45-67", ""),
        ("мобильный ", "+7 916 123 45 67", ""),
        ("phone: ", "0412 345 678", ""),
        ("ph ", "(02) 9123 4567", ""),
        ("mobile ", "+91 98765 43210", ""),
        ("mobile no. ", "98765 43210", ""),
        ("telefon ", "0532 123 45 67", ""),
        ("puhelin ", "040 1234567", ""),
        ("mobil ", "070-123 45 67", ""),
        ("telefon: ", "08-123 456 78", ""),
        ("τηλ ", "210 1234567", ""),
        ("WhatsApp ", "+34 612 34 56 78", ""),
        ("SMS to ", "+46701234567", ""),
        ('"mobile_number":"', "07700900123", '"'),
        ("phone=", "4156822671", ""),
        ("on-call number is ", "1-415-682-2671", ""),
        ("ring ", "01632 960123", ""),
        ("reach him on ", "07700 900 123", ""),
        ("emergency contact ", "+353 86 123 4567", ""),
        ("", "0049 170 1234567", ""),
        ("my number is ", "415-682-2671", ""),
        ("Notruf intern ", "0221 4711-0", ""),
        ("Ansprechpartner: Herr K., ", "0221/471100", ""),
    ],
)
def test_phone_number_goes(before: str, number: str, after: str) -> None:
    screened = redact_personal(before + number + after).text
    assert "[REDACTED:phone]" in screened
    digits = "".join(char for char in number if char.isdigit())
    assert digits[-6:] not in "".join(char for char in screened if char.isdigit())
    assert redact_personal(screened).text == screened


@pytest.mark.parametrize(
    "text",
    [
        "call +1 (555) 123-4567",
        "phone 10.0.4.17",
        "tel 2024-05-01",
        "fax interval 3600",
        "05 00 01 02 03 04 is a dump",
        "offset +1.12345679",
        "mobile build 4.2.1001",
        "+12345 lines added",
    ],
)
def test_other_numbers_stay(text: str) -> None:
    assert redact_personal(text).text == text
