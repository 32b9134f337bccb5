"""Replaying investigations, with index and ledger on each engine."""

from __future__ import annotations

import json

import pytest
from sync_support import Place, Ran

from orrery_knowledge.errors import EmbedderError
from orrery_knowledge.evaluation import replay
from orrery_knowledge.models import SearchResult
from orrery_knowledge.retrieval import Retrieval

pytest_plugins = ["engine_fixtures"]

LONG = "Tell the people on call what you are about to do. "
POOL = f"# Pool\n\n## Remedy\n\nzebra: drain the pool, then resume the writers. {LONG}\n"
DISK = f"# Disk\n\n## Remedy\n\nzebra: delete the rotated logs of the host. {LONG}\n"


@pytest.fixture
def place(empty_place: Place) -> Place:
    """Two pages, both of which investigation INC-1 was shown for one query."""
    empty_place.write("pool.md", POOL)
    empty_place.write("disk.md", DISK)
    empty_place.sync()
    result = empty_place.search("zebra", investigation="INC-1", per_document=1, top_k=6)
    assert {p.citation.partition("@")[0] for p in result.passages} == {
        "kb:pool.md#remedy",
        "kb:disk.md#remedy",
    }
    return empty_place


def replayed(place: Place, *arguments: str) -> tuple[int, dict[str, str], dict[str, object]]:
    ran: Ran = place.cli("eval", "replay", "INC-1", "--json", *arguments)
    found = ran.json
    states = {p["citation"].partition("@")[0]: p["state"] for p in found["passages"]}
    return ran.code, states, found


def test_what_did_not_change_comes_back(place: Place) -> None:
    code, states, found = replayed(place)
    assert (code, found["lost"], found["replayed"], found["queries"]) == (0, [], 0, 1)
    assert states == {"kb:pool.md#remedy": "same", "kb:disk.md#remedy": "same"}
    assert [p["digest"] for p in found["passages"]] == [True, True]
    assert [p["now"] == p["citation"] for p in found["passages"]] == [True, True]
    assert [p["returned"] for p in found["passages"]] == [None, None]


def test_other_words_in_the_same_place_are_a_change(place: Place) -> None:
    place.write("pool.md", POOL.replace("drain", "fill"))
    place.sync()
    code, states, found = replayed(place)
    assert (code, found["lost"]) == (0, [])
    assert states == {"kb:pool.md#remedy": "changed", "kb:disk.md#remedy": "same"}
    assert {p["state"]: p["digest"] for p in found["passages"]} == {"changed": False, "same": True}


def test_an_edit_elsewhere_in_the_document_leaves_the_words_the_same(place: Place) -> None:
    place.write("pool.md", f"{POOL}\n## Afterwards\n\nWrite a report. {LONG * 20}\n")
    place.sync()
    code, states, found = replayed(place)
    assert (code, states["kb:pool.md#remedy"]) == (0, "same")
    assert [p["digest"] for p in found["passages"] if "pool.md" in p["citation"]] == [False]


def test_words_under_another_name_have_moved(place: Place) -> None:
    place.delete("pool.md")
    place.write("shared/pools.md", POOL)
    place.sync(allow_mass_delete=True)
    code, states, found = replayed(place)
    assert (code, states["kb:pool.md#remedy"]) == (0, "moved")
    [moved] = [p for p in found["passages"] if p["state"] == "moved"]
    assert moved["now"].startswith("kb:shared/pools.md#remedy@")


def test_all_that_moved_is_found_wherever_it_stands(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "BATCH", 1)
    place.delete("pool.md")
    place.delete("disk.md")
    place.write("a.md", DISK)
    place.write("b.md", "# B\n\n## Remedy\n\nOther words.\n")
    place.write("c.md", POOL)
    place.sync(allow_mass_delete=True)
    code, states, found = replayed(place)
    assert (code, set(states.values())) == (0, {"moved"})
    now = {p["citation"].partition("#")[0]: p["now"].partition("#")[0] for p in found["passages"]}
    assert now == {"kb:pool.md": "kb:c.md", "kb:disk.md": "kb:a.md"}


def test_what_was_deleted_is_gone_and_the_command_fails(place: Place) -> None:
    place.delete("pool.md")
    place.sync(allow_mass_delete=True)
    code, states, found = replayed(place)
    assert (code, states["kb:pool.md#remedy"]) == (1, "gone")
    assert [citation.partition("@")[0] for citation in found["lost"]] == ["kb:pool.md#remedy"]


def test_what_was_revoked_is_gone_before_any_sync(place: Place) -> None:
    place.decide("pool.md", "revoked")
    code, states, _ = replayed(place)
    assert (code, states) == (1, {"kb:pool.md#remedy": "gone", "kb:disk.md#remedy": "same"})


def test_queries_are_run_again_with_their_filters(place: Place) -> None:
    queries = place.root / "asked.jsonl"
    queries.write_text(json.dumps({"query": "zebra", "corpus": "runbooks"}) + "\n\n")
    code, _, found = replayed(place, "--queries", str(queries))
    assert (code, found["replayed"]) == (0, 1)
    assert [p["returned"] for p in found["passages"]] == [True, True]


