from __future__ import annotations

from typing import Any

import pytest

from orrery_knowledge.evaluation.payloads import alert_query

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
                "count": 3,
                "empty": " ",
            },
        },
        {"labels": {"alertname": "Other"}, "annotations": {"summary": "something else"}},
    ],
}


def test_the_name_then_each_annotation_once() -> None:
    assert alert_query(WEBHOOK) == "PoolExhausted\nPool is full\nClients wait."


def test_without_alerts_what_they_have_in_common_is_asked() -> None:
    assert alert_query({**WEBHOOK, "alerts": []}) == "Common\nPool is full"


@pytest.mark.parametrize("alerts", [None, {}, "x", [None], [[]], [{"labels": None}], [7]])
def test_parts_of_another_shape_are_ignored(alerts: Any) -> None:
    assert alert_query({**WEBHOOK, "alerts": alerts}) == "Common\nPool is full"


@pytest.mark.parametrize(
    "payload",
    [{}, {"alerts": [{}]}, {"commonLabels": []}, {"alerts": [{"labels": {"alertname": ""}}]}],
)
def test_nothing_to_ask(payload: dict[str, Any]) -> None:
    assert alert_query(payload) == ""


def test_a_name_that_is_no_text_becomes_one() -> None:
    assert alert_query({"commonLabels": {"alertname": 42}}) == "42"
