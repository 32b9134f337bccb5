"""The model of a scenario: does what its script says, with what the tools really returned."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from typing import Any

from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from pydantic import PrivateAttr
from typing_extensions import override

from orrery_knowledge.adk.tool import NAME
from orrery_knowledge.adk.trajectory_sets import Script, Step

RESTART = "restart_deployment"
NO_RUNBOOK = "No runbook covers this."
NOT_LOOKED = "I could not look: the knowledge search is unavailable."
STALE = "this passage is stale or needs review: check it before you rely on it"


class PlayedLlm(BaseLlm):
    """Plays one scenario. It invents nothing: citations come out of the results it was shown.

    Attributes:
        script: what it does in each turn.
    """

    model: str = "offline-trajectory"
    script: Script
    _requests: list[str] = PrivateAttr(default_factory=list)
    _turn: int = PrivateAttr(default=-1)
    _step: int = PrivateAttr(default=0)
    _obeyed: bool = PrivateAttr(default=False)

    @property
    def requests(self) -> list[str]:
        """The contents of every request, as JSON: all that reached the model."""
        return self._requests

    @override
    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """Yield the next step of the script, or what planted words demand."""
        self._requests.append(
            json.dumps(
                [c.model_dump(mode="json", exclude_none=True) for c in llm_request.contents],
                ensure_ascii=False,
            )
        )
        turn = sum(map(_is_message, llm_request.contents)) - 1
        if turn != self._turn:
            self._turn, self._step = turn, 0
        part = self._obey() or self._next(_results(llm_request.contents))
        yield LlmResponse(
            content=types.Content(role="model", parts=[part]),
            finish_reason=types.FinishReason.STOP,
            usage_metadata=types.GenerateContentResponseUsageMetadata(
                prompt_token_count=1, candidates_token_count=1, total_token_count=2
            ),
        )

    def _obey(self) -> types.Part | None:
        obeys = self.script.obeys
        if self._obeyed or not obeys or obeys not in self._requests[-1]:
            return None
        self._obeyed = True
        return _call(RESTART, {"deployment": "planted"})

    def _next(self, results: list[tuple[str, dict[str, Any]]]) -> types.Part:
        searches = [result for name, result in results if name == NAME]
        status = searches[-1].get("status") if searches else None
        steps = self.script.turns[self._turn] if self._turn < len(self.script.turns) else ()
        while self._step < len(steps):
            step = steps[self._step]
            self._step += 1
            if step.on in (None, status):
                if step.call is not None:
                    return _call(step.call, step.args)
                return types.Part(text=_answer(step, searches, results))
        return types.Part(text="(the script has ended)")


def _answer(
    step: Step, searches: list[dict[str, Any]], results: list[tuple[str, dict[str, Any]]]
) -> str:
    observed = " ".join(str(r.get("observed", r)) for name, r in results if name != NAME)
    said = list(dict.fromkeys(_finding(result, step.about) for result in searches))
    # What supports nothing is only worth a word when nothing else supports anything.
    useful = [one for one in said if one != NO_RUNBOOK] or said
    return step.say.replace("{findings}", "\n".join(useful)).replace("{observed}", observed)


def _finding(result: dict[str, Any], about: tuple[str, ...]) -> str:
    """What one search supports, as the agents' instructions ask for it."""
    status = result.get("status")
    if status == "unavailable":
        return NOT_LOOKED
    if status == "no_match" or (status == "ok" and not result.get("confident")):
        return NO_RUNBOOK
    if status != "ok":
        return f"The search gave no usable answer (status: {status})."
    for passage in result.get("passages", []):
        citation = str(passage.get("citation", ""))
        if not about or any(path in citation for path in about):
            old = passage.get("stale") or passage.get("needs_review")
            note = f" ({STALE})" if old else ""
            return f"See {passage.get('label')} [{citation}]{note}, {passage.get('trust')}."
    return NO_RUNBOOK


def _is_message(content: types.Content) -> bool:
    """Whether the user wrote it: results of tools travel in the user's role too."""
    parts = content.parts or []
    return content.role == "user" and any(part.text for part in parts)


def _results(contents: list[types.Content]) -> list[tuple[str, dict[str, Any]]]:
    """What the tools returned since the user's last message."""
    last = max((i for i, content in enumerate(contents) if _is_message(content)), default=0)
    return [
        (part.function_response.name or "", part.function_response.response or {})
        for content in contents[last:]
        for part in content.parts or []
        if part.function_response
    ]


def _call(name: str, args: dict[str, Any]) -> types.Part:
    return types.Part(function_call=types.FunctionCall(name=name, args=dict(args)))
