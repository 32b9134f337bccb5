"""Screening: pure text in, text and findings out."""

from __future__ import annotations

from orrery_knowledge.screening.canonical import Canonical, canonical
from orrery_knowledge.screening.capping import cap
from orrery_knowledge.screening.controls import label_text, noticed
from orrery_knowledge.screening.credentials import redact_credentials
from orrery_knowledge.screening.detectors import InjectionDetector
from orrery_knowledge.screening.fencing import fence, is_fenced, unfence
from orrery_knowledge.screening.findings import Finding, Screened
from orrery_knowledge.screening.injections import screen_injections
from orrery_knowledge.screening.neighbours import screen_neighbours
from orrery_knowledge.screening.personal import PERSONAL_KINDS, redact_personal
from orrery_knowledge.screening.pipeline import SCREENING_VERSION, screen
from orrery_knowledge.screening.remembering import remembering
from orrery_knowledge.screening.structured import redact_tree

__all__ = [
    "PERSONAL_KINDS",
    "SCREENING_VERSION",
    "Canonical",
    "Finding",
    "InjectionDetector",
    "Screened",
    "canonical",
    "cap",
    "fence",
    "is_fenced",
    "label_text",
    "noticed",
    "redact_credentials",
    "redact_personal",
    "redact_tree",
    "remembering",
    "screen",
    "screen_injections",
    "screen_neighbours",
    "unfence",
]
