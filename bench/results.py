"""What one run found, as plain data that becomes JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from bench.cold import Cold
from bench.guard import GuardCost
from bench.measure import Load, Sample, percentile, steadied
from bench.routing import RouteCost


@dataclass
class Figures:
    """One engine at one size.

    Attributes:
        engine: its name.
        chunks: rows that it held.
        rows_per_second: stored, made searchable and all.
        size_bytes: of the index.
        cold: of a new process; None for an engine that keeps nothing.
        load: with several searches in flight.
        samples: one query at a time.
        routes: of alerts; None for an engine that is none of ours.
    """

    engine: str
    chunks: int
    rows_per_second: float
    size_bytes: int
    cold: Cold | None
    load: Load | None
    samples: list[Sample] = field(default_factory=list)
    routes: RouteCost | None = None

    def wall(self, share: float, kind: str | None = None) -> float:
        """A percentile of all samples' wall time in milliseconds."""
        return percentile((s.wall for s in self._of(kind)), share)

    def cpu(self, share: float, kind: str | None = None) -> float:
        """A percentile of all samples' processor time in milliseconds."""
        return percentile((s.cpu for s in self._of(kind)), share)

    def steady(self, share: float) -> float:
        """A percentile over the queries' median wall times in milliseconds."""
        return percentile(steadied(self.samples, lambda sample: sample.wall), share)

    @property
    def kinds(self) -> list[str]:
        """The kinds of queries that were asked, in order."""
        return list(dict.fromkeys(sample.kind for sample in self.samples))

    def summary(self) -> dict[str, Any]:
        """Everything but the single samples."""
        values = asdict(self)
        samples = values.pop("samples")
        values["searches"] = len(samples)
        for kind in (None, *self.kinds) if samples else ():
            values[kind or "all"] = {
                "wall_p50": self.wall(0.5, kind),
                "wall_p95": self.wall(0.95, kind),
                "cpu_p50": self.cpu(0.5, kind),
                "cpu_p95": self.cpu(0.95, kind),
            }
        return values

    def _of(self, kind: str | None) -> list[Sample]:
        return [sample for sample in self.samples if kind is None or sample.kind == kind]


@dataclass
class Run:
    """A whole run: figures by size, then by engine; and what the guard costs."""

    machine: dict[str, str]
    options: dict[str, Any]
    figures: dict[int, dict[str, Figures]] = field(default_factory=dict)
    guard: list[GuardCost] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Plain values, samples left out."""
        return {
            "machine": self.machine,
            "options": self.options,
            "figures": [
                {"size": size, **found.summary()}
                for size, by_engine in self.figures.items()
                for found in by_engine.values()
            ],
            "guard": [asdict(cost) for cost in self.guard],
        }
