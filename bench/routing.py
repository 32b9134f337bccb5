"""What an alert costs: to route it first, and each time that it flaps."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.corpus import FINGERPRINT
from bench.measure import percentile
from bench.queries import Asked
from orrery_knowledge.alerts import AlertRouter, Payload, parse_payload
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.protocols import KnowledgeIndex, Vectors
from orrery_knowledge.retrieval import Retrieval

FLAPS = 1_000


@dataclass(frozen=True)
class RouteCost:
    """Milliseconds of wall time, without the model that makes a query's vector.

    Attributes:
        p50: of alerts that nobody has sent before.
        p95: likewise.
        flap_p50: of one alert that comes a thousand times.
        flap_p95: likewise.
        alerts: how many different ones were routed.
    """

    p50: float
    p95: float
    flap_p50: float
    flap_p95: float
    alerts: int


class _Given:
    """Gives the vectors of the queries in turn."""

    fingerprint = FINGERPRINT

    def __init__(self, queries: Sequence[Asked]) -> None:
        self._vectors = [asked.vector for asked in queries]
        self._asked = 0

    @property
    def dimensions(self) -> int:
        return len(self._vectors[0])

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        raise NotImplementedError

    async def embed_query(self, text: str) -> Vectors:
        self._asked += 1
        return self._vectors[self._asked % len(self._vectors)]


async def measure_routes(index: KnowledgeIndex, queries: Sequence[Asked]) -> RouteCost:
    """Route an alert made of each query, then one of them again and again.

    Args:
        index: filled; it stays open.
        queries: whose words the alerts say.
    """
    with tempfile.TemporaryDirectory(prefix="orrery-bench-") as folder:
        async with Ledger(Path(folder) / "ledger.db") as ledger:
            router = AlertRouter(Retrieval(index, ledger, _Given(queries)))
            alerts = [_webhook(f"Bench{n}Alert", asked.text) for n, asked in enumerate(queries)]
            await _timed(router, _webhook("WarmUp", "first"))  # reads the outline, once a load
            first = [await _timed(router, one) for one in alerts]
            flaps = [await _timed(router, alerts[0]) for _ in range(FLAPS)]
    return RouteCost(
        percentile(first, 0.5),
        percentile(first, 0.95),
        percentile(flaps, 0.5),
        percentile(flaps, 0.95),
        len(first),
    )


def _webhook(name: str, text: str) -> Payload:
    labels = {"alertname": name, "instance": "10.0.0.7:9100"}
    return parse_payload({"alerts": [{"labels": labels, "annotations": {"summary": text}}]})


async def _timed(router: AlertRouter, payload: Payload) -> float:
    began = time.perf_counter()
    await router.route(payload)
    return (time.perf_counter() - began) * 1000
