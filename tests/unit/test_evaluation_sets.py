"""The labelled sets that the repository ships: what a reader of their figures may rely on."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from orrery_knowledge.evaluation.datasets import DOCUMENT_GLOBS, Dataset, read_dataset
from orrery_knowledge.evaluation.runs import MEASURES
from orrery_knowledge.evaluation.thresholds import read_minimums
from orrery_knowledge.screening.pipeline import screen

ROOT = Path(__file__).parents[2] / "evals" / "retrieval"
SETS = {file.parent.name: read_dataset(file.parent) for file in ROOT.glob("*/queries.jsonl")}
KINDS = {"alert_name", "alert_full", "symptom", "error", "howto", "identifier", "lookup"}

every_set = pytest.mark.parametrize("found", SETS.values(), ids=SETS)


def documents(found: Dataset) -> list[Path]:
    return [file for pattern in DOCUMENT_GLOBS for file in found.documents.glob(pattern)]


def test_the_sets() -> None:
    assert set(SETS) == {"meridian", "tessera", "halyard"}


@every_set
def test_labels_point_at_sections_and_none_is_odd(found: Dataset) -> None:
    assert found.warnings == ()
    for query in found.queries:
        best = max(found.qrels.get(query.id, {"": 0}).values())
        assert best == (2 if query.answerable else 0), query.id


@every_set
def test_numbers_run_through_so_that_odd_and_even_are_halves(found: Dataset) -> None:
    name = found.folder.name
    expected = [f"{name}-{number:03d}" for number in range(1, len(found.queries) + 1)]
    assert [query.id for query in found.queries] == expected
    for kind, count in Counter(query.kind for query in found.queries).items():
        odd = sum(query.kind == kind and int(query.id[-3:]) % 2 for query in found.queries)
        assert abs(odd - count / 2) <= 1.5, kind


@every_set
def test_queries_are_told_apart_and_of_a_known_kind(found: Dataset) -> None:
    assert len({query.text for query in found.queries}) == len(found.queries)
    assert {query.kind for query in found.queries} == KINDS
    for query in found.queries:
        assert (query.kind == "alert_full") == (query.payload is not None), query.id
        assert query.no_answer in ((None,) if query.answerable else ("far", "near")), query.id


@every_set
def test_payloads_are_what_alertmanager_sends(found: Dataset) -> None:
    for payload in filter(None, (query.payload for query in found.queries)):
        check_payload(payload)


def check_payload(payload: dict[str, Any]) -> None:
    assert set(payload) == {
        "version", "groupKey", "truncatedAlerts", "status", "receiver", "groupLabels",
        "commonLabels", "commonAnnotations", "externalURL", "alerts",
    }  # fmt: skip
    alerts = payload["alerts"]
    assert (payload["version"], bool(alerts)) == ("4", True)
    firing = any(alert["status"] == "firing" for alert in alerts)
    assert payload["status"] == ("firing" if firing else "resolved")
    assert payload["groupLabels"].items() <= payload["commonLabels"].items()
    assert len({alert["fingerprint"] for alert in alerts}) == len(alerts)
    for alert in alerts:
        assert payload["commonLabels"].items() <= alert["labels"].items()
        assert payload["commonAnnotations"].items() <= alert["annotations"].items()
        assert re.fullmatch("[0-9a-f]{16}", alert["fingerprint"])
        assert (alert["status"] == "firing") == alert["endsAt"].startswith("0001-01-01")
        assert alert["status"] == "firing" or alert["startsAt"] < alert["endsAt"]


@every_set
def test_screening_has_nothing_to_say_about_the_documents(found: Dataset) -> None:
    for file in documents(found):
        assert screen(file.read_text()).findings == (), file.name


def test_together_they_are_what_was_wanted() -> None:
    queries = [query for found in SETS.values() for query in found.queries]
    near = Counter(query.no_answer for query in queries)
    assert sum(len(documents(found)) for found in SETS.values()) >= 40
    assert near[None] >= 150
    assert near["far"] >= 25
    assert near["near"] >= 25
    payloads = [query.payload for query in queries if query.payload]
    assert sum(payload["truncatedAlerts"] > 0 for payload in payloads) >= 3
    assert sum(payload["status"] == "resolved" for payload in payloads) >= 3
    assert sum(len({a["status"] for a in payload["alerts"]}) == 2 for payload in payloads) >= 2
    assert sum("runbook_url" in p["alerts"][0]["annotations"] for p in payloads) >= 5


def test_incidents_are_held_out_of_their_own_retrieval() -> None:
    held = [(q, d) for found in SETS.values() for q in found.queries for d in q.held_out]
    assert len(held) >= 15
    assert all(document.startswith("postmortems/") for _, document in held)


def test_every_set_has_minimums_in_each_mode_that_make_eval_runs() -> None:
    minimums = read_minimums(ROOT.parent / "thresholds.yaml")
    assert set(minimums) == set(SETS)
    for modes in minimums.values():
        assert set(modes) == {"hybrid", "lexical"}
        assert all(set(measures) == set(MEASURES) for measures in modes.values())
