"""Who gives a value to a name, and in which order: pairs, arguments, lines, lists."""

from __future__ import annotations

import pytest

from orrery_knowledge.screening import redact_credentials, redact_tree
from tests.unit.secret_texts import VALUES, fill, readable

ODD = "Q7(x!T" + ">9^m)n1"
LOWER = "xa3blp" + "-wv5x3j2r"
CODES = ("bbc0" + "-r0i9", "jld2" + "-8a6m")


@pytest.mark.parametrize(
    "template",
    [
        # The value before its name.
        "- value: {password}\n  name: REDIS_PASSWORD",
        '{{"value": "{password}", "name": "DB_PASSWORD"}}',
        '<add value="{password}" key="DbPassword" />',
        "<param><value>{password}</value><name>db.password</name></param>",
        '<input type="password" value="{password}">',
        # The value one level down, beside a name that is only its owner's.
        '{{"secret": {{"name": "db", "value": "{long}"}}}}',
        "secret:\n  name: db\n  value: {long}\n",
        # Arguments and lists.
        'wsse_auth: ["orion", "{password}"]',
        "new PDO('mysql:host=db;dbname=x', 'app', '{odd}');",
        'DBI->connect("dbi:Pg:dbname=x (main)", "app", "{odd}")',
        "http.basic_auth 'ops', '{odd}'",
        'ftp_login($c, "deploy", "{odd}");',
        "define( 'AUTH_KEY',         '{odd}{odd}' );",
        # Lines.
        "ENV SECRET_KEY_BASE {hex}{hex}",
        "sentinel auth-pass mymaster {odd}",
        "net use Z: \\\\srv\\share /user:corp\\svc {password}",
        'CONNECT scott/"{odd}"@orcl',
        '$ expdp system/"{odd}"@ORCL schemas=HR',
        "//svc:{password}@srv/share",
        "WIFI:T:WPA;S:Guest;P:{password};;",
        "login failed [principal=batch, credentials={password}]",
        "mongodump --password={odd} --gzip",
        # Answers.
        "14:02 <kim> what's the pw for the gateway?\n14:03 <raj> {password}\n14:03 <kim> thx",
        "ana: password for the vpn?\nbob: it's {password}",
        "u: admin p: {password}",
        "admin:{password} on the jump host",
        "voicemail pin for the hotline {digits}",
    ],
)
def test_the_value_goes(template: str) -> None:
    text, secrets = fill(template)
    shown = redact_credentials(text).text
    assert not any(readable(secret, shown) for secret in secrets)


@pytest.mark.parametrize(
    ("before", "secret", "after"),
    [
        # What looks like a call, a path, a slug or a licence.
        ("Uid=hr;Pwd=", ODD, ";Encrypt=true"),
        ("DRIVER={MySQL};PWD={", "Bw,e:Os)x5<JcV6", "};OPTION=3"),
        ("requirepass ", LOWER, "\nmaxmemory 4gb"),
        ("masterauth ", "DjVwLO06I5Tc.xx", "\n"),
        ("[license]\nkey = ", "KO0A0-81A4U" + "-T3M24-AZT6E", ""),
        ("pw = '", "$argon2id$v=19$m=65536,t=3,p=4$" + "Vg2XsabItqJwrzrd$MsyYzwlpuM6QIQlKHsW", "'"),
        (': PSK "', "VN6D.[!b" + "grX{2wo", '"'),
        ("RABBITMQ_ERLANG_COOKIE='", "UCYYEDJKOX" + "RTUGDEQPEA", "'"),
        ("the password is ", "s0GnG5mA" + ".0OKMg", ""),
    ],
)
def test_the_form_of_a_value_excuses_nothing_behind_its_name(
    before: str, secret: str, after: str
) -> None:
    shown = redact_credentials(before + secret + after).text
    assert not readable(secret, shown)
    assert shown.startswith(before.rstrip("'\"{"))


def test_codes_of_a_list_go_and_its_numbers_stay() -> None:
    text = f"backup codes for the login\n1. {CODES[0]}\n2. {CODES[1]}\n\nKeep them."
    assert redact_credentials(text).text == (
        "backup codes for the login\n1. [REDACTED:recovery-code]\n2. [REDACTED:recovery-code]\n\n"
        "Keep them."
    )


@pytest.mark.parametrize(
    "name",
    [
        "$skiptoken",
        "$deltatoken",
        "skiptoken",
        "nextPageToken",
        "NextContinuationToken",
        "scrollToken",
        "scroll_token",
        "clientRequestToken",
        "client_request_token",
        "uploadSequenceToken",
        "nextForwardToken",
        "starting-token",
        "next_cursor",
        "idempotencyKey",
        "Idempotency-Key",
        "deduplication_key",
        "last_evaluated_key",
    ],
)
@pytest.mark.parametrize("form", ["?a=1&{}={}", '"{}": "{}"', "{}: {}", "--{} {}"])
def test_what_marks_a_place_or_a_request_opens_nothing(name: str, form: str) -> None:
    text = form.format(name, VALUES["long"])
    assert redact_credentials(text).text == text


@pytest.mark.parametrize("name", ["accessToken", "client_token", "requestToken", "session_token"])
def test_other_tokens_go(name: str) -> None:
    assert not readable(VALUES["long"], redact_credentials(f"{name}={VALUES['long']}").text)


def test_a_name_beside_a_value_is_its_owner_unless_it_says_what_it_is() -> None:
    long = VALUES["long"]
    tree = {
        "secret": {"name": "db", "value": long},
        "auth_secret": {"name": "username", "value": "Deploy_5518x"},
    }
    assert redact_tree(tree, lambda _: None) == {
        "secret": {"name": "db", "value": "[REDACTED:secret]"},
        "auth_secret": {"name": "username", "value": "Deploy_5518x"},
    }


@pytest.mark.parametrize(
    "text",
    [
        "gpg --recv-keys 72B5C1EA604BFD7F90D4" + "B99D275ACB187E19C098",
        "Access denied for user 'shop'@'10.2.0.9' (using password: YES)",
        "db.password=@db.password@",
        "password = decrypt(cfg.secret)",
        "token = fetchToken(request, 30)",
        "secret:\n  name: username\n  value: Deploy_5518x\n",
        "value: eu-west-1\nname: TOKEN_REGION",
        'client.connect("db-7.example", "orders-2024-archive")',
        "the pin for version 20240101",
        "recovery codes are printed once\nand never shown again",
    ],
)
def test_what_only_stands_in_such_a_place_stays(text: str) -> None:
    assert redact_credentials(text).text == text
