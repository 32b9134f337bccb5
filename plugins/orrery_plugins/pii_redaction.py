"""Redaction: credentials and personal data never reach the model, the session or a log."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

from orrery_knowledge.models import PersonalKind
from orrery_knowledge.screening import PERSONAL_KINDS, redact_personal, redact_tree, remembering
from orrery_plugins.results import Tree
from orrery_plugins.stage_plugin import StagePlugin
from orrery_plugins.stages import Call, screen_strings


class PIIRedaction:
    """Replaces credentials and personal data in every string, keys included.

    A credential is also known by the key, pair, list or column that names it (see
    `orrery_knowledge.screening.structured`).

    Args:
        personal: kinds of personal data that go; credentials always do.
    """

    name = "redaction"
    records = False
    repeatable = True

    def __init__(self, personal: Collection[PersonalKind] = PERSONAL_KINDS) -> None:
        self._kinds = frozenset(personal)
        self._screen = remembering(partial(redact_personal, kinds=self._kinds))

    def apply(self, tree: Tree, call: Call) -> Tree:
        """Return the tree redacted."""
        clean: Tree = redact_tree(tree, call.note, self._kinds)
        return screen_strings(clean, self._screen, call)


class PIIRedactionPlugin(StagePlugin):
    """The redaction stage as a plugin of its own. Register it after the safety screen.

    Args:
        name: the plugin's name in ADK.
        personal: see `PIIRedaction`.
    """

    def __init__(
        self,
        name: str = "orrery_pii_redaction",
        *,
        personal: Collection[PersonalKind] = PERSONAL_KINDS,
    ) -> None:
        super().__init__(name, [PIIRedaction(personal)])
