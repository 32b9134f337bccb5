"""Screening that knows again what it has seen lately."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from orrery_knowledge.screening.findings import Screened

REMEMBERED = 4_096
REMEMBERED_CHARACTERS = 4_000
"""How many texts of at most this length are known again: 16 MB a function, if all are as long."""


def remembering(screen: Callable[..., Screened]) -> Callable[..., Screened]:
    """The same function of one or several strings, with a memory.

    A passage is screened when its search ends, when its event is kept, and with each request of
    the rest of the conversation. Long texts are not kept: they rarely come again.
    """
    remembered = lru_cache(maxsize=REMEMBERED)(screen)

    def known(*texts: str) -> Screened:
        if any(len(text) > REMEMBERED_CHARACTERS for text in texts):
            return screen(*texts)
        return remembered(*texts)

    return known
