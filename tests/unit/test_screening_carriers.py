"""URLs, connection strings, cookies and known files."""

from __future__ import annotations

import pytest

from orrery_knowledge.screening import redact_credentials
from tests.unit.secret_texts import fill, readable


@pytest.mark.parametrize(
    "template",
    [
        "jdbc:oracle:thin:bob/{password}@h:1521/x",
        "jdbc:mysql://h/x?user=a&password={password}",
        "Server=h;Database=x;User Id=sa;Password={password};Encrypt=true",
        "Server=h;Database=x;Uid=sa;Pwd={odd};",
        "Driver={{PostgreSQL}};Server=h;Uid=a;Pwd={password};",
        "host=h user=a password='{odd}' dbname=x",
        "DSN=x;UID=a;PWD={password}",
        "amqps://a:{password}@h/v",
        "smtp://a%40b.example:{password}@smtp.example:587",
        "HostName=x.azure-devices.net;DeviceId=y;SharedAccessKey={base64}",
        "Endpoint=https://x.servicebus.windows.net/;SharedAccessKeyName=a;SharedAccessKey={base64}",
        "DefaultEndpointsProtocol=https;AccountName=x;AccountKey={base64}",
    ],
)
def test_secret_of_a_carrier_goes_and_screening_again_changes_nothing(template: str) -> None:
    text, secrets = fill(template)
    screened = redact_credentials(text)
    assert secrets
    assert not any(readable(secret, screened.text) for secret in secrets)
    assert redact_credentials(screened.text).text == screened.text
