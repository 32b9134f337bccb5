"""The guard: the four stages as one plugin, first in line."""

from __future__ import annotations

from collections.abc import Sequence

from google.adk.plugins.base_plugin import BasePlugin
from typing_extensions import override

from orrery_knowledge.settings import Settings
from orrery_plugins.audit import Audit, AuditSink
from orrery_plugins.output_cap import DEFAULT_LIMIT, ToolOutputCap
from orrery_plugins.pii_redaction import PIIRedaction
from orrery_plugins.safety_screen import SafetyScreen
from orrery_plugins.stage_plugin import StagePlugin
from orrery_plugins.stages import Stage


class GuardPlugin(StagePlugin):
    """Runs safety, redaction, cap and audit over every tool result, and refuses to stand second.

    Args:
        stages: the stages in order; the recommended four by default.
        name: the plugin's name in ADK.
    """

    def __init__(self, stages: Sequence[Stage] | None = None, name: str = "orrery_guard") -> None:
        super().__init__(name, recommended_stages() if stages is None else stages)

    @override
    def may_follow(self, plugin: BasePlugin) -> bool:
        """The guard follows nobody."""
        return False


def recommended_stages(
    *, limit: int = DEFAULT_LIMIT, sink: AuditSink | None = None
) -> tuple[Stage, ...]:
    """Safety, redaction, cap, audit.

    The cap comes after the redaction, since a cut secret no longer looks like one; the audit comes
    last, since it notes what the model sees.
    """
    return (SafetyScreen(), PIIRedaction(), ToolOutputCap(limit), Audit(sink))


def knowledge_plugins(
    settings: Settings | None = None, *, limit: int = DEFAULT_LIMIT, sink: AuditSink | None = None
) -> list[BasePlugin]:
    """The plugins to give to an App, before any other.

    Args:
        settings: holds nothing for the guard, which runs whether knowledge is on or off. What it
            drops of a search is marked in the evidence through the tool that searched.
        limit: characters that one tool result may have.
        sink: gets the audit records; see `Audit`.
    """
    return [GuardPlugin(recommended_stages(limit=limit, sink=sink))]
