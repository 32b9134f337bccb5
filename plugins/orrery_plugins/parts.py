"""The parts of a content that hold what a tool, a program or another agent said."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from google.adk.flows.llm_flows.context._fencing import (
    OTHER_AGENT_CONTEXT_PREAMBLE,
    QUOTED_CONTENT_BEGIN,
    QUOTED_CONTENT_END,
    elide_quote_markers,
)
from google.genai import types

Clean = Callable[[str], str]

_BEGIN = f"{QUOTED_CONTENT_BEGIN}\n"
_END = f"\n{QUOTED_CONTENT_END}"


def holds_data(content: types.Content) -> bool:
    """Whether a content holds anything that nobody in the conversation wrote."""
    return _quotes(content) or any(
        part.function_response or part.code_execution_result for part in content.parts or []
    )


def clean_outputs(content: types.Content | None, clean: Clean) -> None:
    """Clean in place what programs printed that ADK ran for the model."""
    for part in (content.parts if content else None) or []:
        if part.code_execution_result and part.code_execution_result.output:
            part.code_execution_result.output = clean(part.code_execution_result.output)


def clean_quotes(content: types.Content, clean: Clean) -> None:
    """Clean in place what ADK quotes of other agents; its own words around it stay."""
    if _quotes(content):
        for part in (content.parts or [])[1:]:
            if part.text:
                part.text = "".join(_cleaned(part.text, clean))


def _quotes(content: types.Content) -> bool:
    # ADK puts its preamble before every quotation. Whoever types it as a user gets a message
    # cleaned that the model would have taken for a quotation.
    first = content.parts[0] if content.parts else None
    return first is not None and first.text == OTHER_AGENT_CONTEXT_PREAMBLE


def _cleaned(text: str, clean: Clean) -> Iterator[str]:
    before, begin, rest = text.partition(_BEGIN)
    # To the last end: what is quoted can't hold one, and what stands behind it isn't ADK's.
    quoted, end, after = rest.rpartition(_END)
    if not begin or not end:
        yield clean(text)
        return
    yield before + begin + elide_quote_markers(clean(quoted)) + end
    if after:
        yield clean(after)
