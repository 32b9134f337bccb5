"""The offline model, against requests as ADK builds them."""

from __future__ import annotations

import pytest
from adk_support import FixedRetrieval, passage, run
from google.adk.agents import LlmAgent
from google.adk.models.llm_request import LlmRequest
from google.adk.tools.base_toolset import BaseToolset
from google.genai import types

from orrery_knowledge.adk import ScriptedLlm, SearchKnowledgeTool
from orrery_plugins import knowledge_plugins


def agent(retrieval: FixedRetrieval | None) -> LlmAgent:
    tools = [SearchKnowledgeTool(retrieval)] if retrieval else []
    return LlmAgent(name="scripted", model=ScriptedLlm(), tools=tools)


async def answer(retrieval: FixedRetrieval | None) -> str:
    outcome = await run(agent(retrieval), knowledge_plugins(), "why is ORA-00942 raised?")
    return outcome.events[-1].content.parts[0].text


async def test_it_searches_with_the_words_of_the_user_and_lists_labels_and_citations():
    retrieval = FixedRetrieval(passage("drain it", 1), passage("stop it", 2))
    assert await answer(retrieval) == (
        "What was written about this:\n"
        "- disk.md § Step 1 (part 1/1) [kb:runbooks/disk.md#step-1@a1b2c31]\n"
        "- disk.md § Step 2 (part 1/1) [kb:runbooks/disk.md#step-2@a1b2c32]"
    )
    assert [query.text for query, _ in retrieval.asked] == ["why is ORA-00942 raised?"]


@pytest.mark.parametrize(
    ("status", "text"),
    [
        ("no_match", "Nothing that answers this was written down."),
        (
            "unavailable",
            "The knowledge search is unavailable, so I can't tell whether this was written down.",
        ),
        ("invalid", "The search gave no usable answer (status: invalid)."),
    ],
)
async def test_it_says_plainly_when_there_is_no_answer(status, text):
    assert await answer(FixedRetrieval(status=status)) == text


async def test_it_narrows_the_search_to_the_corpus_that_it_is_given():
    retrieval = FixedRetrieval(passage("drain it"))
    narrowed = LlmAgent(
        name="scripted", model=ScriptedLlm(corpus="wiki"), tools=[SearchKnowledgeTool(retrieval)]
    )
    await run(narrowed, knowledge_plugins(), "disk")
    assert [(query.text, query.corpus) for query, _ in retrieval.asked] == [("disk", "wiki")]


async def test_it_says_that_knowledge_is_off():
    assert await answer(None) == "I have no knowledge to search: it is switched off."


async def test_it_finds_the_tool_behind_a_prefix():
    class Prefixed(BaseToolset):
        async def get_tools(self, readonly_context=None):
            return [SearchKnowledgeTool(retrieval)]

    retrieval = FixedRetrieval(passage("drain it"))
    scripted = LlmAgent(
        name="scripted", model=ScriptedLlm(), tools=[Prefixed(tool_name_prefix="ops")]
    )
    outcome = await run(scripted, knowledge_plugins(), "disk")
    assert outcome.events[0].get_function_calls()[0].name == "ops_search_knowledge"
    assert outcome.responses[0]["passages"][0]["text"].startswith("<<<RETRIEVED-DATA")


async def test_it_counts_words_as_tokens_and_streams():
    request = LlmRequest(
        contents=[types.UserContent("why is it so")], config=types.GenerateContentConfig()
    )
    responses = [item async for item in ScriptedLlm().generate_content_async(request, stream=True)]
    assert [bool(item.partial) for item in responses] == [True, False]
    assert responses[0].content == responses[1].content
    usage = responses[1].usage_metadata
    assert (usage.prompt_token_count, usage.candidates_token_count) == (4, 10)
    assert usage.total_token_count == 14
