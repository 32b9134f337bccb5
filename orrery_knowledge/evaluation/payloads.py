"""How a labelled payload is asked: as alert routing does, with its words and its evidence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from orrery_knowledge import alerts
from orrery_knowledge.alerts.payload import Alert
from orrery_knowledge.errors import InvalidPayload


class AlertQuery(NamedTuple):
    """What a payload asks.

    Attributes:
        text: what is searched for.
        alert: whose name and links are looked up; None in a payload without alerts.
    """

    text: str
    alert: Alert | None


def read_alert(payload: Mapping[str, Any]) -> AlertQuery:
    """The question of a payload: that of its first alert, and of those that share its name.

    Args:
        payload: a webhook of version 4; one that is none asks nothing.
    """
    try:
        found = alerts.parse_payload(payload).alerts
    except InvalidPayload:
        return AlertQuery("", None)
    if not found:
        return AlertQuery("", None)
    first = found[0]
    group = [one for one in found if (one.name, one.status) == (first.name, first.status)]
    return AlertQuery(alerts.alert_query(group), first)


def alert_query(payload: Mapping[str, Any]) -> str:
    """The words that a payload is searched by."""
    return read_alert(payload).text
