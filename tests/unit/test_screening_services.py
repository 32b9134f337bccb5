"""Token formats beside those in `test_screening_credentials`; prefix and tail are put together."""

from __future__ import annotations

import pytest

from orrery_knowledge.screening import redact_credentials

T16 = "Zk4t9QwB2xLm7RvP"
T40 = T16 + "c3Hn8YdS5GfJ1TuA" + "6EoK0WiX"
H32 = "9f86d081884c7d659a2feaa0c55ad015"
H40 = H32 + "deadbeef"
UUID = "3f2b8c1e-7a4d-4e2b-9c3d-1a2b3c4d5e6f"


@pytest.mark.parametrize(
    ("prefix", "tail"),
    [
        ("sgp_", H40),
        ("sqp_", H40),
        ("tskey-auth-", T16),
        ("pat-na1-", UUID),
        ("sdk-", UUID),
        ("phx_", T40),
        ("aio_", T40[:28]),
        ("bkua_", H40),
        ("dop_v1_", H32 + H32),
        ("lin_api_", T40),
        ("xkeysib-", H32 + H32 + "-" + T16),
        ("whsec_", T40),
        ("rdme_", (H32 + H40)[:70]),
        ("CCIPAT_", T40[:22] + "_" + H40),
        ("SWMTKN-1-", H40 + "abcdef0123-" + H32),
        ("abc8Q~", T40[:31]),
        ("pk.eyJ", T40 + "." + T16),
        ("acme_live_key_", T40[:24]),
        ("$2y$10$", T40 + "abcdefghijklm"),
        ("{SSHA}", T40),
        ("https://hooks.zapier.com/hooks/catch/", "1234567/ab12cd3"),
        ("https://discord.com/api/v10/webhooks/112233445566778899/", T40 + T16),
        ("https://", H32 + "@o1.ingest.sentry.io/42"),
        ("bot", "8593809452:AA" + T40[:33]),
        ("AKIA" + "Z7Q2M5X8K4J9T3WB,", T40),
    ],
)
def test_token_of_a_service_goes(prefix: str, tail: str) -> None:
    text = f"it printed {prefix}{tail} and stopped"
    screened = redact_credentials(text).text
    assert tail[:12] not in screened
    assert screened.startswith("it printed ")
    assert screened.endswith(" and stopped")


@pytest.mark.parametrize(
    "text",
    [
        "next_page_token: " + T40,
        "req_" + T16,
        "pypi-charset-normalizer",
        "sk-learn-1.5.2 and key-value-store_v2",
        'Authorization: OAuth realm="x"',
    ],
)
def test_ids_and_names_of_the_same_form_stay(text: str) -> None:
    assert redact_credentials(text).text == text
