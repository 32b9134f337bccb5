"""Spans and metrics of retrievals, stores and syncs, for the OpenTelemetry set-up of the process.

Attribute names are string literals: they follow OpenTelemetry's GenAI conventions, whose Python
constants move between releases. A span never carries query or document text unless the operator
opted in through ``OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT`` (``SPAN_ONLY`` or
``SPAN_AND_EVENT``), and then only the redacted query and the citations with their scores.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from functools import lru_cache

from opentelemetry import metrics, trace
from opentelemetry.metrics import Counter, Histogram
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
        _histogram(
            "orrery.retrieval.result_count", "{passage}", "How many passages a retrieval returned."
        ).record(result_count)
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
        _fail(self._span, error_type)

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
    started = time.perf_counter()
    name = f"{OPERATION} {data_source}" if data_source else OPERATION
    with _span(name, SpanKind.INTERNAL, attributes) as span:
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
            _histogram("gen_ai.retrieval.duration", "s", "How long a retrieval took.").record(
                time.perf_counter() - started, labels
            )


class DatabaseSpan:
    """What one access to a store reports while its span is open."""

    def __init__(self, span: Span) -> None:
        self._span = span

    def returned(self, rows: int) -> None:
        """Record how many rows came back."""
        self._span.set_attribute("db.response.returned_rows", rows)


@contextmanager
def database_span(
    *,
    system: str,
    operation: str,
    namespace: str,
    address: str | None = None,
    port: int | None = None,
) -> Iterator[DatabaseSpan]:
    """Open the span of one access to a store, a child of whatever span is current.

    It names the operation, never the statement or its values. An exception passes through; the
    span keeps the name of its class only.

    Args:
        system: as in OpenTelemetry's ``db.system.name`` (``"sqlite"``, ``"postgresql"``).
        operation: what is done, in a few fixed words (``"search"``, ``"fetch"``, ``"activate"``).
        namespace: database or file name, without a folder.
        address: host of the server; None for an embedded store.
        port: its port.
    """
    attributes: dict[str, AttributeValue] = {
        "db.system.name": system,
        "db.namespace": namespace,
        "db.operation.name": operation,
        "db.query.summary": f"{operation} {namespace}",
    }
    if address:
        attributes["server.address"] = address
    if port:
        attributes["server.port"] = port
    started = time.perf_counter()
    error_type = None
    with _span(f"{operation} {namespace}", SpanKind.CLIENT, attributes) as span:
        try:
            yield DatabaseSpan(span)
        except BaseException as error:
            error_type = type(error).__name__
            _fail(span, error_type)
            raise
        finally:
            labels = {"db.system.name": system, "db.operation.name": operation}
            if error_type:
                labels["error.type"] = error_type
            _histogram(
                "db.client.operation.duration", "s", "How long an access to a store took."
            ).record(time.perf_counter() - started, labels)


class SyncSpan:
    """What a sync, or one source of it, reports while its span is open."""

    def __init__(self, span: Span) -> None:
        self._span = span

    def counts(self, **counts: int | bool | None) -> None:
        """Record counts by name; None is left out."""
        for name, value in counts.items():
            if value is not None:
                self._span.set_attribute(f"orrery.sync.{name}", value)


@contextmanager
def sync_span(source: str | None = None) -> Iterator[SyncSpan]:
    """Open the span of a sync, or of the reading of one source inside of it.

    Args:
        source: id of the source; None for the whole sync.
    """
    attributes: dict[str, AttributeValue] = {"orrery.sync.source": source} if source else {}
    name = f"sync {source}" if source else "sync"
    with _span(name, SpanKind.INTERNAL, attributes) as span:
        try:
            yield SyncSpan(span)
        except BaseException as error:
            _fail(span, type(error).__name__)
            raise


def guard_counts(findings: Mapping[str, int], *, dropped: int, truncated: int) -> None:
    """Count what the guard did to one tool result, on the current span and as metrics.

    Args:
        findings: kind of a finding (``"injection"``, ``"credential"``, ...) -> how many.
        dropped: passages that the cap dropped.
        truncated: strings and lists that the cap cut.
    """
    span = trace.get_current_span()
    for kind, count in findings.items():
        span.set_attribute(f"orrery.guard.{kind}_count", count)
        _counter("orrery.guard.findings", "What the guard found in tool results.").add(
            count, {"orrery.guard.kind": kind}
        )
    if dropped or truncated:
        span.set_attribute("orrery.guard.dropped_count", dropped)
        span.set_attribute("orrery.guard.truncated_count", truncated)
        _counter("orrery.guard.caps", "Tool results that were cut to size.").add(1)


def _span(
    name: str, kind: SpanKind, attributes: dict[str, AttributeValue]
) -> AbstractContextManager[Span]:
    return trace.get_tracer(SCOPE).start_as_current_span(
        name,
        kind=kind,
        attributes=attributes,
        record_exception=False,
        set_status_on_exception=False,
    )


def _fail(span: Span, error_type: str) -> None:
    span.set_attribute("error.type", error_type)
    # No description: the text of an exception may hold what was retrieved.
    span.set_status(Status(StatusCode.ERROR))


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


@lru_cache(maxsize=16)
def _histogram(name: str, unit: str, description: str) -> Histogram:
    # Cached: an SDK warns about an instrument that is created twice.
    return metrics.get_meter(SCOPE).create_histogram(name, unit=unit, description=description)


@lru_cache(maxsize=16)
def _counter(name: str, description: str) -> Counter:
    return metrics.get_meter(SCOPE).create_counter(name, description=description)
