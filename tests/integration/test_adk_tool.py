"""`search_knowledge` in ADK: declaration, arguments, failures, and the span of a retrieval."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from adk_support import (
    HOSTILE,
    FixedRetrieval,
    RecordingLlm,
    agent_with,
    passage,
    recorded_spans,
    run,
)
from google.adk.agents import LlmAgent
from google.adk.features import FeatureName
from google.adk.features._feature_registry import temporary_feature_override
from google.adk.tools import AgentTool
from google.adk.tools.retrieval.base_retrieval_tool import BaseRetrievalTool
from opentelemetry.trace import SpanKind, StatusCode

from orrery_knowledge.adk import SearchKnowledgeTool, search_knowledge_tool
from orrery_knowledge.backends.sqlite.index import SqliteConfig, SqliteIndex
from orrery_knowledge.errors import ConfigurationError
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.models import Query, SearchResult
from orrery_knowledge.retrieval import Retrieval
from orrery_knowledge.settings import Search, Settings
from orrery_knowledge.telemetry import CAPTURE_VARIABLE, retrieval_span
from orrery_knowledge.testing.documents import make_document, publish
from orrery_plugins import PIIRedactionPlugin, SafetyScreenPlugin, knowledge_plugins

NAME = "search_knowledge"


class TracedRetrieval(FixedRetrieval):
    """Opens the span as the real retrieval does."""

    async def search(self, query: Query, *, investigation: str | None = None) -> SearchResult:
        with retrieval_span(
            data_source=query.corpus, top_k=query.top_k, strategy=query.mode
        ) as span:
            result = await super().search(query, investigation=investigation)
            span.content(query.text, [(item.citation, item.score) for item in result.passages])
            span.result(result_count=len(result.passages), candidate_count=3, load=7, score_max=0.5)
            return result


class DeadRetrieval:
    async def search(self, query: Query, *, investigation: str | None = None) -> SearchResult:
        with retrieval_span(data_source=None, top_k=query.top_k, strategy=query.mode):
            raise ConnectionError(HOSTILE)


async def search(retrieval: Any, args: Any, **more: Any):
    agent = agent_with(SearchKnowledgeTool(retrieval), calls=[(NAME, args)])
    records: list[dict[str, Any]] = []
    outcome = await run(agent, knowledge_plugins(sink=records.append), **more)
    return outcome, records


def test_it_is_a_retrieval_tool_of_adk():
    tool = search_knowledge_tool(retrieval=FixedRetrieval())
    assert isinstance(tool, BaseRetrievalTool)
    assert tool.name == NAME
    for word in ("citation", "no_match", "unavailable", "never an instruction"):
        assert word in tool.description


def test_the_declaration_has_both_forms():
    tool = SearchKnowledgeTool(FixedRetrieval())
    as_json = tool._get_declaration()
    with temporary_feature_override(FeatureName.JSON_SCHEMA_FOR_FUNC_DECL, False):
        as_schema = tool._get_declaration()
    assert as_schema.parameters_json_schema is None
    assert sorted(as_schema.parameters.properties) == ["corpus", "query", "service"]
    assert as_schema.parameters.required == ["query"]
    assert as_json.parameters is None
    assert sorted(as_json.parameters_json_schema["properties"]) == ["corpus", "query", "service"]
    assert as_json.parameters_json_schema["required"] == ["query"]


async def test_the_arguments_reach_the_retrieval():
    retrieval = FixedRetrieval(passage("drain it"))
    args = {"query": "  ORA-00942 ", "service": "payments", "corpus": "runbooks"}
    await search(retrieval, args)
    [(query, _)] = retrieval.asked
    assert query == Query(text="ORA-00942", service="payments", corpus="runbooks", top_k=6)


def test_settings_say_how_many_passages_a_search_returns():
    settings = Settings(search=Search(top_k=3))
    tool = search_knowledge_tool(settings, FixedRetrieval())
    assert tool.top_k == 3


def test_without_a_configured_backend_there_is_no_tool(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ORRERY_KNOWLEDGE_BACKEND", raising=False)
    assert search_knowledge_tool() is None


def test_a_wrong_configuration_is_not_taken_for_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "orrery.yaml").write_text("bakend: {type: sqlite}\n")
    with pytest.raises(ConfigurationError, match="bakend"):
        search_knowledge_tool()


async def test_the_investigation_is_the_session_unless_one_is_given():
    fixed = FixedRetrieval()
    agent = agent_with(
        SearchKnowledgeTool(fixed, investigation="INC-7"), calls=[(NAME, {"query": "x"})]
    )
    await run(agent, knowledge_plugins())
    assert fixed.asked[0][1] == "INC-7"
    records: list[dict[str, Any]] = []
    other = FixedRetrieval()
    await run(
        agent_with(SearchKnowledgeTool(other), calls=[(NAME, {"query": "x"})]),
        knowledge_plugins(sink=records.append),
    )
    assert other.asked[0][1] == records[0]["session_id"]


@pytest.mark.parametrize("blank", [None, "", "  "])
async def test_a_blank_filter_is_no_filter(blank):
    retrieval = FixedRetrieval()
    await search(retrieval, {"query": "x", "service": blank, "corpus": blank})
    assert (retrieval.asked[0][0].service, retrieval.asked[0][0].corpus) == (None, None)


WRONG = {
    "nothing": ({}, "query: Field required"),
    "none": ({"query": None}, "query: Input should be a valid string"),
    "number": ({"query": 7}, "query: Input should be a valid string"),
    "list": ({"query": ["x"]}, "query: Input should be a valid string"),
    "empty": ({"query": ""}, "query: String should have at least 1 character"),
    "blank": ({"query": " \n"}, "query: String should have at least 1 character"),
    "too_long": ({"query": "x" * 8_001}, "query: String should have at most 8000 characters"),
    "unknown": ({"query": "x", "top_k": "999"}, "there is no argument 'top_k'"),
    "service": ({"query": "x", "service": [1]}, "service: Input should be a valid string"),
    "corpus": ({"query": "x", "corpus": "y" * 201}, "corpus: String should have at most 200"),
}


@pytest.mark.parametrize("kind", WRONG)
async def test_wrong_arguments_are_answered_and_never_searched(kind):
    args, reason = WRONG[kind]
    retrieval = FixedRetrieval()
    outcome, records = await search(retrieval, args)
    assert outcome.responses[0]["status"] == "invalid"
    assert outcome.responses[0]["reason"].startswith(reason)
    assert retrieval.asked == []
    assert [record["status"] for record in records] == ["invalid"]
    assert '"text": "done"' in outcome.session, "the turn goes on"


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        ({"service": "pay"}, "there is no service 'pay'; known: payments; without one, "),
        ({"corpus": "wiki"}, "there is no corpus 'wiki'; known: runbooks; without one, "),
    ],
)
async def test_a_filter_that_names_nothing_says_what_could_be_named(tmp_path, args, reason):
    index = SqliteIndex(SqliteConfig(), state=tmp_path)
    await publish(index, [make_document("pool.md", "# Pool\n\nzebra\n", service="payments")])
    retrieval = Retrieval(index, Ledger(tmp_path / "ledger.db"), None)
    outcome, records = await search(retrieval, {"query": "zebra", **args})
    await retrieval.close()
    [response] = outcome.responses
    assert (response["status"], response["passages"]) == ("invalid", [])
    assert response["reason"].startswith(reason)
    assert [record["status"] for record in records] == ["invalid"]


async def test_the_longest_query_is_searched():
    retrieval = FixedRetrieval()
    outcome, _ = await search(retrieval, {"query": "x" * 8_000})
    assert outcome.responses[0]["status"] == "ok"
    assert len(retrieval.asked) == 1


async def test_a_raising_retrieval_is_unavailable_and_audited_once(caplog):
    """K124, K127: no exception reaches ADK, the chain runs, the turn goes on."""
    spans = recorded_spans()
    outcome, records = await search(DeadRetrieval(), {"query": "disk"})
    response = outcome.responses[0]
    assert response["status"] == "unavailable"
    assert response["reason"] == "the search failed (ConnectionError)"
    assert response["passages"] == []
    assert [record["status"] for record in records] == ["unavailable"]
    assert '"text": "done"' in outcome.session
    finished = spans.get_finished_spans()
    [retrieval] = [span for span in finished if span.name == "retrieval"]
    assert retrieval.status.status_code is StatusCode.ERROR
    assert retrieval.attributes["error.type"] == "ConnectionError"
    [execute] = [span for span in finished if span.name == f"execute_tool {NAME}"]
    assert execute.attributes["error.type"] == "unavailable"
    everything = outcome.visible + caplog.text + "".join(span.to_json() for span in finished)
    assert "harbour" not in everything


async def test_a_cancelled_search_is_not_turned_into_an_answer():
    started = asyncio.Event()

    class Endless:
        async def search(self, query: Query, *, investigation: str | None = None) -> SearchResult:
            started.set()
            await asyncio.Event().wait()
            raise AssertionError("unreachable")

    records: list[dict[str, Any]] = []
    agent = agent_with(SearchKnowledgeTool(Endless()), calls=[(NAME, {"query": "disk"})])
    task = asyncio.create_task(run(agent, knowledge_plugins(sink=records.append)))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [record["status"] for record in records] == ["cancelled"]
    assert len(agent.model.requests) == 1


async def test_every_result_is_an_object_of_its_own():
    cached = SearchResult(
        status="ok", confident=True, confidence=0.9, query="x", passages=(passage("drain it"),)
    )

    class Cached:
        async def search(self, query: Query, *, investigation: str | None = None) -> SearchResult:
            return cached

    tool = SearchKnowledgeTool(Cached())
    agent = agent_with(tool, calls=[(NAME, {"query": "x"}), (NAME, {"query": "x"})])
    outcome = await run(agent, knowledge_plugins())
    texts = [response["passages"][0]["text"] for response in outcome.responses]
    assert [text.count("<<<RETRIEVED-DATA") for text in texts] == [1, 1]
    assert cached.passages[0].text == "drain it"


async def test_one_retrieval_span_under_the_span_of_the_tool_without_text():
    spans = recorded_spans()
    retrieval = TracedRetrieval(passage("drain the harbour node"))
    outcome, records = await search(retrieval, {"query": "harbour disk", "corpus": "runbooks"})
    finished = spans.get_finished_spans()
    [span] = [span for span in finished if span.name.startswith("retrieval")]
    [execute] = [span for span in finished if span.name == f"execute_tool {NAME}"]
    assert span.name == "retrieval runbooks"
    assert span.kind is SpanKind.INTERNAL
    assert span.parent.span_id == execute.context.span_id
    assert dict(span.attributes) == {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.data_source.id": "runbooks",
        "gen_ai.retrieval.top_k": 6,
        "gen_ai.request.top_k": 6,
        "gen_ai.conversation.id": records[0]["session_id"],
        "gen_ai.agent.name": "operator",
        "gen_ai.tool.name": NAME,
        "gen_ai.tool.call.id": records[0]["call_id"],
        "orrery.retrieval.strategy": "hybrid",
        "orrery.retrieval.result_count": 1,
        "orrery.retrieval.candidate_count": 3,
        "orrery.retrieval.index_version": 7,
        "orrery.retrieval.empty": False,
        "orrery.retrieval.score.max": 0.5,
    }
    assert "harbour" not in "".join(span.to_json() for span in finished)
    assert "harbour" in outcome.requests[-1]


@pytest.mark.parametrize("mode", ["SPAN_ONLY", "span_and_event"])
async def test_content_on_spans_is_opt_in_and_still_holds_no_passage(mode, monkeypatch):
    monkeypatch.setenv(CAPTURE_VARIABLE, mode)
    spans = recorded_spans()
    retrieval = TracedRetrieval(passage("drain the harbour node"))
    await search(retrieval, {"query": "disk AKIAQ3EGZX7MNB4TPLWV"})
    [span] = [span for span in spans.get_finished_spans() if span.name == "retrieval"]
    assert json.loads(span.attributes["gen_ai.retrieval.documents"]) == [
        {"id": "kb:runbooks/disk.md#step-1@a1b2c31", "score": 0.03}
    ]
    assert span.attributes["gen_ai.retrieval.query.text"].startswith("disk ")
    assert "AKIA" not in span.to_json()
    assert "harbour" not in span.to_json()


@pytest.mark.parametrize("mode", ["", "true", "EVENT_ONLY", "NO_CONTENT"])
async def test_no_other_mode_puts_content_on_spans(mode, monkeypatch):
    monkeypatch.setenv(CAPTURE_VARIABLE, mode)
    spans = recorded_spans()
    await search(TracedRetrieval(passage("x")), {"query": "disk"})
    [span] = [span for span in spans.get_finished_spans() if span.name == "retrieval"]
    assert "gen_ai.retrieval.query.text" not in span.attributes
    assert "gen_ai.retrieval.documents" not in span.attributes


_UNGUARDED = "no guard stands behind search_knowledge: give the App plugins=knowledge_plugins()"


async def test_a_search_without_a_guard_behind_it_is_warned_of_once(caplog):
    """K123: ADK starts without plugins and says nothing."""
    tool = SearchKnowledgeTool(FixedRetrieval(passage("drain it")))
    for _ in range(2):
        outcome = await run(agent_with(tool, calls=[(NAME, {"query": "x"})]), [])
        assert outcome.responses[0]["status"] == "ok"
    assert caplog.text.count(_UNGUARDED) == 1


async def test_a_part_of_the_guard_is_no_guard(caplog):
    for plugins in ([SafetyScreenPlugin()], [SafetyScreenPlugin(), PIIRedactionPlugin()]):
        tool = SearchKnowledgeTool(FixedRetrieval(passage("drain it")))
        await run(agent_with(tool, calls=[(NAME, {"query": "x"})]), plugins)
        assert caplog.text.count(_UNGUARDED) == 1


@pytest.mark.filterwarnings("ignore:The `plugins` argument is deprecated")  # ADK's own call
async def test_an_agent_tool_that_leaves_the_plugins_out_is_warned_of(caplog):
    tool = SearchKnowledgeTool(FixedRetrieval(passage("drain it")))
    model = RecordingLlm(calls=[(NAME, {"query": "x"})])
    inner = LlmAgent(name="librarian", description="Knows.", model=model, tools=[tool])
    kept = AgentTool(inner)
    left_out = AgentTool(inner, include_plugins=False)
    for outer, warnings in ((kept, 0), (left_out, 1)):
        await run(agent_with(outer, calls=[("librarian", {"request": "?"})]), knowledge_plugins())
        assert caplog.text.count(_UNGUARDED) == warnings
