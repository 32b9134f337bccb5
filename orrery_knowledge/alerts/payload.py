"""An Alertmanager webhook (version 4), read as leniently as it can be without guessing.

The program itself, its forks and whatever imitates it differ in what they leave out. So a field
that is missing, unknown or of another shape is passed over. What holds no list of alerts is no
webhook, and is refused in one line.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from itertools import islice
from typing import Any, Literal, NamedTuple

from orrery_knowledge.errors import InvalidPayload
from orrery_knowledge.screening.findings import searchable

MAX_BYTES = 8 * 1024 * 1024
"""Of one webhook. A thousand alerts with long annotations are about one megabyte."""

MAX_ALERTS = 10_000
"""Alerts of a webhook that are looked at; the rest counts as truncated."""

MAX_TEXTS = 64
"""Labels of an alert that are looked at, and as many that its group has in common; annotations
likewise."""

MAX_VALUE = 4_000
"""Characters of a label or annotation that are looked at."""

MAX_NAME = 200
"""Characters of an alert's name that are kept."""

MAX_FINGERPRINTS = 100
"""Fingerprints of a route that are listed."""

NAMELESS = "(no alert name)"

Status = Literal["firing", "resolved"]


class Alert(NamedTuple):
    """One alert of a webhook, with what its group has in common filled in.

    Attributes:
        name: its label ``alertname``; `NAMELESS` without one.
        status: its own, never that of the group: a firing group may hold resolved alerts.
        labels: all of them, the name too.
        annotations: all of them.
        starts_at: as it stands there; "" when missing.
        fingerprint: of its labels; made of them here when missing.
    """

    name: str
    status: Status
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    starts_at: str
    fingerprint: str

    @property
    def delivery(self) -> str:
        """What two deliveries of the same news have in common, as a digest."""
        return _digest([self.fingerprint, self.starts_at, self.status])


class Payload(NamedTuple):
    """A webhook.

    Attributes:
        alerts: in the order of the webhook.
        truncated: how many more its sender left out, or we did.
    """

    alerts: tuple[Alert, ...]
    truncated: int


def read_payload(body: bytes) -> Payload:
    """Read the body of a webhook.

    Raises:
        InvalidPayload: it is too large, no JSON, or no webhook.
    """
    if len(body) > MAX_BYTES:
        raise InvalidPayload(f"the payload is larger than {MAX_BYTES // 1024 // 1024} MiB")
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise InvalidPayload("the payload is no JSON") from None
    return parse_payload(value)


def parse_payload(value: Any) -> Payload:
    """The same for JSON that has been read.

    Raises:
        InvalidPayload: it is no webhook.
    """
    if not isinstance(value, Mapping):
        raise InvalidPayload("the payload is no JSON object")
    given = value.get("alerts")
    if not isinstance(given, list):
        raise InvalidPayload("the payload has no list of alerts; Alertmanager webhook 4 is needed")
    version = value.get("version", "4")
    if version not in ("4", 4):
        raise InvalidPayload("the payload is of another version than Alertmanager webhook 4")
    common = (_texts(value, "commonLabels"), _texts(value, "commonAnnotations"))
    looked_at = given[:MAX_ALERTS]
    alerts = tuple(_alert(one, value, common) for one in looked_at if isinstance(one, Mapping))
    if given and not alerts:
        raise InvalidPayload("the payload's alerts are no JSON objects")
    left_out = value.get("truncatedAlerts")
    truncated = left_out if type(left_out) is int and 0 < left_out < 2**53 else 0
    return Payload(alerts, truncated + len(given) - len(alerts))


def _alert(
    one: Mapping[str, Any],
    group: Mapping[str, Any],
    common: tuple[dict[str, str], dict[str, str]],
) -> Alert:
    labels = common[0] | _texts(one, "labels")
    annotations = common[1] | _texts(one, "annotations")
    name = labels.get("alertname", "").strip() or _texts(group, "groupLabels").get("alertname", "")
    status = one.get("status", group.get("status"))
    starts_at, fingerprint = one.get("startsAt"), one.get("fingerprint")
    if not isinstance(fingerprint, str) or not fingerprint:
        fingerprint = _digest(sorted(labels.items()))[:16]
    return Alert(
        name=name[:MAX_NAME] or NAMELESS,
        status="resolved" if status == "resolved" else "firing",
        labels=labels,
        annotations=annotations,
        starts_at=starts_at[:100] if isinstance(starts_at, str) else "",
        fingerprint=searchable(fingerprint[:100]),
    )


def _texts(value: Mapping[str, Any], key: str) -> dict[str, str]:
    found = value.get(key)
    if not isinstance(found, Mapping):
        return {}
    return {
        searchable(str(name)[:MAX_NAME]): searchable(str(text)[:MAX_VALUE])
        for name, text in islice(found.items(), MAX_TEXTS)
        if isinstance(text, str | int | float)
    }


def _digest(parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts).encode("ascii")).hexdigest()
