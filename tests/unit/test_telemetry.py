from __future__ import annotations

import ast
from pathlib import Path

import pytest

from orrery_knowledge import telemetry
from orrery_knowledge.telemetry import CallContext, call_context, retrieval_span


def test_without_any_telemetry_set_up_nothing_happens_and_nothing_fails():
    with retrieval_span(data_source=None, top_k=6, strategy="hybrid") as span:
        span.content("disk", [("kb:a", 0.1)])
        span.result(result_count=1, load=None, error_type=None)
    assert span.error_type is None


def test_an_exception_passes_and_its_class_is_kept():
    with (
        pytest.raises(TimeoutError),
        retrieval_span(data_source="runbooks", top_k=6, strategy="hybrid") as span,
    ):
        raise TimeoutError("text")
    assert span.error_type == "TimeoutError"


def test_an_error_without_an_exception_is_kept():
    with retrieval_span(data_source=None, top_k=6, strategy="hybrid") as span:
        span.result(error_type="BackendUnavailable")
    assert span.error_type == "BackendUnavailable"


def test_the_caller_is_known_inside_the_block_only():
    with call_context(CallContext(agent_name="outer")):
        with call_context(CallContext(agent_name="inner", call_id="c1")):
            assert telemetry._caller() == {
                "gen_ai.agent.name": "inner",
                "gen_ai.tool.call.id": "c1",
            }
        assert telemetry._caller() == {"gen_ai.agent.name": "outer"}
    assert telemetry._caller() == {}


def test_the_library_code_needs_neither_adk_nor_an_sdk():
    tree = ast.parse(Path(telemetry.__file__).read_text())
    modules = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert "opentelemetry.trace" in modules
    assert not {name for name in modules if name.startswith(("google", "opentelemetry.sdk"))}
