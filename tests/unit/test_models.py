from __future__ import annotations

import inspect
import json

import pytest
from pydantic import ValidationError

from orrery_knowledge import models
from orrery_knowledge.models import (
    Model,
    Passage,
    Query,
    Ranks,
    SearchResult,
    SyncError,
    SyncReport,
)

CLASSES = [
    cls
    for _, cls in inspect.getmembers(models, inspect.isclass)
    if issubclass(cls, Model) and cls is not Model
]

PASSAGE = Passage(
    text="Raise max_connections.",
    citation="kb:pool.md#remedy@e4c1e3c",
    label="pool.md § Remedy",
    source="file:pool.md",
    title="Pool",
    section="Remedy",
    anchor="remedy",
    part=1,
    parts=1,
    line_start=5,
    line_end=7,
    revision="abc",
    modified_at=None,
    age_days=None,
    stale=False,
    needs_review=False,
    trust="from a reviewed source",
    matched=("words",),
    corpus="runbooks",
    service=None,
    score=0.5,
    ranks=Ranks(lexical=1),
    load=1,
)


@pytest.mark.parametrize("cls", CLASSES)
def test_every_model_is_frozen_and_strict(cls: type[Model]) -> None:
    assert cls.model_config["frozen"] is True
    assert cls.model_config["extra"] == "forbid"
    assert cls.__doc__


def test_a_model_can_not_be_changed() -> None:
    with pytest.raises(ValidationError):
        PASSAGE.text = "rm -rf"


def test_a_misspelt_field_is_refused() -> None:
    with pytest.raises(ValidationError):
        Query.model_validate({"text": "x", "topk": 3})


@pytest.mark.parametrize("mode", ["fuzzy", "", "Hybrid"])
def test_modes_are_three(mode: str) -> None:
    with pytest.raises(ValidationError):
        Query.model_validate({"text": "x", "mode": mode})


def test_a_query_asks_for_six_passages_of_six_documents() -> None:
    query = Query(text="x")
    assert (query.mode, query.top_k, query.per_document, query.pool) == ("hybrid", 6, 1, 50)


def test_the_shape_of_a_passage_is_the_documented_one() -> None:
    """INTERFACE: other programs rely on these names."""
    found = json.loads(PASSAGE.model_dump_json())
    assert list(found) == [
        "text", "citation", "label", "source", "title", "section", "anchor", "part", "parts",
        "line_start", "line_end", "revision", "modified_at", "age_days", "stale", "needs_review",
        "trust", "matched", "corpus", "service", "score", "ranks", "load",
    ]  # fmt: skip
    assert found["ranks"] == {"lexical": 1, "identifiers": None, "vector": None}


def test_a_passage_never_lacks_its_provenance() -> None:
    optional = {name for name, f in Passage.model_fields.items() if not f.is_required()}
    assert optional == set()


def test_the_shape_of_a_search_is_the_documented_one() -> None:
    found = SearchResult(status="ok", confident=True, confidence=0.9, query="x")
    assert set(found.model_dump(mode="json")) == {
        "status", "confident", "confidence", "query", "passages", "counts", "load", "took_ms",
        "reason", "failed_remedies",
    }  # fmt: skip
    assert found.model_dump()["counts"] == {"lexical": 0, "identifiers": 0, "vector": 0}


def test_the_shape_of_a_sync_holds_the_documented_one() -> None:
    found = SyncReport(load=1, activated=True, errors=(SyncError(source="a", reason="b"),))
    shape = found.model_dump(mode="json")
    assert {
        "load", "activated", "documents", "chunks", "skipped", "pruned", "removed", "quarantined",
        "failed", "embedded", "took_ms", "errors",
    } <= set(shape)  # fmt: skip
    assert shape["errors"] == [{"source": "a", "reason": "b"}]


def test_the_last_line_of_a_sync() -> None:
    counts = {"documents": 30, "chunks": 355, "skipped": 1, "pruned": 2, "removed": 3}
    report = SyncReport(load=1, activated=True, quarantined=4, failed=5, **counts)
    assert report.summary == (
        "indexed 30 documents as 355 chunks; skipped 1 unchanged; pruned 2 stale chunks; "
        "removed 3 deleted documents; quarantined 4; failed 5"
    )
    dry = report.model_copy(update={"dry_run": True})
    assert dry.summary.startswith("would index 30 documents as 355 chunks;")
