"""`record_outcome`, the tool with which an agent notes what was tried and what came of it."""

from __future__ import annotations

import logging
from typing import Annotated, Any, Literal

from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext
from google.genai import types
from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError
from typing_extensions import override

from orrery_knowledge.adk.declarations import declaration
from orrery_knowledge.errors import ConfigurationError, KnowledgeOff
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.governance.outcomes import MAX_OUTCOME
from orrery_knowledge.settings import Settings, load_settings

logger = logging.getLogger(__name__)

NAME = "record_outcome"

DESCRIPTION = """\
Note what a person has tried in this incident and what came of it, or what showed that it was over.
Call it when you are told so, once for each; never for what you only propose. It goes into the draft
of the incident's report. It changes nothing else, and what is noted answers no search before
somebody has approved the report."""

_PARAMETERS = {
    "text": "What was tried, as a command or in few words; or what was observed.",
    "result": "failed, partial or worked for what was tried; observed for the end of the incident.",
    "service": "The service that it was tried on. Leave it out when it is not known.",
}


class OutcomeArguments(BaseModel):
    """The arguments as a model may give them; ADK checks none."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    text: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_OUTCOME)
    ]
    result: Literal["failed", "partial", "worked", "observed"]
    service: Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)] | None = None


class RecordOutcomeTool(BaseTool):
    """Records outcomes under the session's investigation, as said by the agent; never raises.

    Args:
        ledger: where they are kept; opened on first use.
        investigation: under which; the session's id by default.
    """

    def __init__(self, ledger: Ledger, *, investigation: str | None = None) -> None:
        super().__init__(name=NAME, description=DESCRIPTION)
        self._ledger = ledger
        self._investigation = investigation

    @override
    def _get_declaration(self) -> types.FunctionDeclaration:
        return declaration(self, _PARAMETERS, ["text", "result"])

    @override
    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> dict[str, Any]:
        """Record. Anything but a cancellation comes back as a status."""
        try:
            said = OutcomeArguments.model_validate(args)
        except ValidationError:
            reason = "the arguments are text, result (failed, partial, worked, observed), service"
            return {"status": "invalid", "reason": reason}
        try:
            await self._ledger.open()
            done = await self._ledger.record_outcome(
                self._investigation or tool_context.session.id,
                "recovery" if said.result == "observed" else "remedy",
                said.text,
                said.result,
                recorded_by=f"agent {tool_context.agent_name}",
                service=said.service or None,
            )
        except ConfigurationError as error:
            return {"status": "invalid", "reason": str(error)}
        except Exception as error:
            # The class only: the message may hold a connection string.
            logger.error("%s failed: %s", self.name, type(error).__name__)
            return {"status": "unavailable", "reason": f"not recorded ({type(error).__name__})"}
        return {"status": "ok", "recorded": done.text, "result": done.result}


def record_outcome_tool(settings: Settings | None = None) -> RecordOutcomeTool | None:
    """Build the tool from settings; nothing is opened before its first use.

    Args:
        settings: the settings; read from ``orrery.yaml`` and the environment when not given.

    Returns:
        the tool, or None when no backend is configured: knowledge is off.

    Raises:
        ConfigurationError: something is configured, but wrongly.
    """
    try:
        settings = load_settings() if settings is None else settings
    except KnowledgeOff:
        return None
    from orrery_knowledge.runtime import build_ledger

    return RecordOutcomeTool(build_ledger(settings))
