"""What the tests of injections share: a request between two paragraphs, and ordinary text."""

from __future__ import annotations

from orrery_knowledge.screening import screen_injections

BEFORE = "# Disk pressure\n\nDrain the node first, then look at the disks.\n\n"
AFTER = "\n\nAfterwards check the quorum.\n"


def goes_alone(payload: str) -> None:
    """Assert that a payload between two paragraphs is withheld, and they are not."""
    screened = screen_injections(BEFORE + payload + AFTER)
    assert screened.tainted
    assert screened.text.startswith(BEFORE)
    assert screened.text.endswith(AFTER)
    assert payload not in screened.text


def stays(text: str) -> None:
    """Assert that nothing is found in a text."""
    screened = screen_injections(text)
    assert (screened.text, screened.findings) == (text, ())
