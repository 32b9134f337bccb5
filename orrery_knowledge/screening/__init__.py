"""Screening: pure text in, text and findings out."""

from __future__ import annotations

from orrery_knowledge.screening.canonical import Canonical, canonical
from orrery_knowledge.screening.capping import cap
from orrery_knowledge.screening.credentials import redact_credentials
from orrery_knowledge.screening.fencing import fence, is_fenced, unfence
from orrery_knowledge.screening.findings import Finding, Screened
from orrery_knowledge.screening.injections import screen_injections
from orrery_knowledge.screening.personal import redact_personal
from orrery_knowledge.screening.pipeline import SCREENING_VERSION, screen

__all__ = [
    "SCREENING_VERSION",
    "Canonical",
    "Finding",
    "Screened",
    "canonical",
    "cap",
    "fence",
    "is_fenced",
    "redact_credentials",
    "redact_personal",
    "screen",
    "screen_injections",
    "unfence",
]
