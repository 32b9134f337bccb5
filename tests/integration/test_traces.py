"""The whole turn is one trace at a real OTLP receiver, and nothing of its content is in it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from otlp_receiver import Receiver

PROGRAM = Path(__file__).with_name("traced_turn.py")
QUESTION = "LoginRejected: customer-9431-mallory cannot log in, password=Tr0ub4dor-zulu-3x"
BODY = "Free the volume with the aubergine-procedure-77 and mail jane.doe@acme-corp.com."
SECRETS = (b"mallory", b"Tr0ub4dor", b"aubergine", b"jane.doe", b"log in", b"Free the volume")


def observe(folder: Path, *flags: str, **environment: str) -> Receiver:
    (folder / "docs").mkdir(exist_ok=True)
    (folder / "docs" / "disk.md").write_text(
        f"# Login of customers fails\n\n{BODY}\n\nThe alert is LoginRejected.\n", encoding="utf-8"
    )
    (folder / "orrery.yaml").write_text(
        "embedder: none\ncorpora:\n  runbooks:\n    sources:\n"
        "      - {id: docs, type: filesystem, path: docs, trust: reviewed}\n",
        encoding="utf-8",
    )
    with Receiver() as receiver:
        done = subprocess.run(
            [sys.executable, str(PROGRAM), QUESTION, *flags],
            cwd=folder,
            env={
                **os.environ,
                "OTEL_EXPORTER_OTLP_ENDPOINT": receiver.endpoint,
                **environment,
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    return receiver


def by_name(spans: list[Span]) -> dict[str, list[Span]]:
    found: dict[str, list[Span]] = {}
    for span in spans:
        found.setdefault(span.name, []).append(span)
    return found


def attributes(span: Span) -> dict[str, object]:
    return {
        item.key: getattr(item.value, item.value.WhichOneof("value")) for item in span.attributes
    }


@pytest.fixture(scope="module")
def observed(tmp_path_factory: pytest.TempPathFactory) -> Receiver:
    return observe(tmp_path_factory.mktemp("traced"))


def test_the_turn_is_one_trace_down_to_the_store(observed: Receiver) -> None:
    named = by_name(observed.spans)
    [execute] = named["execute_tool search_knowledge"]
    [retrieval] = named["retrieval"]
    [search] = named["search index.db"]
    [fetch] = named["fetch index.db"]
    assert retrieval.parent_span_id == execute.span_id
    assert search.parent_span_id == retrieval.span_id
    assert fetch.parent_span_id == retrieval.span_id
    [root] = [s for s in observed.spans if s.trace_id == execute.trace_id and not s.parent_span_id]
    parents = {span.span_id: span.parent_span_id for span in observed.spans}
    at = fetch.span_id
    while parents[at]:
        at = parents[at]
    assert at == root.span_id


def test_the_spans_carry_standard_names(observed: Receiver) -> None:
    named = by_name(observed.spans)
    retrieval = attributes(named["retrieval"][0])
    assert retrieval["gen_ai.operation.name"] == "retrieval"
    assert retrieval["gen_ai.tool.name"] == "search_knowledge"
    assert retrieval["gen_ai.agent.name"] == "on_call"
    assert retrieval["orrery.retrieval.result_count"] == 1
    assert retrieval["orrery.retrieval.index_version"] == 1
    search = attributes(named["search index.db"][0])
    assert (search["db.system.name"], search["db.operation.name"]) == ("sqlite", "search")
    assert named["search index.db"][0].kind == Span.SPAN_KIND_CLIENT


def test_a_sync_is_a_trace_of_its_own(observed: Receiver) -> None:
    named = by_name(observed.spans)
    [sync] = named["sync"]
    [source] = named["sync docs"]
    [activate] = named["activate index.db"]
    assert source.parent_span_id == sync.span_id
    assert activate.trace_id == sync.trace_id
    counts = attributes(sync)
    assert (counts["orrery.sync.documents"], counts["orrery.sync.chunks"]) == (1, 1)
    assert counts["orrery.sync.activated"] is True
    assert sync.trace_id != named["retrieval"][0].trace_id


def test_metrics_arrive_under_their_names(observed: Receiver) -> None:
    assert {
        "gen_ai.retrieval.duration",
        "orrery.retrieval.result_count",
        "db.client.operation.duration",
        "orrery.guard.findings",
    } <= observed.metrics.keys()
    assert {"db.system.name": "sqlite", "db.operation.name": "search"} in observed.metrics[
        "db.client.operation.duration"
    ]
    assert {"orrery.guard.kind": "personal"} not in observed.metrics["orrery.guard.findings"]


def test_no_text_leaves_the_process(observed: Receiver) -> None:
    """K141: no query, passage or secret is in any span, metric or log record."""
    assert len(observed.raw) >= 3
    assert observed.logs > 0
    sent = b"".join(observed.raw)
    assert [secret for secret in SECRETS if secret in sent] == []


def test_the_text_of_an_exception_leaves_it_neither(tmp_path: Path) -> None:
    receiver = observe(tmp_path, "broken")
    named = by_name(receiver.spans)
    retrieval = named["retrieval"][0]
    assert attributes(retrieval)["error.type"] == "RuntimeError"
    assert retrieval.status.code == 2
    assert attributes(named["execute_tool search_knowledge"][0])["error.type"] == "unavailable"
    sent = b"".join(receiver.raw)
    assert [secret for secret in SECRETS if secret in sent] == []
    assert b"no answer to" not in sent


def test_opting_in_shows_the_query_redacted(tmp_path: Path) -> None:
    receiver = observe(tmp_path, OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT="SPAN_ONLY")
    shown = attributes(by_name(receiver.spans)["retrieval"][0])
    assert "mallory" in str(shown["gen_ai.retrieval.query.text"])
    assert "Tr0ub4dor" not in str(shown["gen_ai.retrieval.query.text"])
    assert "kb:disk.md#login-of-customers-fails@" in str(shown["gen_ai.retrieval.documents"])
    assert "aubergine" not in str(shown["gen_ai.retrieval.documents"])
