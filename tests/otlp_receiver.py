"""A small OTLP/HTTP receiver: what an observability backend would get, decoded and raw."""

from __future__ import annotations

import gzip
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

REQUESTS: dict[str, Any] = {
    "/v1/traces": ExportTraceServiceRequest,
    "/v1/metrics": ExportMetricsServiceRequest,
    "/v1/logs": ExportLogsServiceRequest,
}


class Receiver:
    """Listens on a free port of the loopback interface until the block ends.

    Attributes:
        raw: every body that arrived, unpacked but not decoded.
        spans: every span.
        metrics: name of every metric -> its data points' attributes.
        logs: how many log records arrived.
    """

    def __init__(self) -> None:
        self.raw: list[bytes] = []
        self.spans: list[Span] = []
        self.metrics: dict[str, list[dict[str, str]]] = {}
        self.logs = 0
        self._lock = threading.Lock()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                receiver._take(self.path, body)
                self.send_response(200)
                self.send_header("Content-Type", "application/x-protobuf")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def endpoint(self) -> str:
        """What ``OTEL_EXPORTER_OTLP_ENDPOINT`` is set to."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Receiver:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _take(self, path: str, body: bytes) -> None:
        request = REQUESTS[path]()
        request.ParseFromString(body)
        with self._lock:
            self.raw.append(body)
            if path == "/v1/traces":
                for resource in request.resource_spans:
                    for scope in resource.scope_spans:
                        self.spans.extend(scope.spans)
            elif path == "/v1/metrics":
                for resource in request.resource_metrics:
                    for scope in resource.scope_metrics:
                        for metric in scope.metrics:
                            self._metric(metric)
            else:
                for resource in request.resource_logs:
                    self.logs += sum(len(scope.log_records) for scope in resource.scope_logs)

    def _metric(self, metric: Any) -> None:
        points = getattr(metric, metric.WhichOneof("data")).data_points
        labels = self.metrics.setdefault(metric.name, [])
        labels.extend(
            {item.key: item.value.string_value for item in point.attributes} for point in points
        )
