"""What to search for when an alert comes in: its name and annotations.

Labels are left out: a pod or team name says where it happened, not what is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def alert_query(payload: Mapping[str, Any]) -> str:
    """The query of an Alertmanager webhook: name, then annotations, each value once.

    Args:
        payload: a webhook of version 4; parts that are missing or of another shape are ignored.
    """
    alerts = payload.get("alerts")
    first = alerts[0] if isinstance(alerts, list) and alerts else {}
    parts: dict[str, None] = {}
    for labels in (_mapping(first, "labels"), _mapping(payload, "commonLabels")):
        if name := labels.get("alertname"):
            parts[str(name)] = None
            break
    for source in (_mapping(first, "annotations"), _mapping(payload, "commonAnnotations")):
        for key, value in source.items():
            if not str(key).endswith("_url") and isinstance(value, str) and value.strip():
                parts[value.strip()] = None
    return "\n".join(parts)


def _mapping(value: Any, key: str) -> Mapping[str, Any]:
    found = value.get(key) if isinstance(value, Mapping) else None
    return found if isinstance(found, Mapping) else {}
