from __future__ import annotations

import json
import logging
from collections import Counter
from datetime import UTC, datetime
from typing import Any

import pytest

from orrery_plugins import Audit, Call

SECRET = "AKIAQ3EGZX7MNB4TPLWV"


def record_of(tree: dict[str, Any], **call: Any) -> dict[str, Any]:
    records: list[dict[str, Any]] = []
    Audit(records.append).apply(tree, Call(**call))
    [record] = records
    return record


def passage(citation: object) -> dict[str, object]:
    return {"text": "drain the harbour node", "citation": citation}


def test_a_record_has_digests_and_counts_and_no_text():
    passages = [passage("kb:handbook:disk.md#drain~2@a1b2c3d")]
    tree = {"status": "ok", "load": 7, "passages": passages}
    record = record_of(
        tree,
        tool="search_knowledge",
        agent="triage",
        user_id="ada",
        session_id="s1",
        invocation_id="i1",
        call_id="c1",
        arguments={"query": "abc", "service": "harbour"},
        findings=Counter({"aws-key": 2, "a-rule": 1}),
        not_issued=["kb:disk.md#stop@0123456"],
        truncated=1,
    )
    time = datetime.fromisoformat(record.pop("time"))
    assert time.utcoffset() == UTC.utcoffset(None)
    assert 0 <= record.pop("latency_ms") < 60_000
    assert record == {
        "event": "tool_call",
        "user_id": "ada",
        "agent": "triage",
        "tool": "search_knowledge",
        "call_id": "c1",
        "session_id": "s1",
        "invocation_id": "i1",
        "status": "ok",
        # SHA-256 of "abc" from FIPS 180-4's examples.
        "query_digest": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "query_characters": 3,
        "load": 7,
        "passages": 1,
        "issued": ["kb:handbook:disk.md#drain~2@a1b2c3d"],
        "not_issued": ["kb:disk.md#stop@0123456"],
        "findings": {"a-rule": 1, "aws-key": 2},
        "truncated": 1,
        "characters": 128,
        "estimated_tokens": 32,
    }
    assert "harbour" not in json.dumps(record)


@pytest.mark.parametrize(
    ("tree", "status"),
    [
        ({"status": "no_match"}, "no_match"),
        ({"status": "unavailable"}, "unavailable"),
        ({"status": "withheld"}, "withheld"),
        ({"status": "text of a document"}, "ok"),
        ({"status": ["ok"]}, "ok"),
        ({"error": "boom"}, "error"),
        ({"error": None}, "ok"),
        ({"isError": True}, "error"),
        ({"isError": False}, "ok"),
        ({"result": "x"}, "ok"),
        ({}, "ok"),
    ],
)
def test_the_status_is_one_of_ours(tree, status):
    assert record_of(tree)["status"] == status


@pytest.mark.parametrize("arguments", [{}, {"query": None}, {"query": 3}, {"path": "/x"}])
def test_a_call_without_a_query_has_no_digest(arguments):
    record = record_of({}, arguments=arguments)
    assert record["query_digest"] is None
    assert record["query_characters"] is None


def test_a_query_that_cannot_be_encoded_is_still_recorded():
    assert len(record_of({}, arguments={"query": "\ud800"})["query_digest"]) == 64


@pytest.mark.parametrize(
    "citation",
    [
        None,
        7,
        "the text of a document",
        "kb:disk.md#drain",
        "kb:disk.md#a\r\n@a1b2c3d",
        "kb:" + "x" * 600 + "@a1b2c3d",
        "kb:disk.md@a1b2c3d and more text",
    ],
)
def test_what_is_no_citation_of_ours_is_not_written_down(citation):
    record = record_of({"passages": [passage(citation)]})
    assert record["issued"] == []
    assert record["passages"] == 1


def test_invented_names_carry_no_secret_and_no_length():
    record = record_of({}, tool=f"get_{'x' * 300}", session_id=f"key {SECRET} end")
    assert len(record["tool"]) == 200
    assert SECRET not in record["session_id"]


def test_nobody_can_forge_a_line_of_the_log(caplog):
    caplog.set_level(logging.INFO, logger="orrery.audit")
    name = 'x"}\r\n{"event": "tool_call", "status": "ok"}\n\x1b[2J\u2028\u0085'
    Audit().apply({}, Call(tool=name))
    [message] = caplog.messages
    assert message.isascii()
    assert message.isprintable()
    assert json.loads(message)["tool"] == name


def test_the_tree_goes_on_unchanged():
    tree = {"a": 1}
    assert Audit(lambda record: None).apply(tree, Call()) is tree


def test_a_query_is_written_only_when_it_is_asked_for_and_then_redacted() -> None:
    records: list[dict[str, Any]] = []
    call = Call(arguments={"query": f"who used {SECRET}?"})
    Audit(records.append).apply({}, call)
    Audit(records.append, queries=True).apply({}, call)
    assert "query" not in records[0]
    assert records[1]["query"].startswith("who used [")
    assert SECRET not in str(records)


def test_a_record_that_can_not_be_written_withholds_or_not_as_it_is_set(caplog) -> None:
    def broken(record: dict[str, Any]) -> None:
        raise OSError(f"disk full: {record}")

    tree = {"note": "calm"}
    with pytest.raises(OSError, match="disk full"):
        Audit(broken).apply(tree, Call())
    assert Audit(broken, fail_open=True).apply(tree, Call()) is tree
    [record] = caplog.records
    assert record.getMessage() == "an audit record was lost (OSError)"
