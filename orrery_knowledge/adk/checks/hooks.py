"""Calls hooks that could put text past the guard, and looks at what they do."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from functools import partial
from typing import Any

from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.invocation_context import InvocationContext
from google.adk.agents.llm_agent import LlmAgent
from google.adk.events.event import Event
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.genai import types

from orrery_knowledge.adk.checks import probe, verdicts
from orrery_knowledge.adk.checks.rules import Rule

TURNS = 2
"""How often each hook is called: some do nothing before the second turn."""


async def rules_of_plugin(
    plugin: BasePlugin, request: LlmRequest, context: InvocationContext
) -> list[Rule]:
    """What a plugin behind the guard puts into a conversation when its hooks are called."""
    rules: list[Rule] = []
    for hook, call in _calls(plugin, request, context).items():
        if getattr(type(plugin), hook) is not getattr(BasePlugin, hook):
            rules += [rule async for rule in _watched(plugin, hook, call, context)]
    return rules


async def rules_of_callbacks(agent: LlmAgent, context: InvocationContext) -> list[Rule]:
    """What an agent's own callbacks around it and its model put into a conversation."""
    callback = CallbackContext(context)
    hooks = {
        "before_agent_callback": _bound(
            agent.canonical_before_agent_callbacks, callback_context=callback
        ),
        "after_agent_callback": _bound(
            agent.canonical_after_agent_callbacks, callback_context=callback
        ),
        "after_model_callback": _bound(
            agent.canonical_after_model_callbacks,
            callback_context=callback,
            llm_response=_answer(),
        ),
    }
    return [
        rule
        for hook, calls in hooks.items()
        for call in calls
        async for rule in _watched(agent, hook, call, context)
    ]


def _calls(
    plugin: BasePlugin, request: LlmRequest, context: InvocationContext
) -> dict[str, Callable[[], Any]]:
    callback = CallbackContext(context)
    agent: Any = context.agent

    async def of_request() -> LlmRequest | None:
        asked = request.model_copy(deep=True)
        before = probe.text_of(asked)
        answered = await plugin.before_model_callback(callback_context=callback, llm_request=asked)
        seen, had = probe.look_at(asked), probe.look_at(request)
        changed = probe.text_of(asked) != before or seen.server_tools != had.server_tools
        return asked if changed or answered is not None else None

    async def of_message() -> Any:
        message = types.Content(role="user", parts=[types.Part(text=probe.QUESTION)])
        before = message.model_dump_json()
        given = await plugin.on_user_message_callback(
            invocation_context=context, user_message=message
        )
        return given if given is not None else message.model_dump_json() != before or None

    async def of_event() -> Any:
        event = Event(author=agent.name, content=types.ModelContent("An answer."))
        before = event.model_dump_json()
        given = await plugin.on_event_callback(invocation_context=context, event=event)
        return given if given is not None else event.model_dump_json() != before or None

    async def of_answer() -> Any:
        response = _answer()
        before = response.model_dump_json()
        given = await plugin.after_model_callback(callback_context=callback, llm_response=response)
        return given if given is not None else response.model_dump_json() != before or None

    return {
        "before_model_callback": of_request,
        "on_user_message_callback": of_message,
        "on_event_callback": of_event,
        "after_model_callback": of_answer,
        "before_run_callback": lambda: plugin.before_run_callback(invocation_context=context),
        "before_agent_callback": lambda: plugin.before_agent_callback(
            agent=agent, callback_context=callback
        ),
        "after_agent_callback": lambda: plugin.after_agent_callback(
            agent=agent, callback_context=callback
        ),
    }


async def _watched(
    owner: object, hook: str, call: Callable[[], Any], context: InvocationContext
) -> AsyncIterator[Rule]:
    """Call a hook; a finding if it gives or changes anything, or writes into the session."""
    for _ in range(TURNS):
        events = len(context.session.events)
        try:
            given = call()
            if isinstance(given, Awaitable):
                given = await given
        except Exception as error:
            yield verdicts.unprobed(f"its {hook} ({type(error).__name__})")
            return
        if given is not None or len(context.session.events) != events:
            yield Rule(
                hook,
                f"the {hook} of {type(owner).__name__} puts text into the conversation that the "
                "guard has not seen",
                "let a tool return that text, or waive it by name with the reason, if it was "
                "never looked up",
            )
            return


def _bound(callbacks: Iterable[Callable[..., Any]], **given: Any) -> list[Callable[[], Any]]:
    return [partial(callback, **given) for callback in callbacks]


def _answer() -> LlmResponse:
    return LlmResponse(content=types.ModelContent("An answer."))
