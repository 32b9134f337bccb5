"""A model that needs no key and no network: searches with the user's words, lists what it finds.

It lets the agents, the tests and the trajectory evaluation run offline through all of ADK.
"""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator
from typing import Any

from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from typing_extensions import override

OFFLINE = "offline-scripted"
DEFAULT_MODEL = "gemini-2.5-flash"
_TOOL = "search_knowledge"


class ScriptedLlm(BaseLlm):
    """Calls `search_knowledge` with the user's words, then answers with labels and citations.

    Attributes:
        corpus: what it asks the tool to search; None for everything.
    """

    model: str = OFFLINE
    corpus: str | None = None

    @override
    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """Yield the next step: a call, or the answer (when streaming, first as a partial)."""
        part = _next_step(llm_request, self.corpus)
        if stream and part.text:
            yield _response(part, llm_request).model_copy(update={"partial": True})
        yield _response(part, llm_request)


def model_from_environment() -> str | BaseLlm:
    """The model that ``ORRERY_MODEL`` names; ``offline-scripted`` is the one in this file."""
    name = os.environ.get("ORRERY_MODEL", "").strip() or DEFAULT_MODEL
    return ScriptedLlm() if name == OFFLINE else name


def _next_step(request: LlmRequest, corpus: str | None) -> types.Part:
    last = request.contents[-1].parts or [] if request.contents else []
    results = [part.function_response for part in last if part.function_response]
    if results:
        return types.Part(text="\n".join(_answer(result.response or {}) for result in results))
    words = " ".join(part.text for part in last if part.text).strip()
    name = _search_tool(request)
    if name is None:
        return types.Part(text="I have no knowledge to search: it is switched off.")
    args = {"query": words} if corpus is None else {"query": words, "corpus": corpus}
    return types.Part(function_call=types.FunctionCall(name=name, args=args))


def _search_tool(request: LlmRequest) -> str | None:
    """The tool as this agent sees it: a toolset may have put a prefix before its name."""
    for tool in request.config.tools or []:
        for declaration in getattr(tool, "function_declarations", None) or []:
            if declaration.name and declaration.name.endswith(_TOOL):
                return str(declaration.name)
    return None


def _answer(result: dict[str, Any]) -> str:
    status = result.get("status")
    if status == "ok":
        found = [
            f"- {passage.get('label')} [{passage.get('citation')}]"
            for passage in result.get("passages", [])
        ]
        return "\n".join(["What was written about this:", *found])
    if status == "no_match":
        return "Nothing that answers this was written down."
    if status == "unavailable":
        return "The knowledge search is unavailable, so I can't tell whether this was written down."
    return f"The search gave no usable answer (status: {status or 'unknown'})."


def _response(part: types.Part, request: LlmRequest) -> LlmResponse:
    prompt = sum(
        len((given.text or "").split())
        for content in request.contents
        for given in content.parts or []
    )
    answer = len((part.text or "").split()) or 1
    return LlmResponse(
        content=types.Content(role="model", parts=[part]),
        finish_reason=types.FinishReason.STOP,
        # Words stand for tokens; ADK's token metrics and call counts need some figure.
        usage_metadata=types.GenerateContentResponseUsageMetadata(
            prompt_token_count=prompt,
            candidates_token_count=answer,
            total_token_count=prompt + answer,
        ),
    )
