"""Scores as tables for people and as JSON for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tools.score_screening.scoring import Scores


def as_json(scores: Mapping[str, Scores]) -> dict[str, Any]:
    """Every share of every half, with its interval."""
    return {
        half: {
            "carrier_kept": round(part.carrier_kept, 4),
            **{
                measure: {
                    group: {
                        "hits": rate.hits,
                        "total": rate.total,
                        "share": round(rate.share, 4),
                        "interval_95": [round(bound, 4) for bound in rate.interval()],
                    }
                    for group, rate in groups.items()
                }
                for measure, groups in part.rates.items()
            },
        }
        for half, part in scores.items()
    }


def tables(scores: Mapping[str, Scores]) -> Iterator[str]:
    """One Markdown table a measure, a column a half."""
    measures = dict.fromkeys(name for part in scores.values() for name in part.rates)
    for measure in measures:
        yield f"## {measure}\n"
        yield "| group | " + " | ".join(f"{half} (95 % interval) | n" for half in scores) + " |"
        yield "| --- |" + " ---: | ---: |" * len(scores)
        groups = {group for part in scores.values() for group in part.rates.get(measure, {})}
        for group in sorted(groups, key=_order):
            cells = [_cells(part, measure, group) for part in scores.values()]
            yield f"| {group} | " + " | ".join(cells) + " |"
        yield ""
    for half, part in scores.items():
        yield f"words kept around instructions, {half}: {100 * part.carrier_kept:.1f} %"


def _order(group: str) -> tuple[bool, bool, str]:
    return group != "all", group.startswith("language"), group


def _cells(part: Scores, measure: str, group: str) -> str:
    rate = part.rates.get(measure, {}).get(group)
    if rate is None:
        return "| "
    low, high = rate.interval()
    return f"{100 * rate.share:.1f} % ({100 * low:.0f} to {100 * high:.0f}) | {rate.total}"
