"""Spans and metrics of a retrieval, for whatever OpenTelemetry set-up the process has.

Attribute names are string literals: they follow OpenTelemetry's GenAI conventions, whose Python
constants move between releases. A span never carries query or document text unless the operator
opted in through ``OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT`` (``SPAN_ONLY`` or
``SPAN_AND_EVENT``), and then only the redacted query and the citations with their scores.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache

from opentelemetry import metrics, trace
from opentelemetry.metrics import Histogram
from opentelemetry.trace import Span, SpanKind, Status, StatusCode
from opentelemetry.util.types import AttributeValue

from orrery_knowledge.models import Model
from orrery_knowledge.screening import cap, redact_credentials, redact_personal

SCOPE = "orrery_knowledge"
OPERATION = "retrieval"
CAPTURE_VARIABLE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
MAX_QUERY_CHARACTERS = 500
MAX_DOCUMENTS = 20


class CallContext(Model):
    """Who asked: set around a retrieval by the tool that an agent called.

    Attributes:
        conversation_id: ADK's session id.
        agent_name: the agent that called the tool.
        tool_name: the tool's name as the agent sees it (a toolset may prefix it).
        call_id: id of the function call.
    """

    conversation_id: str | None = None
    agent_name: str | None = None
    tool_name: str | None = None
    call_id: str | None = None


_call: ContextVar[CallContext | None] = ContextVar("orrery_call", default=None)


@contextmanager
def call_context(call: CallContext) -> Iterator[None]:
    """Name the caller of every retrieval inside the block."""
    token = _call.set(call)
    try:
        yield
    finally:
        _call.reset(token)


class RetrievalSpan:
    """What a retrieval reports about itself while its span is open."""

    def __init__(self, span: Span) -> None:
        self._span = span
        self.error_type: str | None = None

    def result(
        self,
        *,
        result_count: int = 0,
        candidate_count: int = 0,
        load: int | None = None,
        empty: bool = False,
        score_max: float | None = None,
        error_type: str | None = None,
    ) -> None:
        """Record the outcome.

        Args:
            result_count: passages returned.
            candidate_count: candidates over all rankings.
            load: number of the load that answered.
            empty: nothing was found (`no_match`).
            score_max: score of the best passage; higher is better.
            error_type: name of the error class when there is no answer; never its message.
        """
        self._set(
            {
                "orrery.retrieval.result_count": result_count,
                "orrery.retrieval.candidate_count": candidate_count,
                "orrery.retrieval.index_version": load,
                "orrery.retrieval.empty": empty,
                "orrery.retrieval.score.max": score_max,
            }
        )
        if error_type is not None:
            self.fail(error_type)

    def content(self, query: str, documents: Sequence[tuple[str, float]]) -> None:
        """Record the redacted query and (citation, score) pairs, if the operator opted in."""
        if not self._span.is_recording() or not _content_on_spans():
            return
        redacted = redact_personal(redact_credentials(query).text).text
        listed = [{"id": name, "score": score} for name, score in documents[:MAX_DOCUMENTS]]
        self._set(
            {
                "gen_ai.retrieval.query.text": cap(redacted, MAX_QUERY_CHARACTERS)[0],
                "gen_ai.retrieval.documents": json.dumps(listed),
            }
        )

    def fail(self, error_type: str) -> None:
        """Mark the retrieval as failed, by the name of an error class."""
        self.error_type = error_type
        self._set({"error.type": error_type})
        # No description: the text of an exception may hold what was retrieved.
        self._span.set_status(Status(StatusCode.ERROR))

    def _set(self, attributes: dict[str, AttributeValue | None]) -> None:
        for name, value in attributes.items():
            if value is not None:
                self._span.set_attribute(name, value)


@contextmanager
def retrieval_span(
    *, data_source: str | None, top_k: int, strategy: str
) -> Iterator[RetrievalSpan]:
    """Open the one span of a retrieval, a child of whatever span is current.

    An exception passes through; the span keeps the name of its class only.

    Args:
        data_source: the corpus asked for; None for all of them.
        top_k: how many passages were asked for.
        strategy: which rankings take part (``"hybrid"``, ``"lexical"``, ``"vector"``).
    """
    attributes: dict[str, AttributeValue] = {
        "gen_ai.operation.name": OPERATION,
        # Conventions 0.1.0 renamed the second to the first; trace stores know either.
        "gen_ai.retrieval.top_k": top_k,
        "gen_ai.request.top_k": top_k,
        "orrery.retrieval.strategy": strategy,
    }
    if data_source:
        attributes["gen_ai.data_source.id"] = data_source
    attributes |= _caller()
    tracer = trace.get_tracer(SCOPE)
    started = time.perf_counter()
    with tracer.start_as_current_span(
        f"{OPERATION} {data_source}" if data_source else OPERATION,
        kind=SpanKind.INTERNAL,
        attributes=attributes,
        record_exception=False,
        set_status_on_exception=False,
    ) as span:
        retrieval = RetrievalSpan(span)
        try:
            yield retrieval
        except BaseException as error:
            retrieval.fail(type(error).__name__)
            raise
        finally:
            labels = {"gen_ai.operation.name": OPERATION}
            if data_source:
                labels["gen_ai.data_source.id"] = data_source
            if retrieval.error_type:
                labels["error.type"] = retrieval.error_type
            _duration().record(time.perf_counter() - started, labels)


def _caller() -> dict[str, AttributeValue]:
    call = _call.get()
    if call is None:
        return {}
    named = {
        "gen_ai.conversation.id": call.conversation_id,
        "gen_ai.agent.name": call.agent_name,
        "gen_ai.tool.name": call.tool_name,
        "gen_ai.tool.call.id": call.call_id,
    }
    return {name: value for name, value in named.items() if value}


def _content_on_spans() -> bool:
    return os.environ.get(CAPTURE_VARIABLE, "").strip().upper() in {"SPAN_ONLY", "SPAN_AND_EVENT"}


@lru_cache(maxsize=1)
def _duration() -> Histogram:
    # Cached: an SDK warns about an instrument that is created twice.
    return metrics.get_meter(SCOPE).create_histogram(
        "gen_ai.retrieval.duration", unit="s", description="How long a retrieval took."
    )
