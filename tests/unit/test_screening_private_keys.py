"""Private keys in odd carriers. The bytes are a counter's hash: no key, but as random as one."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest

from orrery_knowledge.screening import redact_credentials

RAW = b"".join(hashlib.sha256(bytes([count])).digest() for count in range(20))
DER = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC" + base64.b64encode(RAW).decode().rstrip("=")
LINES = [DER[at : at + 64] for at in range(0, len(DER), 64)]
BEGIN, END = (f"-----{word} RSA PRIVATE " + "KEY-----" for word in ("BEGIN", "END"))
KEY = [BEGIN, *LINES, END]


def _wrapped(text: str, indent: str = "") -> str:
    return "\n".join(indent + text[at : at + 76] for at in range(0, len(text), 76))


@pytest.mark.parametrize(
    "text",
    [
        "\n".join("+" + line for line in KEY),
        "\n".join(f"{number:3d}  {line}" for number, line in enumerate(KEY)),
        "\n".join(f"2026-01-01T10:00:00Z INFO {line}" for line in KEY),
        "\n".join(f"2026-01-01T10:00:00Z INFO {line}" for line in KEY[:-1]),
        "\n".join("    " + line for line in KEY),
        "\r\n".join(KEY),
        "k = (\n" + "\n".join(f'    "{line}\\n"' for line in KEY) + "\n)",
        "k = " + " +\n".join(f"'{line}\\n'" for line in KEY[:-1]),
        "\n".join(KEY[2:]),
        "tls.key:\n" + "\n".join(LINES),
        " ".join(KEY),
        '{"x": "{\\"k\\": \\"' + "\\\\n".join(KEY) + '\\"}"}',
        "<pre>" + "<br>".join(KEY) + "</pre>",
        "<key>" + "&#10;".join(KEY) + "</key>",
        "%0A".join(KEY).replace(" ", "%20").replace("+", "%2B").replace("/", "%2F"),
        '["' + '", "'.join(KEY) + '"]',
        "key = " + "\\\n".join(KEY),
        "\n".join([BEGIN, "Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,0123", "", *LINES]),
        "key: " + base64.b64encode("\n".join(KEY).encode()).decode(),
        "key: |\n" + _wrapped(base64.b64encode("\n".join(KEY).encode()).decode(), "  "),
        "---- BEGIN SSH2 ENCRYPTED PRIVATE " + "KEY ----\n" + "\n".join(LINES),
        "PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 14\n" + "\n".join(LINES),
        "<RSAKeyValue><D>" + DER + "</D></RSAKeyValue>",
        '{"kty": "RSA", "d": "' + DER.replace("+", "-").replace("/", "_") + '"}',
        "keystore: MIIKPAIBAzCC" + DER[32:],
        "keystore.jks: /u3+7QAAAAI" + DER[32:],
    ],
)
def test_no_line_of_a_key_is_left(text: str) -> None:
    screened = redact_credentials(text).text
    assert "[REDACTED:" in screened
    assert not re.findall(r"[A-Za-z0-9+/=]{24,}", screened)
    assert redact_credentials(screened).text == screened


@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN CERTIFICATE-----\n" + "\n".join(LINES) + "\n-----END CERTIFICATE-----",
        "-----BEGIN PUBLIC "
        + "KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----",
        'Look for "-----BEGIN PRIVATE ' + 'KEY-----" in the file.',
        '{"kty": "RSA", "n": "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4", "e": "AQAB"}',
    ],
)
def test_public_halves_and_talk_of_keys_stay(text: str) -> None:
    if "CERTIFICATE" in text:
        text = text.replace(DER[:32], "MIIDXTCCAkWgAwIBAgIJAJC1HiIAZAiI")
    assert redact_credentials(text).text == text


def test_dumped_key_goes() -> None:
    dump = "\n".join("    " + RAW[at : at + 15].hex(":") + ":" for at in range(0, 90, 15))
    text = f"modulus:\n    00:c1:02\nprivateExponent:\n{dump}\npublicExponent: 65537 (0x10001)\n"
    screened = redact_credentials(text).text
    assert RAW[30:36].hex(":") not in screened
    assert "publicExponent: 65537" in screened
    der = "308204be020100300d06092a864886f70d010101" + RAW.hex()
    assert RAW.hex()[:40] not in redact_credentials("dump " + der).text
