"""The guard for ADK agents: every tool result is screened, redacted, capped and audited."""

from orrery_plugins.audit import Audit, AuditPlugin, AuditSink
from orrery_plugins.guard import GuardPlugin, knowledge_plugins, recommended_stages
from orrery_plugins.output_cap import ToolOutputCap, ToolOutputCapPlugin
from orrery_plugins.pii_redaction import PIIRedaction, PIIRedactionPlugin
from orrery_plugins.safety_screen import SafetyScreen, SafetyScreenPlugin
from orrery_plugins.stages import Call, Stage

__all__ = [
    "Audit",
    "AuditPlugin",
    "AuditSink",
    "Call",
    "GuardPlugin",
    "PIIRedaction",
    "PIIRedactionPlugin",
    "SafetyScreen",
    "SafetyScreenPlugin",
    "Stage",
    "ToolOutputCap",
    "ToolOutputCapPlugin",
    "knowledge_plugins",
    "recommended_stages",
]
