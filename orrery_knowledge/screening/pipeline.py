"""All stages in the order of the guard."""

from __future__ import annotations

from collections.abc import Collection

from orrery_knowledge.models import PersonalKind
from orrery_knowledge.screening import controls, credentials, injections, personal
from orrery_knowledge.screening.fencing import screen_inside
from orrery_knowledge.screening.findings import Screened
from orrery_knowledge.screening.personal import PERSONAL_KINDS

SCREENING_VERSION = "5"
"""Part of every document's processing key: raise it when a rule changes what a text becomes."""


def screen(text: str, kinds: Collection[PersonalKind] = PERSONAL_KINDS) -> Screened:
    """Injections, control characters, credentials, personal data; a second time changes nothing.

    Args:
        text: any str, lone surrogates and control characters included; no control character but
            line feed and tab comes back.
        kinds: of personal data that go; everything else is no choice.

    Returns:
        the screened text, and findings with offsets in the text that was given.
    """
    # Control characters go after what they hide was judged, and before what they cut into pieces.
    return screen_inside(
        text,
        injections.edits,
        controls.edits,
        credentials.edits,
        personal.stage_of(kinds),
    )
