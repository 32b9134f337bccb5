"""The guard: the four stages as one plugin, first in line."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from google.adk.plugins.base_plugin import BasePlugin
from typing_extensions import override

from orrery_knowledge.errors import KnowledgeOff
from orrery_knowledge.models import PersonalKind
from orrery_knowledge.screening import PERSONAL_KINDS, InjectionDetector
from orrery_knowledge.settings import Guard, Settings, load_settings
from orrery_plugins.audit import Audit, AuditSink
from orrery_plugins.audit_file import AuditFile
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
    *,
    limit: int = DEFAULT_LIMIT,
    uncapped: Sequence[str] = (),
    sink: AuditSink | None = None,
    fail_open: bool = False,
    queries: bool = False,
    detector: InjectionDetector | None = None,
    personal: Collection[PersonalKind] = PERSONAL_KINDS,
) -> tuple[Stage, ...]:
    """Safety, redaction, cap, audit.

    The cap comes after the redaction, since a cut secret no longer looks like one; the audit comes
    last, since it notes what the model sees.
    """
    audit = Audit(sink, fail_open=fail_open, queries=queries)
    return (SafetyScreen(detector), PIIRedaction(personal), ToolOutputCap(limit, uncapped), audit)


def knowledge_plugins(
    settings: Settings | None = None,
    *,
    limit: int | None = None,
    sink: AuditSink | None = None,
    detector: InjectionDetector | None = None,
) -> list[BasePlugin]:
    """The plugins to give to an App, before any other.

    Args:
        settings: its section ``guard`` counts; by default that of the configuration, if there is
            one. The guard runs whether knowledge is on or off.
        limit: characters that one tool result may have, whatever the settings say.
        sink: gets the audit records, whatever the settings say; see `Audit`.
        detector: finds injections that the rules don't; see `SafetyScreen`.

    Raises:
        ConfigurationError: the configuration is wrong, or its audit file can't be written.
    """
    root, guard = _configured(settings)
    if sink is None and guard.audit.file is not None:
        sink = AuditFile(
            root / guard.audit.file, max_bytes=guard.audit.max_bytes, backups=guard.audit.backups
        )
    stages = recommended_stages(
        limit=guard.limit if limit is None else limit,
        uncapped=guard.uncapped,
        sink=sink,
        fail_open=guard.audit.on_failure == "open",
        queries=guard.audit.queries,
        detector=detector,
        personal=guard.personal,
    )
    return [GuardPlugin(stages)]


def _configured(settings: Settings | None) -> tuple[Path, Guard]:
    if settings is None:
        try:
            settings = load_settings()
        except KnowledgeOff:
            return Path(), Guard()
    return settings.root, settings.guard
