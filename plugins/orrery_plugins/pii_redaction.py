"""Redaction: credentials and personal data never reach the model, the session or a log."""

from __future__ import annotations

from orrery_knowledge.screening import redact_credentials, redact_personal
from orrery_plugins.results import Tree, map_strings
from orrery_plugins.stage_plugin import StagePlugin
from orrery_plugins.stages import Call


class PIIRedaction:
    """Replaces credentials and personal data in every string, keys included."""

    name = "redaction"
    records = False

    def apply(self, tree: Tree, call: Call) -> Tree:
        """Return the tree redacted."""

        def redact(text: str) -> str:
            for rule_set in (redact_credentials, redact_personal):
                screened = rule_set(text)
                call.findings.update(finding.rule for finding in screened.findings)
                text = screened.text
            return text

        redacted: Tree = map_strings(tree, redact)
        return redacted


class PIIRedactionPlugin(StagePlugin):
    """The redaction stage as a plugin of its own. Register it after the safety screen."""

    def __init__(self, name: str = "orrery_pii_redaction") -> None:
        super().__init__(name, [PIIRedaction()])
