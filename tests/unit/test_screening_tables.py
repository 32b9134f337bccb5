"""Cells below a head that names a secret."""

from __future__ import annotations

import pytest

from orrery_knowledge.screening import redact_credentials
from tests.unit.secret_texts import fill, readable


@pytest.mark.parametrize(
    "template",
    [
        "| Password | {word} |",
        "| Field | Value |\n|---|---|\n| User | root |\n| Password | {word} |",
        "user,password\nbob,{word}\nann,{password}",
        "host;login;pwd\nx;root;{word}",
        "| Host | User | Passwort |\n| --- | --- | --- |\n| x | root | {word} |",
        "NAME  USER  PASSWORD\nx     root  {word}",
    ],
)
def test_secret_in_a_table_goes_and_screening_again_changes_nothing(template: str) -> None:
    text, secrets = fill(template)
    screened = redact_credentials(text)
    assert secrets
    assert not any(readable(secret, screened.text) for secret in secrets)
    assert redact_credentials(screened.text).text == screened.text
