"""The cap: bounds what one tool result may put into the model's context."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from typing import Any

from orrery_knowledge.errors import ConfigurationError
from orrery_knowledge.screening import cap
from orrery_plugins.results import Tree, map_strings, passages_of, size, withheld
from orrery_plugins.stage_plugin import StagePlugin
from orrery_plugins.stages import Call

DEFAULT_LIMIT = 24_000
MIN_LIMIT = 1_000
# Below this, strings tell nothing any more: whole items go instead.
MIN_STRING = 200
SPARE = 4
"""How many times the limit is screened of a result that will be cut to the limit."""


class ToolOutputCap:
    """Keeps a result within a number of characters, counted as JSON.

    Search results lose whole passages, the last first: half a runbook step is worse than none.
    Other results keep the beginnings of their long strings and the first items of long lists.

    Args:
        limit: characters per result.
        uncapped: tools whose results stay whole, by name; ``*`` stands for any characters.
    """

    name = "cap"
    records = False
    repeatable = True

    def __init__(self, limit: int = DEFAULT_LIMIT, uncapped: Sequence[str] = ()) -> None:
        if limit < MIN_LIMIT:
            raise ConfigurationError(f"the output cap must be at least {MIN_LIMIT} characters")
        self.limit = limit
        self.uncapped = tuple(uncapped)

    def bound(self, tree: Tree, call: Call) -> Tree:
        """Leave out what the cap will drop in any case, so that nobody screens it in vain.

        Only whole items go, from the end on, and far behind the limit: what is cut in half here
        would look harmless to those that screen it.
        """
        if self._exempts(call) or passages_of(tree):
            return tree
        bounded: Tree = _first(tree, [self.limit * SPARE])
        return bounded

    def apply(self, tree: Tree, call: Call) -> Tree:
        """Return a tree of at most `limit` characters."""
        if self._exempts(call) or size(tree) <= self.limit:
            return tree
        if passages_of(tree):
            tree = self._drop_passages(tree, call)
        if size(tree) > self.limit:
            tree = self._truncate(tree, call)
        if size(tree) > self.limit:
            return withheld(f"the result is longer than {self.limit} characters")
        return tree

    def _exempts(self, call: Call) -> bool:
        return any(fnmatchcase(call.tool, name) for name in self.uncapped)

    def _drop_passages(self, tree: Tree, call: Call) -> Tree:
        passages = list(tree["passages"])
        found = len(passages)
        rest = size({**tree, "passages": [], "omitted_passages": found})
        # ", " between two items is counted with each.
        sizes = [size(passage) + 2 for passage in passages]
        while passages and rest + sum(sizes[: len(passages)]) > self.limit:
            citation = passages.pop().get("citation")
            if isinstance(citation, str):
                call.not_issued.append(citation)
        if not passages:
            return withheld(f"every passage is longer than {self.limit} characters")
        return {**tree, "passages": passages, "omitted_passages": found - len(passages)}

    def _truncate(self, tree: Tree, call: Call) -> Tree:
        call.truncated += 1
        short: Tree = _shortened(tree, self.limit)
        return short


class ToolOutputCapPlugin(StagePlugin):
    """The cap as a plugin of its own. Register it after the redaction.

    Args:
        limit: characters per result.
        uncapped: see `ToolOutputCap`.
        name: the plugin's name in ADK.
    """

    def __init__(
        self,
        limit: int = DEFAULT_LIMIT,
        name: str = "orrery_output_cap",
        *,
        uncapped: Sequence[str] = (),
    ) -> None:
        super().__init__(name, [ToolOutputCap(limit, uncapped)])


def _first(value: Any, room: list[int]) -> Any:
    """Keep items while there is room for a beginning; the one that fills it is kept whole."""
    if isinstance(value, list):
        kept: list[Any] = []
        for number, item in enumerate(value):
            if room[0] <= 0:
                return [*kept, f"[{len(value) - number} more items, truncated]"]
            kept.append(_first(item, room))
        return kept
    if isinstance(value, dict):
        tree: Tree = {}
        for number, (key, item) in enumerate(value.items()):
            if room[0] <= 0:
                return {**tree, "truncated": len(value) - number}
            room[0] -= len(key) + 4
            tree[key] = _first(item, room)
        return tree
    room[0] -= len(value) + 4 if isinstance(value, str) else 8
    return value


def _longest(tree: Tree) -> int:
    lengths = [0]

    def note(text: str) -> str:
        lengths.append(len(text))
        return text

    map_strings(tree, note)
    return max(lengths)


def _shortened(value: Any, limit: int) -> Any:
    """Cut the long strings of a plain value, then leave out items, until it fits."""
    longest = min(limit, _longest(value))
    short = value
    while longest > MIN_STRING and size(short) > limit:
        longest = longest * 3 // 4
        short = map_strings(value, _cutter(longest))
    return short if size(short) <= limit else _prune(short, limit)


def _cutter(longest: int) -> Callable[[str], str]:
    def cut(text: str) -> str:
        if len(text) <= longest:
            return text
        # JSON as a string stays JSON: its values are cut, not its text.
        if (value := _as_json(text)) is not None:
            short = json.dumps(_shortened(value, longest), ensure_ascii=False)
            if len(short) <= longest:
                return short
        return cap(text, longest)[0]

    return cut


def _as_json(text: str) -> Any:
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


def _prune(value: Any, budget: int) -> Any:
    """Keep the first items of every list and dict, as many as fit; say how many went."""
    if isinstance(value, list):
        kept: list[Any] = []
        budget -= 40  # what the brackets and the marker take
        for number, item in enumerate(value):
            item = item if size(item) <= budget else _prune(item, budget)
            budget -= size(item) + 2
            if budget < 0:
                return [*kept, f"[{len(value) - number} more items, truncated]"]
            kept.append(item)
        return kept
    if isinstance(value, dict):
        tree: Tree = {}
        budget -= 40
        for number, (key, item) in enumerate(value.items()):
            item = item if size(item) <= budget else _prune(item, budget - size(key) - 4)
            budget -= size(key) + size(item) + 4
            if budget < 0:
                return {**tree, "truncated": len(value) - number}
            tree[key] = item
        return tree
    return value
