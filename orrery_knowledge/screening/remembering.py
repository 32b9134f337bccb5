"""Screening that knows again what it has seen lately."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, wraps
from hashlib import blake2b

from orrery_knowledge.screening.findings import Edit, Screened, Stage

REMEMBERED = 4_096
REMEMBERED_CHARACTERS = 4_000
"""How many texts of at most this length are known again: 16 MB a function, if all are as long."""
CLEAN = 16_384
"""How many clean texts a stage knows again: up to some 3 MB of digests."""


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


def knowing_clean(stage: Stage, *, known: int = CLEAN) -> Stage:
    """The same stage, which doesn't look again at a text in which it lately changed nothing.

    Retrieval screens with the stages that the guard runs one by one: whatever order they come
    in, each sees a text once. Digests are kept and no texts, so that texts of any length count.

    Args:
        stage: one that makes the same of the same text each time.
        known: how many digests are kept at least; twice as many at most.
    """
    recent: set[bytes] = set()
    older: set[bytes] = set()

    @wraps(stage)
    def edits(text: str) -> Sequence[Edit]:
        nonlocal recent, older
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if digest in recent:
            return ()
        found = () if digest in older else stage(text)
        if not found:
            if len(recent) >= known:
                recent, older = set(), recent
            recent.add(digest)
        return found

    return edits
