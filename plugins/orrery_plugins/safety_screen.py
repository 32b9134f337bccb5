"""Safety: instructions hidden in results are neutralised, passages are fenced as data."""

from __future__ import annotations

from orrery_knowledge.screening import fence, is_fenced, screen_injections
from orrery_plugins.neighbours import screen_joined
from orrery_plugins.results import Tree, passages_of
from orrery_plugins.stage_plugin import StagePlugin
from orrery_plugins.stages import Call, screen_strings


class SafetyScreen:
    """Neutralises injected instructions in every string and across neighbours, fences passages."""

    name = "safety"
    records = False

    def apply(self, tree: Tree, call: Call) -> Tree:
        """Return the tree neutralised; passages that are fenced already stay as they are."""
        clean = screen_joined(screen_strings(tree, screen_injections, call), call)
        for passage in passages_of(clean) or ():
            if not is_fenced(passage["text"]):
                source = passage.get("citation")
                passage["text"] = fence(
                    passage["text"], source=source if isinstance(source, str) else "unknown"
                )
        return clean


class SafetyScreenPlugin(StagePlugin):
    """The safety stage as a plugin of its own. Register it before the other three."""

    def __init__(self, name: str = "orrery_safety_screen") -> None:
        super().__init__(name, [SafetyScreen()])
