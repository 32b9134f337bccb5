"""What the stages have nothing to do with, known again: a conversation comes with each request.

Only digests are kept, and only of what came through unchanged. Whatever differs by a character, or
was changed the last time, goes through the stages.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Sequence
from hashlib import sha256
from threading import Lock

from orrery_plugins.results import Tree, normalise
from orrery_plugins.stages import Call, Stage, scrub

MOST = 8_192
"""How many digests are kept, about a megabyte of them; the one that was asked for longest ago goes
first."""


class Seen:
    """Runs stages over results that come again and again.

    Args:
        stages: what each gives must follow from the tree and the tool's name alone, which a stage
            says by an attribute `repeatable`; if one doesn't say so, nothing is remembered.
    """

    def __init__(self, stages: Sequence[Stage]) -> None:
        self._stages = tuple(stages)
        self._repeatable = all(
            stage.records or getattr(stage, "repeatable", False) for stage in self._stages
        )
        self._digests: OrderedDict[bytes, None] = OrderedDict()
        self._lock = Lock()

    def scrub(self, result: object, tool: str = "") -> Tree:
        """The same as `stages.scrub`, but for its time: it fails closed in the same way."""
        call = Call(tool=tool)
        try:
            tree = normalise(result)
        except Exception:
            return scrub(self._stages, result, call)
        digest = _digest(tree, tool)
        if digest is not None and self._knows(digest):
            return tree
        clean = scrub(self._stages, tree, call)
        repeats = self._repeatable and not call.kinds
        if repeats and digest is not None and _digest(clean, tool) == digest:
            self._remember(digest)
        return clean

    def _knows(self, digest: bytes) -> bool:
        with self._lock:
            known = digest in self._digests
            if known:
                self._digests.move_to_end(digest)
            return known

    def _remember(self, digest: bytes) -> None:
        with self._lock:
            self._digests[digest] = None
            while len(self._digests) > MOST:
                self._digests.popitem(last=False)


def _digest(tree: Tree, tool: str) -> bytes | None:
    # As JSON a tree is written in one way only: what differs in type or order differs here.
    try:
        return sha256(json.dumps([tool, tree]).encode()).digest()
    except (TypeError, ValueError):
        # A number of thousands of digits, or what a stage put in that is no JSON.
        return None
