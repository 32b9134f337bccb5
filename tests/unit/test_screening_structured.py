from __future__ import annotations

import json
from typing import Any

import pytest

from orrery_knowledge.screening import Finding, redact_tree

S = "hunter2hunter2AA"
T = "Zk4t9QwB2xLm7RvP"


def cleaned(tree: Any) -> tuple[Any, list[Finding]]:
    found: list[Finding] = []
    return redact_tree(tree, found.extend), found


PASSWORD = "[REDACTED:password]"
SECRET = "[REDACTED:secret]"


@pytest.mark.parametrize(
    ("tree", "clean"),
    [
        ({"password": S, "api_key": T}, {"password": PASSWORD, "api_key": SECRET}),
        ({"a": [{"deep": {"dbPassword": S}}]}, {"a": [{"deep": {"dbPassword": PASSWORD}}]}),
        ({"passwords": [S, [S]]}, {"passwords": [PASSWORD, [PASSWORD]]}),
        ({"passwords": {"alice": S}}, {"passwords": {"alice": PASSWORD}}),
        ({"DB Password": S}, {"DB Password": PASSWORD}),
        ({"password": {"value": S}}, {"password": {"value": PASSWORD}}),
        ({"password": 83749201}, {"password": PASSWORD}),
        ({"password": {"plain": S}}, {"password": {"plain": PASSWORD}}),
        ({"password:": S}, {"password:": PASSWORD}),
        (
            {"name": "password", "value": {"s": S}},
            {"name": "password", "value": {"s": PASSWORD}},
        ),
        ([{"k": "password", "v": S}], [{"k": "password", "v": PASSWORD}]),
        (
            [{"name": "DB_PASSWORD", "value": S}],
            [{"name": "DB_PASSWORD", "value": PASSWORD}],
        ),
        ([{"value": S, "key": "DB_PASSWORD"}], [{"value": PASSWORD, "key": "DB_PASSWORD"}]),
        ([{"Key": "api_token", "Value": T}], [{"Key": "api_token", "Value": SECRET}]),
        (
            {"name": "DB_PASSWORD", "slotSetting": False, "value": S},
            {"name": "DB_PASSWORD", "slotSetting": False, "value": PASSWORD},
        ),
        (
            [{"name": "Authorization", "value": "Bearer abcdefgh1234"}],
            [{"name": "Authorization", "value": "Bearer [REDACTED:authorization-header]"}],
        ),
        (
            {"headers": {"Authorization": ["Basic YWRtaW46aHVudGVyMg=="]}},
            {"headers": {"Authorization": ["Basic [REDACTED:authorization-header]"]}},
        ),
        ([["X-Api-Key", T]], [["X-Api-Key", SECRET]]),
        (["mysql", "--password", "hunter"], ["mysql", "--password", PASSWORD]),
        (["Host", "x", "X-Auth-Token", T], ["Host", "x", "X-Auth-Token", SECRET]),
        (
            {"columns": ["user", "password"], "rows": [["bob", S]]},
            {"columns": ["user", "password"], "rows": [["bob", PASSWORD]]},
        ),
        (
            {"columns": [{"name": "password"}], "rows": [[S]]},
            {"columns": [{"name": "password"}], "rows": [[PASSWORD]]},
        ),
        (
            {"kind": "Secret", "data": {"DB": "aHVudGVyMg=="}, "type": "Opaque"},
            {"kind": "Secret", "data": {"DB": "[REDACTED:kubernetes-secret]"}, "type": "Opaque"},
        ),
        ({"password": 'a"b\\c\nd7'}, {"password": PASSWORD}),
    ],
)
def test_a_secret_is_known_by_what_names_it(tree: Any, clean: Any) -> None:
    once, found = cleaned(tree)
    assert once == clean
    assert {finding.kind for finding in found} == {"credential"}
    assert cleaned(once) == (once, [])


