"""Safety: instructions hidden in results are neutralised, passages are fenced as data."""

from __future__ import annotations

from functools import partial

from orrery_knowledge.screening import (
    InjectionDetector,
    fence,
    is_fenced,
    remembering,
    screen_injections,
)
from orrery_plugins.neighbours import screen_joined
from orrery_plugins.results import Tree, passages_of
from orrery_plugins.stage_plugin import StagePlugin
from orrery_plugins.stages import Call, screen_strings

TAINT = "orrery_guard"
"""The key under which a result says that something in it was neutralised. It only ever says yes:
a tool that writes it makes itself look worse."""

INJECTION, HIDDEN = "injection", "hidden"


class SafetyScreen:
    """Neutralises injected instructions in every string and across neighbours, fences passages.

    Args:
        detector: asked about each string behind the rules; when it fails, the result is withheld.
    """

    name = "safety"
    records = False
    repeatable = True

    def __init__(self, detector: InjectionDetector | None = None) -> None:
        self._screen = remembering(partial(screen_injections, detector=detector))

    def apply(self, tree: Tree, call: Call) -> Tree:
        """Return the tree neutralised; passages that are fenced already stay as they are.

        A tree in which something was found says so under ``orrery_guard``.
        """
        found = Call()
        clean = screen_joined(screen_strings(tree, self._screen, found), found)
        call.findings.update(found.findings)
        call.kinds.update(found.kinds)
        if found.kinds[INJECTION] or found.kinds[HIDDEN]:
            clean[TAINT] = {"tainted": True, "neutralised": found.kinds.total()}
        for passage in passages_of(clean) or ():
            if not is_fenced(passage["text"]):
                source = passage.get("citation")
                passage["text"] = fence(
                    passage["text"], source=source if isinstance(source, str) else "unknown"
                )
        return clean


class SafetyScreenPlugin(StagePlugin):
    """The safety stage as a plugin of its own. Register it before the other three.

    Args:
        name: the plugin's name in ADK.
        detector: see `SafetyScreen`.
    """

    def __init__(
        self, name: str = "orrery_safety_screen", *, detector: InjectionDetector | None = None
    ) -> None:
        super().__init__(name, [SafetyScreen(detector)])
