"""What to search for when an alert comes in: what is wrong, without where and how much.

An alert's text is a template that was filled in. Its author wrote the words; Prometheus filled in
a pod, an address, a sample. Only the words are shared with a runbook, so what was filled in goes,
by mechanisms and not by a list of names:

- A label's value that holds a digit, or is an address, names an instance. It is no word of the
  query, and where it stands in an annotation it was filled in, so it is cut out there.
- A value that differs between the alerts of a group says where, and is cut out likewise.
- A number with one fraction, a percent sign or an exponent is a sample; a version is not.
- Annotations that are addresses of pages (``runbook_url``, ``dashboard_url``) are no text.
- A label adds words only where its value reads like the name of a condition (``OOMKilled``,
  ``CrashLoopBackOff``): letters alone, in mixed case.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import re2

from orrery_knowledge.alerts.payload import NAMELESS, Alert
from orrery_knowledge.identifiers import MAX_QUERY, bounded_query

FIRST = ("summary", "title", "message", "description")
"""Annotations that come first, in this order; others follow as they stand there."""

_ADDRESS = re2.compile(r"(?i)^[a-z][a-z0-9+.-]*://\S+$")
_SAMPLE = re2.compile(
    r"[-+]?\b[0-9]+(?:\.[0-9]+)*(?:e[-+]?[0-9]+)?\s?%|[-+]?\b[0-9]+(?:\.[0-9]+)+(?:e[-+]?[0-9]+)?\b"
    r"|\b[0-9]+e[-+]?[0-9]+\b"
)
_CONDITION = re2.compile(r"^[A-Za-z]*[A-Z][A-Za-z]*[A-Z][A-Za-z]*$")
_DIGIT = re2.compile(r"[0-9]")


def alert_query(alerts: Sequence[Alert]) -> str:
    """The query of the alerts of one group that share their name: each text once, within bounds.

    Args:
        alerts: at least one; the first one's annotations are taken, the others tell what differs.
    """
    first = alerts[0]
    filled_in = _filled_in(alerts)
    parts: dict[str, None] = {} if first.name == NAMELESS else {first.name: None}
    room = MAX_QUERY
    for text in _texts(first.annotations):
        if room <= 0:
            break
        room -= len(text)
        if cleaned := _without(text, filled_in):
            parts[cleaned] = None
    for label, value in first.labels.items():
        if label != "alertname" and _CONDITION.search(value) and not value.isupper():
            parts[value] = None
    return bounded_query("\n".join(parts))


def _texts(annotations: Mapping[str, str]) -> Iterable[str]:
    names = [name for name in FIRST if name in annotations]
    names += [name for name in annotations if name not in FIRST]
    for name in names:
        text = annotations[name].strip()
        if text and not name.endswith(("_url", "_uri", "_link")) and not _ADDRESS.search(text):
            yield text


def _filled_in(alerts: Sequence[Alert]) -> list[str]:
    """Values that say where, longest first, so that no part of one is left over."""
    values: set[str] = set()
    first = alerts[0].labels
    for label, value in first.items():
        if label == "alertname" or len(value) < 2:
            continue
        differs = any(other.labels.get(label) != value for other in alerts[1:])
        if differs or _DIGIT.search(value) or _ADDRESS.search(value):
            values.add(value)
    return sorted(values, key=lambda value: (-len(value), value))[:64]


def _without(text: str, filled_in: Iterable[str]) -> str:
    for value in filled_in:
        if value in text:
            text = re2.sub(rf"(^|[^\pL\pN_]){re2.escape(value)}($|[^\pL\pN_])", r"\1 \2", text)
    # More than one dot is a version or an address, and stays.
    text = _SAMPLE.sub(lambda found: found[0] if found[0].count(".") > 1 else " ", text)
    return " ".join(text.split())
