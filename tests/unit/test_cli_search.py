from __future__ import annotations

from pathlib import Path

import pytest
from cli_support import Desk

ESCAPES = "\x1b[2J\x1b]0;owned\x07\x9b31m"

POOL = """\
---
title: Pool exhaustion
service: payments
---
# Pool exhaustion

Clients wait for a connection.

## Remedy

Raise max_connections and start it with --max-cost.
"""


@pytest.fixture
def desk(desk: Desk) -> Desk:
    """Two documents, and a first load."""
    desk.write("pool.md", POOL)
    desk.write("lag.md", "# Lag\n\nConsumers fall behind kafka.\n")
    assert desk.run("sync").code == 0
    return desk


def test_a_passage_comes_with_where_it_is_from(desk: Desk) -> None:
    ran = desk.run("search", "max_connections")
    assert (ran.code, ran.err) == (0, "")
    first = ran.out.partition("1. ")[2].splitlines()
    assert first[0] == "pool.md § Remedy"
    assert first[1].startswith("   kb:pool.md#remedy@")
    assert first[1].endswith("  lines 9-11")
    assert first[2] == "   file:docs/pool.md  (0 days old, from a reviewed source)"
    assert first[3].startswith("   matched by identifier, words; score 0.")
    assert first[4:7] == [
        "   | ## Remedy",
        "   | ",
        "   | Raise max_connections and start it with --max-cost.",
    ]
    last = ran.out.splitlines()[-1]
    assert last.startswith("load 1; candidates: lexical 2, identifiers 1, vector 0; ")


def test_json_is_all_that_stands_on_stdout(desk: Desk) -> None:
    ran = desk.run("search", "max_connections", "--json")
    assert (ran.code, ran.err) == (0, "")
    found = ran.json
    assert (found["status"], found["load"], found["query"]) == ("ok", 1, "max_connections")
    (passage,) = found["passages"]
    assert (passage["section"], passage["line_start"], passage["line_end"]) == ("Remedy", 9, 11)
    assert passage["service"] == "payments"
    assert ran.out.isascii()


@pytest.mark.parametrize("arguments", [["--max-cost"], ["--", "--max-cost"]])
def test_a_flag_is_a_question_like_any_other(desk: Desk, arguments: list[str]) -> None:
    ran = desk.run("search", "--json", *arguments)
    assert (ran.code, ran.json["query"]) == (0, "--max-cost")
    assert ran.json["passages"][0]["section"] == "Remedy"
    assert ran.json["passages"][0]["matched"] == ["identifier", "words"]


def test_a_misspelt_option_beside_a_question_is_refused(desk: Desk) -> None:
    ran = desk.run("search", "max_connections", "--topk", "3")
    assert (ran.code, ran.out) == (2, "")
    assert "--topk" in ran.err


@pytest.mark.parametrize("query", ["", "  ", "\n\t"])
def test_an_empty_query_is_invalid(desk: Desk, query: str) -> None:
    ran = desk.run("search", query)
    assert (ran.code, ran.out, ran.err) == (2, "", "invalid: the query is empty\n")
    ran = desk.run("search", query, "--json")
    assert (ran.code, ran.json["status"], ran.json["reason"]) == (
        2, "invalid", "the query is empty",
    )  # fmt: skip


@pytest.mark.parametrize(
    "query",
    [
        "pool " * 20_000, "x" * 100_000, "a/" * 50_000, '"unclosed', "NEAR(a b)", "k=60", "*",
        "( OR", "a AND NOT b", "pool'; DROP TABLE load; --", "\x00", "😀", "\u202e",
        "col:max_connections",
    ],
)  # fmt: skip
def test_no_query_is_too_odd(desk: Desk, query: str) -> None:
    """K060 and its siblings: text is never taken for query syntax."""
    ran = desk.run("search", query, "--json")
    assert ran.code == 0
    assert ran.json["status"] in ("ok", "no_match")


def test_no_match_is_said_and_is_no_failure(desk: Desk) -> None:
    ran = desk.run("search", "zanzibar")
    assert (ran.code, ran.out) == (0, "no match: nothing that was written answers this\n")
    assert desk.run("search", "zanzibar", "--json").json["status"] == "no_match"


def test_before_the_first_sync_it_is_unavailable(tmp_path: Path, desk: Desk) -> None:
    """And not "no match": nothing was looked through."""
    for file in (tmp_path / ".orrery").glob("index.db*"):
        file.unlink()
    ran = desk.run("search", "pool")
    assert (ran.code, ran.out) == (3, "")
    assert ran.err == ("unavailable: nothing has been indexed yet; run: orrery-knowledge sync\n")


