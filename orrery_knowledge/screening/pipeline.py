"""All stages in the order of the guard."""

from __future__ import annotations

from orrery_knowledge.screening import controls, credentials, injections, personal
from orrery_knowledge.screening.fencing import screen_inside
from orrery_knowledge.screening.findings import Screened

SCREENING_VERSION = "3"
"""Part of every document's processing key: raise it when a rule changes what a text becomes."""


def screen(text: str) -> Screened:
    """Injections, control characters, credentials, personal data; a second time changes nothing.

    Args:
        text: any str, lone surrogates and control characters included; no control character but
            line feed and tab comes back.

    Returns:
        the screened text, and findings with offsets in the text that was given.
    """
    # Control characters go after what they hide was judged, and before what they cut into pieces.
    return screen_inside(text, injections.edits, controls.edits, credentials.edits, personal.edits)