@pytest.mark.parametrize(
    "tree",
    [
        {"password_min_length": 12, "token_count": 5, "total_tokens": 123456, "passwordless": True},
        {"secretName": "my-secret", "passwordSecretRef": T, "secretKeyRef": {"key": "password"}},
        {"password": "", "token": None, "secret": False, "api_key": "${API_KEY}"},
        {"name": "DB_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}},
        {"name": "LOG_LEVEL", "value": T},
        {"password": {"min_length": 12, "policy": "strict"}},
        {"passwords": {"policy": "strict-rotation-90", "min_length": 12}},
        {"columns": ["id", "password", "created_at"], "rows": []},
        ["id", "password", "created_at"],
        ["password", "email"],
        {"passages": [{"text": "x" + T, "authors": [T]}], "keyboard": T},
        {"kind": "ConfigMap", "data": {"DB": "aHVudGVyMg=="}},
        {"token_id": "3f2504e0-4f89-11d3-9a0c-0305e82c3301"},
        {"password": "<your-password>", "secrets": ["my-secret", "tls-cert"]},
        {"keys": ["payments-7f9c4d5b6-x2k9q"], "key": "orders", "sort_key": "a"},
        {"ok": True, "n": 1.5, "none": None, "list": []},
    ],
)
def test_settings_references_and_placeholders_stay(tree: Any) -> None:
    assert cleaned(tree) == (tree, [])


@pytest.mark.parametrize("levels", [1, 2, 3])
def test_json_within_strings(levels: int) -> None:
    text: Any = json.dumps(
        {"env": [{"value": S, "name": "DB_PASSWORD"}], "password": S, "x": "stays"}
    )
    for _ in range(levels - 1):
        text = json.dumps({"text": text})
    clean, _ = cleaned({"content": [{"type": "text", "text": text}]})
    assert S not in json.dumps(clean)
    assert "stays" in json.dumps(clean)
    inner: Any = clean["content"][0]["text"]
    for _ in range(levels - 1):
        inner = json.loads(inner)["text"]
    assert json.loads(inner)["env"] == [{"value": PASSWORD, "name": "DB_PASSWORD"}]


def test_json_without_a_secret_stays_byte_for_byte() -> None:
    text = '{"b" :1,"a": [ 1.0, "x" ]}\n'
    assert cleaned([text]) == ([text], [])


def test_json_that_is_too_deep_or_broken_is_text() -> None:
    for text in ("[" * 100_000, '{"a": ', "[" * 900 + "]" * 900, "[1" + "0" * 5000 + "]"):
        assert cleaned([text])[0] == [text]


def test_two_keys_that_become_one_lose_nothing() -> None:
    one, two = "AKIA" + "Z7Q2M5X8K4J9T3WB", "AKIA" + "Z7Q2M5X8K4J9T3WC"
    clean, _ = cleaned({one: 1, two: 2})
    assert list(clean.values()) == [1, 2]


def test_findings_say_nothing_of_the_value() -> None:
    _, found = cleaned({"password": S})
    assert S not in "".join(finding.model_dump_json() for finding in found)
    assert [finding.rule for finding in found] == ["password"]


@pytest.mark.parametrize(
    "tree",
    [
        {"phone": "0301234567"},
        {"mobile_number": "07700900123"},
        {"bsn": "111222333"},
        {"ssn": 219099999},
        {"name": "phone", "value": "0301234567"},
    ],
)
def test_number_of_a_person_is_known_by_its_key(tree: dict[str, object]) -> None:
    found: list[Finding] = []
    clean = redact_tree(tree, found.extend)
    assert "[REDACTED:" in str(clean)
    assert {finding.kind for finding in found} == {"personal"}


@pytest.mark.parametrize(
    "tree", [{"uid": 1000650000}, {"port": "30000-32767"}, {"phone": True}, {"bsn": "111222334"}]
)
def test_other_numbers_of_a_tree_stay(tree: dict[str, object]) -> None:
    assert redact_tree(tree, lambda _: None) == tree
