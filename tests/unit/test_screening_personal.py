from __future__ import annotations

import pytest

from orrery_knowledge.models import PersonalKind
from orrery_knowledge.screening import PERSONAL_KINDS, redact_personal, redact_tree, screen
from orrery_knowledge.screening.personal import is_card, is_iban
from orrery_knowledge.screening.personal_rules.national_ids import is_social


@pytest.mark.parametrize(
    ("before", "value", "after", "rule"),
    [
        ("write to ", "jane.doe@acme.io", ", please", "email"),
        ("[mail](mailto:", "jane.doe@acme.io", ")", "email"),
        ("call ", "+44 20 7946 0958", " now", "phone"),
        ("phone: ", "030 901820", "", "phone"),
        ("card ", "4111 1111 1111 1111", " declined", "payment-card"),
        ("card=", "2223003122003222", " x", "payment-card"),
        ("account ", "DE89 3704 0044 0532 0130 00", " bounced", "iban"),
        ("account ", "GB82WEST12345698765432", "", "iban"),
        ("SSN: ", "219-09-9999", "", "social-security"),
    ],
)
def test_personal_data_goes(before: str, value: str, after: str, rule: str) -> None:
    screened = redact_personal(before + value + after)
    assert screened.text == f"{before}[REDACTED:{rule}]{after}"
    (finding,) = screened.findings
    assert (finding.start, finding.end) == (len(before), len(before) + len(value))


@pytest.mark.parametrize(
    "text",
    [
        "node 10.0.122.70 and fe80::1ff:fe23:4567:890a",
        "git@github.com:org/repo.git",
        "image registry/app@sha256:abc",
        "ops@example.com",
        "card 4111 1111 1111 1112",
        "resourceVersion: 5200064113456789",
        "account DE89 3704 0044 0532 0130 01",
        "2024-05-01 10:00:00.123456789 +0000 UTC",
        "timeout 1714557600123",
        "uid 1000650000 pid 4242",
        "port 8080-8090, range 100-200-3000",
        "v1.24.17+k3s1",
    ],
)
def test_what_operators_need_stays(text: str) -> None:
    assert redact_personal(text).text == text


def test_luhn() -> None:
    assert is_card("4111111111111111")
    assert not is_card("4111111111111112")
    assert not is_card("1714557600123")


def test_iban_modulo_97() -> None:
    assert is_iban("GB82WEST12345698765432")
    assert not is_iban("GB82WEST12345698765431")
    assert not is_iban("GB82WEST1234569876543")


@pytest.mark.parametrize("value", ["000-12-3456", "666-12-3456", "912-12-3456", "123-00-4567"])
def test_numbers_that_were_never_given_out(value: str) -> None:
    assert not is_social(value)


BY_KIND: dict[PersonalKind, str] = {
    "email": "jane.doe@acme.io",
    "phone": "+44 20 7946 0958",
    "card": "4111 1111 1111 1111",
    "iban": "DE89 3704 0044 0532 0130 00",
    "national-id": "219-09-9999",
}


@pytest.mark.parametrize("kind", sorted(PERSONAL_KINDS))
def test_only_the_kinds_that_are_named_go(kind: PersonalKind) -> None:
    text = "\n".join(f"- {value}" for value in BY_KIND.values())
    only = redact_personal(text, [kind]).text
    assert [value for value in BY_KIND.values() if value not in only] == [BY_KIND[kind]]
    others = screen(text, PERSONAL_KINDS - {kind}).text
    assert [value for value in BY_KIND.values() if value in others] == [BY_KIND[kind]]


def test_without_kinds_credentials_still_go() -> None:
    token = "ghp_" + "Zk4t9QwB2xLm7RvPc3Hn8YdS5GfJ1TuA6bWe"
    assert (
        screen(f"{BY_KIND['email']} {token}", ()).text == "jane.doe@acme.io [REDACTED:github-token]"
    )


def test_a_number_under_its_key_goes_by_kind_as_well() -> None:
    tree = {"ssn": 219099999, "phone": "030 901820"}
    assert redact_tree(tree, lambda _: None, ["phone"]) == {
        "ssn": 219099999,
        "phone": "[REDACTED:phone]",
    }


@pytest.mark.parametrize(
    "text",
    ["Jourtelefon: 070-334 31 95", "Diensttelefon 0170 5556677", "Päivystyspuhelin: 040 7654321"],
)
def test_a_compound_names_a_telephone_too(text: str) -> None:
    assert "[REDACTED:phone]" in redact_personal(text).text


@pytest.mark.parametrize("number", ["+1 555 0119", "+1 555 010 2345"])
def test_numbers_that_are_kept_for_fiction_stay(number: str) -> None:
    assert redact_personal(f"call {number} at once").text == f"call {number} at once"
