"""Alertmanager's alerts to the runbook sections that explain them, without a language model."""

from __future__ import annotations

from orrery_knowledge.alerts.payload import MAX_BYTES, Alert, Payload, parse_payload, read_payload
from orrery_knowledge.alerts.query import alert_query
from orrery_knowledge.alerts.routing import AlertRouter, Route, RoutedAlert, Routing
from orrery_knowledge.alerts.runbooks import Runbooks

__all__ = [
    "MAX_BYTES",
    "Alert",
    "AlertRouter",
    "Payload",
    "Route",
    "RoutedAlert",
    "Routing",
    "Runbooks",
    "alert_query",
    "parse_payload",
    "read_payload",
]
