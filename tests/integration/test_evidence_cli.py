"""Evidence by the command line, with index and ledger on each engine."""

from __future__ import annotations

from pathlib import Path

import pytest
from sync_support import Place, page

pytest_plugins = ["engine_fixtures"]


@pytest.fixture
def shown(empty_place: Place) -> Place:
    """Two pages that investigation inc-1 was shown."""
    empty_place.fill(2)
    empty_place.sync()
    empty_place.search("zebra", investigation="inc-1", top_k=2, per_document=1)
    return empty_place


def test_what_was_shown_is_there_word_for_word(shown: Place) -> None:
    ran = shown.cli("evidence", "show", "inc-1", "--json")
    assert (ran.code, len(ran.json)) == (0, 2)
    first = ran.json[0]
    assert first["investigation"] == "inc-1"
    assert (first["load"], first["issued"], first["metadata"]["query"]) == (1, True, "zebra")
    assert first["metadata"]["trust"] == "from a reviewed source"
    assert first["metadata"]["ranks"]["lexical"] in (1, 2)
    assert len(first["digest"]) == 64
    text = shown.cli("evidence", "show", "inc-1").out
    assert first["citation"] in text
    assert "asked: zebra" in text
    assert f"   | {first['excerpt'].splitlines()[0]}" in text


def test_a_citation_resolves_after_edits_rollbacks_and_deletions(shown: Place) -> None:
    """K055, K104."""
    before = shown.cli("evidence", "show", "inc-1", "--json").json
    cited = next(one for one in before if one["path"] == "p00.md")
    shown.write("p00.md", page("Page 0", "walrus"))
    shown.sync()
    shown.cli("loads", "rollback")
    shown.cli("loads", "resume")
    (shown.root / "docs" / "p00.md").unlink()
    shown.sync()
    assert shown.holding("own0x") == set()
    [found] = shown.cli("evidence", "show", "inc-1", cited["citation"], "--json").json
    assert found == cited
    [latest] = shown.cli(
        "evidence", "show", "inc-1", cited["citation"].partition("@")[0], "--json"
    ).json
    assert latest == cited
    for file in shown.state.glob("index.db*"):
        file.unlink()
    assert shown.cli("evidence", "show", "inc-1", "--json").json == before


def test_what_was_never_issued_is_said_to_be(shown: Place) -> None:
    ran = shown.cli("evidence", "show", "inc-2")
    assert (ran.code, ran.err) == (1, "error: nothing was issued under this investigation\n")
    ran = shown.cli("evidence", "show", "inc-1", "kb:other.md@1a2b3c4")
    assert (ran.code, ran.out) == (1, "")
    assert shown.cli("evidence", "show", "inc-1", "other.md").code == 1


def test_a_proposal_is_checked(shown: Place, tmp_path: Path) -> None:
    citation = shown.cli("evidence", "show", "inc-1", "--json").json[0]["citation"]
    file = tmp_path / "proposal.md"
    file.write_text(f"Drain the pool, as {citation} says.\n")
    ran = shown.cli("evidence", "check", "inc-1", str(file), "--json")
    assert (ran.code, ran.json["ok"], ran.json["cited"]) == (0, True, [citation])
    # The same citation was never given out in another investigation.
    ran = shown.cli("evidence", "check", "inc-2", str(file), "--json")
    assert (ran.code, ran.json["ok"], ran.json["cited"]) == (1, False, [])
    file.write_text(f'It says "restart everything at once" {citation} and kb:made-up.md.\n')
    ran = shown.cli("evidence", "check", "inc-1", str(file))
    assert ran.code == 1
    assert "kb:made-up.md: this was not issued in this investigation\n" in ran.err
    assert f"{citation}: restart everything at once: these words do not stand" in ran.err
    assert ran.out == "2 problems; 1 citation, 1 quote\n"
    file.write_bytes(b"\xff\xfe")
    assert shown.cli("evidence", "check", "inc-1", str(file)).code == 2
    assert shown.cli("evidence", "check", "inc-1", str(tmp_path / "no.md")).code == 2