def test_a_query_that_was_asked_with_two_filters_is_run_with_both(place: Place) -> None:
    place.write("pool.md", f"---\nservice: payments\n---\n{POOL}")
    place.write("disk.md", f"---\nservice: hosts\n---\n{DISK}")
    place.sync()
    queries = place.root / "asked.jsonl"
    asked = [{"query": "zebra", "service": "payments"}, {"query": "zebra", "service": "hosts"}]
    queries.write_text("".join(json.dumps(one) + "\n" for one in asked))
    code, _, found = replayed(place, "--queries", str(queries))
    assert [p["returned"] for p in found["passages"]] == [True, True]
    assert (code, found["replayed"], found["queries"]) == (0, 1, 1)


def test_an_outage_is_not_taken_for_a_loss(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    async def out(self: Retrieval, query: object) -> SearchResult:
        return SearchResult(
            status="unavailable", confident=False, confidence=0, query="zebra", reason="no answer"
        )

    monkeypatch.setattr(Retrieval, "search", out)
    queries = place.root / "asked.jsonl"
    queries.write_text('{"query": "zebra"}\n')
    ran = place.cli("eval", "replay", "INC-1", "--queries", str(queries))
    assert (ran.code, ran.err) == (3, "error: a query could not be run again: no answer\n")


def test_an_embedder_that_fails_is_named(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(self: Retrieval, *_: object) -> None:
        raise EmbedderError("the model is gone")

    monkeypatch.setattr(Retrieval, "_vector", fails)
    queries = place.root / "asked.jsonl"
    queries.write_text('{"query": "zebra"}\n')
    code, _, found = replayed(place, "--queries", str(queries))
    assert (code, found["notes"]) == (0, ["searched by words alone: the model is gone"])
    ran = place.cli("eval", "replay", "INC-1", "--queries", str(queries))
    assert ran.err == "note: searched by words alone: the model is gone\n"


def test_a_query_that_no_longer_brings_a_passage_back_fails(place: Place) -> None:
    queries = place.root / "asked.jsonl"
    queries.write_text('{"query": "zebra"}\n')
    place.write("pool.md", POOL)
    # One passage is returned at most, and the other page stands first from now on.
    place.write("disk.md", DISK.replace("zebra:", "zebra zebra zebra:"))
    place.sync()
    place.configure(search={"top_k": 1})
    code, states, found = replayed(place, "--queries", str(queries))
    assert states == {"kb:pool.md#remedy": "same", "kb:disk.md#remedy": "changed"}
    returned = {p["citation"].partition("@")[0]: p["returned"] for p in found["passages"]}
    assert sorted(map(str, returned.values())) == ["False", "True"]
    assert code == 1


def test_nothing_is_written_by_a_replay(place: Place) -> None:
    queries = place.root / "asked.jsonl"
    queries.write_text('{"query": "zebra"}\n')
    before = place.state_hash()
    replayed(place, "--queries", str(queries))
    assert place.state_hash() == before  # of files; a server is asked below
    rows = place.run(lambda _, ledger: ledger.evidence("INC-1"))
    assert [row.sequence for row in rows] == [1, 2]
    assert place.run(lambda _, ledger: ledger.gaps()).gaps == ()


def test_what_a_guard_dropped_is_not_missed(place: Place) -> None:
    [dropped] = [
        row.citation
        for row in place.run(lambda _, ledger: ledger.evidence("INC-1"))
        if row.path == "pool.md"
    ]
    place.run(lambda _, ledger: ledger.mark_not_issued("INC-1", [dropped]))
    place.delete("pool.md")
    place.sync(allow_mass_delete=True)
    code, states, _ = replayed(place)
    assert (code, states) == (0, {"kb:disk.md#remedy": "same"})


def test_a_person_reads_a_line_a_passage(place: Place) -> None:
    place.delete("pool.md")
    place.sync(allow_mass_delete=True)
    ran = place.cli("eval", "replay", "INC-1")
    lines = ran.out.splitlines()
    assert sorted(line.split()[0] for line in lines[:-1]) == ["gone", "same"]
    assert lines[-1].startswith("2 passages, 1 lost; 0 of 1 queries run again; load ")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"query": "never asked"}', "query 1 brought nothing in this investigation"),
        ('{"question": "zebra"}', "asked.jsonl:1: not a query"),
        ("zebra", "asked.jsonl:1: not a query"),
        ("[" * 100_000, "asked.jsonl:1: not a query"),
    ],
)
def test_wrong_queries_are_one_line_and_exit_2(place: Place, text: str, said: str) -> None:
    queries = place.root / "asked.jsonl"
    queries.write_text(text)
    ran = place.cli("eval", "replay", "INC-1", "--queries", str(queries))
    assert ran.code == 2
    [line] = ran.err.splitlines()
    assert said in line


def test_an_investigation_without_evidence_is_refused(place: Place) -> None:
    ran = place.cli("eval", "replay", "INC-2")
    assert (ran.code, ran.err) == (2, "error: nothing was issued under this investigation\n")
