from __future__ import annotations

import json

import pytest
from alert_payloads import alert, group

from orrery_knowledge.alerts.payload import (
    MAX_ALERTS,
    MAX_BYTES,
    MAX_TEXTS,
    NAMELESS,
    parse_payload,
    read_payload,
)
from orrery_knowledge.errors import InvalidPayload


def test_each_alert_has_its_own_status_whatever_the_group_says() -> None:
    """K110."""
    payload = parse_payload(group(alert("A"), alert("B", status="resolved"), status="firing"))
    assert [(one.name, one.status) for one in payload.alerts] == [
        ("A", "firing"),
        ("B", "resolved"),
    ]


def test_what_is_common_to_a_group_holds_for_each_alert_unless_it_says_otherwise() -> None:
    payload = parse_payload(
        {
            "commonLabels": {"alertname": "A", "team": "x"},
            "commonAnnotations": {"summary": "common"},
            "alerts": [{"labels": {"team": "y"}}, {"annotations": {"summary": "own"}}],
        }
    )
    first, second = payload.alerts
    assert (first.name, first.labels["team"], first.annotations["summary"]) == ("A", "y", "common")
    assert (second.name, second.labels["team"], second.annotations["summary"]) == ("A", "x", "own")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, ("A", "firing")),
        ({"annotations": None}, ("A", "firing")),
        ({"annotations": ["x"]}, ("A", "firing")),
        ({"labels": None}, (NAMELESS, "firing")),
        ({"labels": {}}, (NAMELESS, "firing")),
        ({"labels": {"alertname": ""}}, (NAMELESS, "firing")),
        ({"labels": {"alertname": 7}}, ("7", "firing")),
        ({"labels": {"alertname": {"x": 1}}}, (NAMELESS, "firing")),
        ({"status": "resolved"}, ("A", "resolved")),
        ({"status": "suppressed"}, ("A", "firing")),
        ({"status": None}, ("A", "firing")),
        ({"startsAt": None}, ("A", "firing")),
        ({"startsAt": 12}, ("A", "firing")),
        ({"fingerprint": None}, ("A", "firing")),
        ({"endsAt": "never"}, ("A", "firing")),
        ({"unknown": {"deep": [1]}}, ("A", "firing")),
    ],
)
def test_odd_fields_cost_no_alert(change: dict[str, object], expected: tuple[str, str]) -> None:
    [one] = parse_payload(group(alert("A") | change)).alerts
    assert (one.name, one.status) == expected


def test_the_group_names_and_states_what_the_alert_leaves_out() -> None:
    [one] = parse_payload(
        {"status": "resolved", "groupLabels": {"alertname": "G"}, "alerts": [{}]}
    ).alerts
    assert (one.name, one.status) == ("G", "resolved")


@pytest.mark.parametrize(
    ("given", "expected"),
    [(0, 0), (7, 7), (-3, 0), (None, 0), ("7", 0), (True, 0), (1.5, 0), (2**60, 0)],
)
def test_truncated_alerts_are_counted(given: object, expected: int) -> None:
    assert parse_payload(group(alert("A")) | {"truncatedAlerts": given}).truncated == expected


def test_alerts_that_are_no_objects_and_too_many_count_as_truncated() -> None:
    assert parse_payload({"alerts": [alert("A"), None, "x"]}).truncated == 2
    many = parse_payload({"alerts": [{}] * (MAX_ALERTS + 3), "truncatedAlerts": 2})
    assert (len(many.alerts), many.truncated) == (MAX_ALERTS, 5)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "no JSON"),
        (b"{", "no JSON"),
        (b"\xff\xfe\x00", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b"null", "no JSON object"),
        (b"[]", "no JSON object"),
        (b'"alerts"', "no JSON object"),
        (b"{}", "no list of alerts"),
        (b'{"alerts": {}}', "no list of alerts"),
        (b'{"alerts": [1, null]}', "alerts are no JSON objects"),
        (b'{"version": "3", "alerts": []}', "another version"),
        (b" " * (MAX_BYTES + 1), "larger than 8 MiB"),
    ],
)
def test_what_is_no_webhook_is_refused_in_one_line(body: bytes, reason: str) -> None:
    with pytest.raises(InvalidPayload, match=reason) as caught:
        read_payload(body)
    assert "\n" not in str(caught.value)


def test_no_alert_at_all_is_a_webhook() -> None:
    assert read_payload(json.dumps(group()).encode()).alerts == ()


def test_a_delivery_is_told_by_fingerprint_start_and_status() -> None:
    base = alert("A")
    changes: list[dict[str, object]] = [
        {},
        {"endsAt": "2026-01-01T01:00:00Z"},
        {"startsAt": "2026-01-02T00:00:00Z"},
        {"status": "resolved"},
        {"fingerprint": "other"},
    ]
    keys = [parse_payload(group(base | change)).alerts[0].delivery for change in changes]
    assert keys[0] == keys[1]
    assert len(set(keys[1:])) == 4


def test_a_missing_fingerprint_is_made_of_the_labels() -> None:
    def made(name: str) -> str:
        return parse_payload({"alerts": [{"labels": {"alertname": name}}]}).alerts[0].fingerprint

    assert made("A") == made("A") != made("B")


def test_surrogates_and_controls_are_data() -> None:
    body = b'{"alerts": [{"labels": {"alertname": "\\ud800\\u0000\\u001b[2J"}}]}'
    assert read_payload(body).alerts[0].name == "\ufffd\0\x1b[2J"


def test_everything_that_is_kept_can_be_encoded() -> None:
    bad = "\ud800"
    one = {"labels": {"alertname": bad, bad: bad}, "annotations": {bad: bad}, "fingerprint": bad}
    [read] = read_payload(json.dumps({"alerts": [one]}).encode()).alerts
    for text in (read.name, read.fingerprint, *read.labels, *read.labels.values()):
        assert text.encode()
    assert dict(read.annotations) == {"\ufffd": "\ufffd"}


def test_what_a_group_has_in_common_is_not_multiplied_without_bounds() -> None:
    many = {f"l{number}": "v" for number in range(5_000)}
    common = {"commonLabels": many, "commonAnnotations": many}
    payload = parse_payload(common | {"alerts": [{}, {"labels": {f"own-{n}": "v" for n in many}}]})
    assert [len(one.labels) for one in payload.alerts] == [MAX_TEXTS, 2 * MAX_TEXTS]
    assert [len(one.annotations) for one in payload.alerts] == [MAX_TEXTS, MAX_TEXTS]


def test_a_version_of_any_shape_is_refused() -> None:
    deep: object = []
    for _ in range(5_000):
        deep = [deep]
    with pytest.raises(InvalidPayload, match="another version"):
        parse_payload({"version": deep, "alerts": []})
    assert parse_payload({"version": 4, "alerts": []}).alerts == ()
