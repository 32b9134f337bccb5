"""Blocks whose keys say who has a secret."""

from __future__ import annotations

import pytest

from orrery_knowledge.screening import redact_credentials
from tests.unit.secret_texts import fill, readable

UUID = "5b0fd3a4-7c1e-4f6b-" + "9d2a-c3e8b1f40a57"


@pytest.mark.parametrize(
    "template",
    [
        'acl {{\n  tokens {{\n    agent = "{uuid}"\n  }}\n}}',
        "passwords:\n  alice: {password}\n  bob: {word}\n",
        '"api_keys": {{\n  "billing": "{long}"\n}}',
        "[credentials]\ndeploy = {password}\n",
        "auth_tokens:\n  ci: {long}\n",
    ],
)
def test_the_secret_of_each_owner_goes(template: str) -> None:
    _, secrets = fill(template.replace("{uuid}", UUID))
    text = template.replace("{uuid}", UUID).format(**dict(_values()))
    shown = redact_credentials(text).text
    assert not any(readable(secret, shown) for secret in [*secrets, UUID])


def _values() -> list[tuple[str, str]]:
    return [(name, fill(f"{{{name}}}")[0]) for name in ("password", "word", "long")]


@pytest.mark.parametrize(
    "text",
    [
        # The block is over before what stands at its own level or below the next head.
        f'tokens {{\n  enabled = true\n}}\nnode = "{UUID}"',
        f"tokens:\n  lifetime: 3600s\nrequest: {UUID}\n",
        f"[credentials]\nstore = keychain-v2\n[node]\nuid = {UUID}\n",
        "secrets:\n  - name: registry-login\n  path: secret/data/web\n",
        "credentials:\n  username: svc-backup\n  provider: vault\n",
    ],
)
def test_what_else_stands_there_stays(text: str) -> None:
    assert redact_credentials(text).text == text
