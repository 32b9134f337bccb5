from __future__ import annotations

from typing import Any

import pytest

from orrery_knowledge.evaluation.payloads import alert_query, read_alert

WEBHOOK: dict[str, Any] = {
    "version": "4",
    "status": "firing",
    "commonLabels": {"alertname": "Common", "severity": "page"},
    "commonAnnotations": {"summary": "Pool is full", "dashboard_url": "https://d/1"},
    "alerts": [
        {
            "labels": {"alertname": "PoolExhausted", "pod": "payments-7d9f8b6c5-x2x4z"},
            "annotations": {
                "summary": "Pool is full",
                "description": " Clients wait. \n",
                "runbook_url": "https://r/1",
                "empty": " ",
            },
        },
        {"labels": {"alertname": "Other"}, "annotations": {"summary": "something else"}},
    ],
}


def test_the_name_then_each_annotation_once() -> None:
    assert alert_query(WEBHOOK) == "PoolExhausted\nPool is full\nClients wait."


def test_it_is_the_first_alert_that_is_looked_up() -> None:
    alert = read_alert(WEBHOOK).alert
    assert alert is not None
    assert (alert.name, alert.labels["severity"]) == ("PoolExhausted", "page")


@pytest.mark.parametrize("alerts", [None, {}, "x", [None], [[]], [7], []])
def test_what_is_no_webhook_or_has_no_alerts_asks_nothing(alerts: Any) -> None:
    assert read_alert({**WEBHOOK, "alerts": alerts}) == ("", None)


def test_an_alert_of_another_shape_has_what_all_have_in_common() -> None:
    assert alert_query({**WEBHOOK, "alerts": [{"labels": None}]}) == "Common\nPool is full"


@pytest.mark.parametrize("payload", [{}, {"alerts": [{}]}, {"commonLabels": []}])
def test_nothing_to_ask(payload: dict[str, Any]) -> None:
    assert alert_query(payload) == ""


def test_a_name_that_is_no_text_becomes_one() -> None:
    assert alert_query({"alerts": [{"labels": {"alertname": 42}}]}) == "42"
