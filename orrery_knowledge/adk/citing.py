"""`cite_check`, the tool with which an agent has its own words checked before it shows them."""

from __future__ import annotations

import logging
from typing import Annotated, Any

from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext
from google.genai import types
from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError
from typing_extensions import override

from orrery_knowledge.adk.declarations import declaration
from orrery_knowledge.errors import KnowledgeOff
from orrery_knowledge.governance.citation_check import MAX_CHARACTERS, cite_check
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.settings import Settings, load_settings

logger = logging.getLogger(__name__)

NAME = "cite_check"

DESCRIPTION = """\
Check a text that you are about to give to a person: an answer or a proposal. It is compared with
what search_knowledge gave you in this conversation. status "ok": it cites, and every citation was
given to you and every quote stands in what is cited beside it. status "rejected": `problems` says
what is wrong; mend that and check again, or leave the statement out. Never show a rejected text.
status "unavailable": nothing could be checked; say that the citations are unchecked.
status "invalid": the argument is wrong; `reason` says how."""

_TEXT = "The whole text, in Markdown, with its citations as they were given to you."


class CheckArguments(BaseModel):
    """The argument as a model may give it; ADK checks none."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    text: Annotated[str, StringConstraints(min_length=1, max_length=MAX_CHARACTERS)]


class CiteCheckTool(BaseTool):
    """Checks a text against the evidence of the session; it changes nothing and never raises.

    Args:
        ledger: with the evidence; opened on first use.
        investigation: whose evidence counts; the session's by default.
    """

    def __init__(self, ledger: Ledger, *, investigation: str | None = None) -> None:
        super().__init__(name=NAME, description=DESCRIPTION)
        self._ledger = ledger
        self._investigation = investigation

    @override
    def _get_declaration(self) -> types.FunctionDeclaration:
        return declaration(self, {"text": _TEXT}, ["text"])

    @override
    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> dict[str, Any]:
        """Check. Anything but a cancellation comes back as a status."""
        try:
            asked = CheckArguments.model_validate(args)
        except ValidationError:
            reason = f"give one argument, text: a string of at most {MAX_CHARACTERS} characters"
            return {"status": "invalid", "reason": reason}
        try:
            await self._ledger.open()
            investigation = self._investigation or tool_context.session.id
            found = await cite_check(self._ledger, asked.text, investigation)
        except Exception as error:
            # The class only: the message may hold a connection string.
            logger.error("%s failed: %s", self.name, type(error).__name__)
            reason = f"the check failed ({type(error).__name__})"
            return {"status": "unavailable", "reason": reason}
        status = "ok" if found.ok else "rejected"
        return {"status": status, **found.model_dump(mode="json", exclude={"ok"})}


def cite_check_tool(settings: Settings | None = None) -> CiteCheckTool | None:
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

    return CiteCheckTool(build_ledger(settings))
