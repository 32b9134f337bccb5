"""Run as a program: syncs, then one agent turn, exported to an OTLP receiver as in production.

Works in the current folder, whose `orrery.yaml` is there. Arguments: the question, and "broken" to
have the backend fail with an exception that repeats the question.
"""

from __future__ import annotations

import asyncio
import logging
import sys

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.runners import InMemoryRunner
from google.genai import types
from opentelemetry import metrics, trace
from opentelemetry._logs import set_logger_provider
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider, LoggingHandler
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from orrery_knowledge.adk import ScriptedLlm, search_knowledge_tool
from orrery_knowledge.cli.program import cli
from orrery_knowledge.settings import load_settings
from orrery_plugins import knowledge_plugins


async def turn(question: str, *, broken: bool) -> None:
    settings = load_settings()
    tool = search_knowledge_tool(settings)
    assert tool is not None
    if broken:

        async def fail(*_: object, **__: object) -> None:
            raise RuntimeError(f"no answer to {question}")

        tool._retrieval._index.search = fail  # type: ignore[attr-defined]
    agent = LlmAgent(name="on_call", model=ScriptedLlm(), tools=[tool])
    app = App(name="traced", root_agent=agent, plugins=knowledge_plugins(settings))
    runner = InMemoryRunner(app=app)
    session = await runner.session_service.create_session(app_name="traced", user_id="u")
    message = types.Content(role="user", parts=[types.Part(text=question)])
    async for _ in runner.run_async(user_id="u", session_id=session.id, new_message=message):
        pass
    await runner.close()


def main() -> None:
    traces = TracerProvider()
    traces.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(traces)
    meters = MeterProvider([PeriodicExportingMetricReader(OTLPMetricExporter())])
    metrics.set_meter_provider(meters)
    logs = LoggerProvider()
    logs.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter()))
    set_logger_provider(logs)
    logging.getLogger().addHandler(LoggingHandler(logger_provider=logs))
    logging.getLogger().setLevel(logging.INFO)
    cli(["sync"], standalone_mode=False)
    asyncio.run(turn(sys.argv[1], broken="broken" in sys.argv[2:]))
    for provider in (traces, meters, logs):
        provider.shutdown()


if __name__ == "__main__":
    main()