REVIEW = """\
embedder: {type: none}
corpora:
  runbooks:
    sources:
      - {id: book, type: filesystem, path: docs, trust: review}
"""


def test_what_waits_for_a_review_is_counted(desk: Desk, tmp_path: Path) -> None:
    """Everything is there and nothing may be shown: "run sync" would be no help."""
    for file in (tmp_path / ".orrery").iterdir():
        file.unlink()
    (tmp_path / "orrery.yaml").write_text(REVIEW)
    desk.write("wrong.md", "---\nstatus: [\n---\nx\n")
    assert "2 documents wait for a review\n" in desk.run("sync").out
    ran = desk.run("search", "kafka")
    assert (ran.code, ran.out) == (3, "")
    assert ran.err == (
        "unavailable: no document may be shown yet: 2 wait for a review and 1 is quarantined "
        "(see `orrery-knowledge quarantine list`); "
        "if a sync was interrupted, run it again: orrery-knowledge sync\n"
    )
    shown = desk.run("search", "kafka", "--json").json
    assert (shown["status"], shown["reason"]) == (
        "unavailable", ran.err.removeprefix("unavailable: ").strip(),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("option", "name", "known"),
    [("--service", "payment", "payments"), ("--corpus", "adr", "runbooks")],
)
def test_a_filter_that_names_nothing_is_2(desk: Desk, option: str, name: str, known: str) -> None:
    what = option.removeprefix("--")
    reason = f"there is no {what} '{name}'; known: {known}; without one, all are searched"
    ran = desk.run("search", "kafka", option, name)
    assert (ran.code, ran.out, ran.err) == (2, "", f"invalid: {reason}\n")
    shown = desk.run("search", "kafka", option, name, "--json")
    assert (shown.code, shown.json["status"], shown.json["reason"]) == (2, "invalid", reason)


def test_filters(desk: Desk) -> None:
    def paths(*options: str) -> list[str]:
        found = desk.run("search", "kafka connection", "--json", *options).json["passages"]
        return sorted(passage["label"].partition(" ")[0] for passage in found)

    assert paths() == ["lag.md", "pool.md"]
    assert paths("--service", "payments") == ["pool.md"]
    assert paths("--service", "none") == []
    assert paths("--corpus", "runbooks") == ["lag.md", "pool.md"]
    assert paths("--corpus", "adr") == []
    assert len(paths("--top-k", "1")) == 1


def test_by_meaning_needs_an_embedder(desk: Desk) -> None:
    ran = desk.run("search", "pool", "--mode", "vector")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("invalid: search by meaning needs an embedder")


def test_more_passages_of_a_document(desk: Desk) -> None:
    both = desk.run("search", "connection remedy", "--per-document", "0", "--json").json
    one = desk.run("search", "connection remedy", "--json").json
    assert (len(both["passages"]), len(one["passages"])) == (2, 1)


def test_what_is_shown_can_be_kept_as_evidence(desk: Desk) -> None:
    ran = desk.run("search", "max_connections", "--investigation", "INC-1", "--json")
    assert (ran.code, ran.json["status"]) == (0, "ok")


def test_a_hostile_document_steers_no_terminal(desk: Desk) -> None:
    """It is shown as data, behind a bar, and adds no line of its own."""
    desk.write("steers.md", f"# Walrus {ESCAPES}\n\nwalrus {ESCAPES}\n")
    desk.write("walrus.md", "# Walrus\n\nwalrus\r9. fake.md § Fake\nload 9; candidates: none\n")
    assert desk.run("sync").code == 0
    ran = desk.run("search", "walrus")
    assert ran.code == 0
    assert not set(ran.out) & set("\x1b\x07\x9b\r")
    shown = [line for line in ran.out.splitlines() if "fake" in line or "load 9" in line]
    assert shown == ["   | 9. fake.md § Fake", "   | load 9; candidates: none"]
    assert desk.run("search", "walrus", "--json").out.isascii()


def test_nor_does_a_hostile_name(desk: Desk) -> None:
    desk.write(f"x\nload 9 is active {ESCAPES}.md", "# Walrus\n\nwalrus\n")
    assert desk.run("sync").code == 0
    ran = desk.run("search", "walrus")
    assert not set(ran.out) & set("\x1b\x07\x9b\r")
    assert not [line for line in ran.out.splitlines() if line.startswith("load 9")]


def test_a_lost_index_is_3_and_a_damaged_one_says_so(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / ".orrery" / "index.db").write_bytes(b"no database" * 1000)
    for extra in ([], ["--json"]):
        ran = desk.run("search", "pool", *extra)
        assert ran.code == 3
        assert "unavailable" in ran.err + ran.out
        assert "damaged; delete it and run sync again" in ran.err + ran.out
