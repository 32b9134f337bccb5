"""A run as Markdown, put between two markers of a page, and as JSON beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.results import Figures, Run
from bench.verdicts import judge
from orrery_knowledge.errors import ConfigurationError

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "performance.md"
RESULTS = Path(__file__).parent / "results"
BEGIN = "<!-- figures: written by `make bench` -->"
END = "<!-- end of figures -->"
TITLES = {
    "sqlite": "embedded (SQLite)",
    "pgvector": "pgvector, exact",
    "obvious": "the obvious SQL",
    "baseline": "bm25s + numpy",
}


def to_markdown(run: Run) -> str:
    """Every table of a run."""
    machine = "; ".join(f"{name} {value}" for name, value in run.machine.items())
    options = ", ".join(f"{name} {value}" for name, value in run.options.items())
    parts = [f"Machine: {machine}.", f"Run: {options}."]
    parts.append("### Aims\n\n" + _table(("chunks", "aim", "wanted", "got", ""), _verdicts(run)))
    titles = ("chunks", "engine", "wall p50 / p95", "CPU p50 / p95", "median p50 / p95", "searches")
    parts.append("### One search at a time, milliseconds\n\n" + _table(titles, _latencies(run)))
    parts.append("### By kind of query, wall p50 / p95 in milliseconds\n\n" + _kinds(run))
    titles = ("chunks", "engine", "searches/s", "p50 / p95 ms", "loop lag p50 / p95 ms", "searches")
    parts.append("### Eight searches in flight\n\n" + _table(titles, _loads(run)))
    titles = ("chunks", "engine", "rows/s", "size MB", "cold first search ms", "memory added MB")
    parts.append("### Filling and opening\n\n" + _table(titles, _storage(run)))
    columns = ("chunks", "engine", "route p50 / p95", "flap p50 / p95", "alerts")
    parts.append("### Alerts, milliseconds without the model\n\n" + _table(columns, _routes(run)))
    headings = ("characters", "result", "CPU p50 / p95 ms", "ms per 10,000 characters")
    parts.append("### The guard\n\n" + _table(headings, _guard(run)))
    return "\n\n".join(parts)


def write(run: Run, page: Path | None, results: Path = RESULTS) -> Path:
    """Write JSON always, and the page where one is given. Returns where the JSON is.

    Raises:
        ConfigurationError: the page has lost its markers.
    """
    results.mkdir(parents=True, exist_ok=True)
    sizes = "-".join(map(str, run.figures))
    target = results / f"{run.machine['date']}-{sizes}.json"
    target.write_text(json.dumps(run.as_json(), indent=1) + "\n", encoding="utf-8")
    if page is not None:
        page.write_text(
            insert(page.read_text(encoding="utf-8"), to_markdown(run), page.name), encoding="utf-8"
        )
    return target


def insert(text: str, figures: str, name: str) -> str:
    """Replace what stands between the markers.

    Raises:
        ConfigurationError: they aren't there, once each and in order.
    """
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ConfigurationError(f"{name} has no place for figures: its markers are gone")
    return f"{before}{BEGIN}\n\n{figures}\n\n{END}{after}"


def _each(run: Run) -> Iterator[tuple[str, Figures]]:
    for size, by_engine in run.figures.items():
        for found in by_engine.values():
            yield f"{size:,}", found


def _routes(run: Run) -> Iterator[Sequence[str]]:
    for size, found in _each(run):
        if (cost := found.routes) is not None:
            route, flap = _pair(cost.p50, cost.p95), _pair(cost.flap_p50, cost.flap_p95)
            yield size, TITLES[found.engine], route, flap, f"{cost.alerts:,}"


def _guard(run: Run) -> Iterator[Sequence[str]]:
    for cost in run.guard:
        each = cost.p50 * 10_000 / cost.characters
        pair = f"{cost.p50:.2f} / {cost.p95:.2f}"
        yield f"{cost.characters:,}", cost.kind, pair, f"{each:.2f}"


def _verdicts(run: Run) -> Iterator[Sequence[str]]:
    for size, by_engine in run.figures.items():
        for verdict in judge(size, by_engine):
            got = f"{verdict.got:,.0f}" if verdict.got >= 100 else f"{verdict.got:.2f}"
            yield f"{size:,}", verdict.what, verdict.aim, got, verdict.words


def _latencies(run: Run) -> Iterator[Sequence[str]]:
    for size, found in _each(run):
        yield (
            size,
            TITLES[found.engine],
            _pair(found.wall(0.5), found.wall(0.95)),
            _pair(found.cpu(0.5), found.cpu(0.95)),
            _pair(found.steady(0.5), found.steady(0.95)),
            str(len(found.samples)),
        )


def _kinds(run: Run) -> str:
    kinds = next((found.kinds for _, found in _each(run)), [])
    rows = [
        (
            size,
            TITLES[found.engine],
            *(_pair(found.wall(0.5, kind), found.wall(0.95, kind)) for kind in kinds),
        )
        for size, found in _each(run)
    ]
    return _table(("chunks", "engine", *kinds), iter(rows))


def _loads(run: Run) -> Iterator[Sequence[str]]:
    for size, found in _each(run):
        if (load := found.load) is not None:
            yield (
                size,
                TITLES[found.engine],
                f"{load.per_second:,.1f}",
                _pair(load.p50, load.p95),
                _pair(load.lag_p50, load.lag_p95),
                str(load.searches),
            )


def _storage(run: Run) -> Iterator[Sequence[str]]:
    for size, found in _each(run):
        cold = found.cold
        yield (
            size,
            TITLES[found.engine],
            f"{found.rows_per_second:,.0f}",
            f"{found.size_bytes / 1e6:,.0f}",
            f"{cold['first_ms']:,.0f}" if cold else "keeps nothing",
            f"{cold['bytes'] / 1e6:,.0f}" if cold else f"{found.size_bytes / 1e6:,.0f}",
        )


def _pair(first: float, second: float) -> str:
    return f"{_number(first)} / {_number(second)}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def _table(titles: Sequence[str], rows: Iterator[Sequence[str]]) -> str:
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
