"""Stages as an ADK plugin: every hook through which a tool's result can reach the model.

ADK stops a plugin chain at the first value that isn't None, even at the same dict. So dicts are
edited in place and None is returned. What isn't a dict can't be edited: the first plugin of ours
to see it runs the stages of its later siblings too and returns a dict.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Sequence
from typing import Any

from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.invocation_context import InvocationContext
from google.adk.events.event import Event
from google.adk.models.llm_request import LlmRequest
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext
from google.genai import types
from typing_extensions import override

from orrery_knowledge.errors import ConfigurationError
from orrery_plugins.parts import clean_outputs, clean_quotes, holds_data
from orrery_plugins.results import Tree, citations_of, dropped, replace
from orrery_plugins.seen import Seen
from orrery_plugins.stages import Call, Stage, call_of, class_name, finish, run_stages, scrub

logger = logging.getLogger(__name__)

# What a client answers here is for ADK itself and holds no tool's result.
_PROTOCOL_RESPONSES = frozenset({"adk_request_confirmation", "adk_request_credential"})


class StagePlugin(BasePlugin):
    """Runs stages over tool results.

    Args:
        name: the plugin's name in ADK.
        stages: the stages, in order.
    """

    def __init__(self, name: str, stages: Sequence[Stage]) -> None:
        super().__init__(name)
        self.stages = tuple(stages)
        self._seen = Seen(self.stages)

    @property
    def orrery_stages(self) -> tuple[str, ...]:
        """Names of the stages: by them `check_agent` knows a guard without importing it."""
        return tuple(stage.name for stage in self.stages)

    def may_follow(self, plugin: BasePlugin) -> bool:
        """Whether this plugin may stand behind another: another one of ours hides nothing."""
        return isinstance(plugin, StagePlugin)

    @override
    async def before_run_callback(self, *, invocation_context: InvocationContext) -> None:
        """Refuse to run where results could reach the model unseen by this plugin.

        Raises:
            ConfigurationError: another plugin stands before this one, or the run's configuration
                has the server run code.
        """
        run_config = invocation_context.run_config
        if run_config is not None and run_config.support_cfc:
            raise ConfigurationError(
                "RunConfig(support_cfc=True) has the server run code, whose output no plugin "
                "sees; leave it out"
            )
        for plugin in invocation_context.plugin_manager.plugins:
            if plugin is self:
                return
            if not self.may_follow(plugin):
                raise ConfigurationError(
                    f"plugin {plugin.name!r} stands before {self.name!r} and could hide tool "
                    f"results from it; put {self.name!r} first in the list of plugins"
                )

    @override
    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> None:
        """Note when the call began."""
        call_of(tool, tool_args, tool_context)

    @override
    async def after_tool_callback(
        self,
        *,
        tool: BaseTool,
        tool_args: dict[str, Any],
        tool_context: ToolContext,
        result: Any,
    ) -> dict[str, Any] | None:
        """Run the stages over whatever the tool returned."""
        call = call_of(tool, tool_args, tool_context)
        if result is None or (_answers_later(tool) and _is_falsy(result)):
            # An answer given here would end a call whose result is still to come.
            self._record({"status": "pending"} if _answers_later(tool) else {}, call)
            return None
        if isinstance(result, dict):
            given = citations_of(result)
            tree = await self._run(self.stages, result, call)
            await _take_back(tool, dropped(given, tree), tool_context)
            return None if _replaced(result, tree) else tree
        stages = (*self.stages, *self._later_stages(tool_context))
        return await self._run(stages, result, call)

    @override
    async def on_tool_error_callback(
        self,
        *,
        tool: BaseTool,
        tool_args: dict[str, Any],
        tool_context: ToolContext,
        error: BaseException,
    ) -> dict[str, Any] | None:
        """Answer a failed call by the class of the exception: its text may hold anything."""
        if isinstance(error, asyncio.CancelledError):
            self._record({"status": "cancelled"}, call_of(tool, tool_args, tool_context))
            return None
        if type(tool) is BaseTool:
            # ADK's stand-in for a name that the model made up. Its own answer lists the tools;
            # no after-tool hook follows.
            self._record({"status": "error"}, call_of(tool, tool_args, tool_context))
            return None
        return {"status": "error", "error": class_name(error), "reason": "the tool failed"}

    @override
    async def on_event_callback(
        self, *, invocation_context: InvocationContext, event: Event
    ) -> None:
        """Clean what goes into the session, whatever put it there after the tool's own hooks."""
        self._scrub_responses(event.content)
        clean_outputs(event.content, self._clean)
        if event.output is not None:
            # A copy: the next node of a workflow works with the value itself.
            tree = self._seen.scrub(event.output)
            event.output = tree if isinstance(event.output, dict) else tree.get("result", tree)
        if event.error_message:
            event.error_message = self._clean(event.error_message)

    @override
    async def on_user_message_callback(
        self, *, invocation_context: InvocationContext, user_message: types.Content
    ) -> None:
        """Clean results of long-running tools that a client sends; never the user's words."""
        self._scrub_responses(user_message, skip=_PROTOCOL_RESPONSES)

    @override
    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> None:
        """Clean what came into the request on a way of its own, and what other agents said."""
        # Copies: parts of a request may be the very objects that a session in memory holds.
        llm_request.contents = [self._scrubbed(content) for content in llm_request.contents]

    def _scrubbed(self, content: types.Content) -> types.Content:
        if not holds_data(content):
            return content
        content = content.model_copy(deep=True)
        self._scrub_responses(content)
        clean_outputs(content, self._clean)
        clean_quotes(content, self._clean)
        return content

    def _clean(self, text: str) -> str:
        return str(self._seen.scrub(text).get("result", "withheld"))

    def _scrub_responses(
        self, content: types.Content | None, *, skip: frozenset[str] = frozenset()
    ) -> None:
        for part in (content.parts if content else None) or []:
            answer = part.function_response
            if answer is None or not answer.response or answer.name in skip:
                continue
            # In place: ADK may hold the same dict elsewhere, for a call that it resumes.
            tree = self._seen.scrub(answer.response, answer.name or "")
            if not _replaced(answer.response, tree):
                answer.response = tree

    async def _run(self, stages: Sequence[Stage], result: object, call: Call) -> Tree:
        # In a thread: a long result must not hold up the other turns of this event loop.
        tree = await asyncio.to_thread(scrub, stages, result, call)
        return finish(stages, citations_of(result), tree, call)

    def _later_stages(self, context: ToolContext) -> Iterable[Stage]:
        plugins = context.get_invocation_context().plugin_manager.plugins
        position = next((i for i, plugin in enumerate(plugins) if plugin is self), len(plugins))
        for plugin in plugins[position + 1 :]:
            if isinstance(plugin, StagePlugin):
                yield from plugin.stages

    def _record(self, tree: Tree, call: Call) -> None:
        run_stages([stage for stage in self.stages if stage.records], tree, call)


async def _take_back(tool: BaseTool, citations: list[str], context: ToolContext) -> None:
    """Have the evidence say that passages were not issued, where the tool keeps evidence.

    When that fails the answer goes out all the same: it is clean, and the evidence then claims
    more than the model got, never less. The audit record names the passages too.
    """
    mark = getattr(tool, "mark_not_issued", None)
    if not citations or mark is None:
        return
    try:
        await mark(citations, context)
    except Exception as error:
        logger.warning(
            "%d passages were dropped, but the evidence still shows them as issued (%s)",
            len(citations),
            class_name(error),
        )


def _answers_later(tool: BaseTool) -> bool:
    return bool(tool.is_long_running or getattr(tool, "_defers_response", False))


def _is_falsy(result: object) -> bool:
    try:
        return not result
    except Exception:
        # An object that can't say (an array, ...) is a result.
        return False


def _replaced(result: dict[Any, Any], tree: Tree) -> bool:
    """Replace in place; False when the dict would not let that happen."""
    try:
        replace(result, tree)
    except Exception:
        return False
    return True
