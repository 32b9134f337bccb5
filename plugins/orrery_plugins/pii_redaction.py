"""Redaction: credentials and personal data never reach the model, the session or a log."""

from __future__ import annotations

from orrery_knowledge.screening import redact_personal, redact_tree, remembering
from orrery_plugins.results import Tree
from orrery_plugins.stage_plugin import StagePlugin
from orrery_plugins.stages import Call, screen_strings


class PIIRedaction:
    """Replaces credentials and personal data in every string, keys included.

    A credential is also known by the key, pair, list or column that names it (see
    `orrery_knowledge.screening.structured`).
    """

    name = "redaction"
    records = False

    def __init__(self) -> None:
        self._screen = remembering(redact_personal)

    def apply(self, tree: Tree, call: Call) -> Tree:
        """Return the tree redacted."""
        clean: Tree = redact_tree(tree, call.note)
        return screen_strings(clean, self._screen, call)


class PIIRedactionPlugin(StagePlugin):
    """The redaction stage as a plugin of its own. Register it after the safety screen."""

    def __init__(self, name: str = "orrery_pii_redaction") -> None:
        super().__init__(name, [PIIRedaction()])
