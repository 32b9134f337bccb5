"""Webhooks as Alertmanager sends them, to be changed by a test."""

from __future__ import annotations

from typing import Any


def alert(
    name: str, *, status: str = "firing", fingerprint: str = "", **annotations: str
) -> dict[str, Any]:
    """One alert; what a test does not name is as the program fills it in."""
    return {
        "status": status,
        "labels": {"alertname": name, "severity": "critical", "instance": "10.0.0.7:9100"},
        "annotations": annotations,
        "startsAt": "2026-01-01T00:00:00.000Z",
        "endsAt": "0001-01-01T00:00:00Z",
        "generatorURL": "http://prometheus.example:9090/graph?g0.expr=up",
        "fingerprint": fingerprint or f"f-{name}",
    }


def group(*alerts: dict[str, Any], status: str = "firing") -> dict[str, Any]:
    """The webhook of some alerts."""
    return {
        "version": "4",
        "groupKey": "{}:{}",
        "truncatedAlerts": 0,
        "status": status,
        "receiver": "orrery",
        "groupLabels": {},
        "commonLabels": {},
        "commonAnnotations": {},
        "externalURL": "http://alertmanager.example:9093",
        "alerts": list(alerts),
    }
