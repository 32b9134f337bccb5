"""Lines in which a user and a password stand side by side without any name for them."""

from __future__ import annotations

import pytest

from orrery_knowledge.screening import redact_credentials
from tests.unit.secret_texts import fill, readable


@pytest.mark.parametrize(
    "template",
    [
        "[smtp.example]:587 bob:{password}",
        "smtp.example bob@x.example:{password}",
        '"bob" "{password}"',
        '"bob" * "{password}" *',
        "bob * {password} *",
        "user bob on >{password} ~* +@all",
        "  stats auth admin:{password}",
        "root / {word}",
        "chpasswd:\n  list: |\n    root:{word}",
        '{{default_pass, <<"{password}">>}}',
        "rootpw --plaintext {word}",
        " ip ospf message-digest-key 1 md5 {word}",
        'createUser mon SHA "{password}" AES "{word}"',
        "snmp-server user mon grp v3 auth sha {word} priv aes 128 {password}",
    ],
)
def test_password_in_its_place_goes(template: str) -> None:
    text, secrets = fill(template)
    screened = redact_credentials(text).text
    assert not any(readable(secret, screened) for secret in secrets)
    assert redact_credentials(screened).text == screened


@pytest.mark.parametrize(
    "text",
    [
        "registry.example app:4.18.2-rc3",
        '"orders" "Order items"',
        "root / 42 GB",
        "admin/settings page",
        "digest.example sha256:deadbeef",
        "snmp-server user mon grp v3 auth sha",
        "bob * 5 * Monday",
    ],
)
def test_other_pairs_stay(text: str) -> None:
    assert redact_credentials(text).text == text
