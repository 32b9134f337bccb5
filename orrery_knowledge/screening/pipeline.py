"""All stages in the order of the guard."""

from __future__ import annotations

from orrery_knowledge.screening import credentials, injections, personal
from orrery_knowledge.screening.fencing import screen_inside
from orrery_knowledge.screening.findings import Screened

SCREENING_VERSION = "1"
"""Part of every document's processing key: raise it when a rule changes what a text becomes."""


def screen(text: str) -> Screened:
    """Injections, then credentials, then personal data; screening the result changes nothing.

    Args:
        text: any str, lone surrogates and control characters included.

    Returns:
        the screened text, and findings with offsets in the text that was given.
    """
    return screen_inside(text, injections.edits, credentials.edits, personal.edits)
