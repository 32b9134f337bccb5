"""`orrery-knowledge sync` and `search` as people and CI jobs run them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from git_support import Repository
from sync_support import SOURCE, Place, page

MAIN = "from orrery_knowledge.cli.main import main; main()"
SUMMARY = re.compile(
    r"indexed (\d+) documents as (\d+) chunks; skipped (\d+) unchanged; pruned (\d+) stale chunks; "
    r"removed (\d+) deleted documents; quarantined (\d+); failed (\d+)"
)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def last_line(text: str) -> tuple[int, ...]:
    match = SUMMARY.fullmatch(text.splitlines()[-1])
    assert match, text
    return tuple(int(number) for number in match.groups())


def test_the_last_line_and_the_json_agree_with_the_database(place: Place) -> None:
    place.fill(9, sections=2)
    assert last_line(place.cli("sync").out) == (9, 18, 0, 0, 0, 0, 0)
    assert place.counted() == (9, 18)
    place.write("p00.md", page("Page 0", "walrus", sections=5))
    place.write("p01.md", "---\nstatus: [\n---\n")
    place.break_file("p02.md")
    ran = place.cli("sync", "--json")
    assert ran.code == 1
    report = ran.json
    assert set(report) >= {
        *("load", "activated", "documents", "chunks", "skipped", "pruned", "removed"),
        *("quarantined", "failed", "embedded", "took_ms", "errors"),
    }
    counts = {
        name: report[name] for name in ("documents", "chunks", "skipped", "pruned", "removed")
    }
    assert counts == {"documents": 1, "chunks": 5, "skipped": 6, "pruned": 2, "removed": 0}
    assert (report["quarantined"], report["failed"], report["embedded"]) == (1, 1, 5)
    assert {error["source"] for error in report["errors"]} == {"docs: p01.md", "docs: p02.md"}
    # By hand: 9 documents, of which one has 5 chunks now and the others 2.
    assert place.counted() == (9, 5 + 8 * 2)
    [(active,)] = place.sql("SELECT active FROM pointer")
    assert (report["load"], report["activated"]) == (active, True)
    rows = "SELECT coalesce(sum(chunk_count), 0) FROM document WHERE "
    assert place.sql(rows + f"added_in = {active}") == [(5,)]
    assert place.sql(rows + f"removed_in = {active}") == [(2,)]
    place.fill(9, sections=2)
    place.delete("p08.md")
    ran = place.cli("sync")
    assert (ran.code, last_line(ran.out)) == (0, (1, 2, 7, 5, 1, 0, 0))
    assert place.sql("SELECT count(*) FROM document WHERE removed_in = 3 AND path = 'p08.md'") == [
        (1,)
    ]


def test_nothing_changed_is_said(place: Place) -> None:
    place.fill(2)
    place.sync()
    ran = place.cli("sync")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[0] == "nothing has changed"
    assert last_line(ran.out) == (0, 0, 2, 0, 0, 0, 0)


def test_a_dry_run_writes_nothing(place: Place) -> None:
    place.fill(4)
    place.sync()
    place.write("p00.md", page("Page 0", "walrus"))
    place.write("bad.md", "---\nstatus: [\n---\n")
    place.delete("p03.md")
    before = place.state_hash()
    ran = place.cli("sync", "--dry-run")
    assert (ran.code, place.state_hash()) == (0, before)
    assert "would compute 1 embedding\n" in ran.out
    assert ran.out.splitlines()[-1].startswith("would index 1 documents as 1 chunks; skipped 2")
    real = place.cli("sync")
    assert real.out.splitlines()[-1] == ran.out.splitlines()[-1].replace("would index", "indexed")


def test_strict_makes_quarantine_a_failure(place: Place) -> None:
    place.fill(2)
    place.write("bad.md", "---\nstatus: [\n---\n")
    assert place.cli("sync").code == 0
    assert place.cli("sync", "--strict").code == 1
    place.delete("bad.md")
    assert place.cli("sync", "--strict").code == 0


def test_wrong_options_and_settings_exit_with_2(place: Place, tmp_path: Path) -> None:
    place.fill(1)
    for words in (
        ["sync", "--source", "nobody"],
        ["sync", "--nonsense"],
        ["search"],
        ["search", "zebra", "--top-k", "0"],
        ["search", "  "],
        ["search", "zebra", "--mode", "magic"],
    ):
        ran = place.cli(*words)
        assert (ran.code, ran.out) == (2, ""), words
        assert "Traceback" not in ran.err
    place.configure({"id": SOURCE, "type": "filesystem", "path": SOURCE})
    ran = place.cli("sync")
    assert (ran.code, "add `trust: review`" in ran.err) == (2, True)
    place.config.unlink()
    done = subprocess.run(
        [sys.executable, "-c", MAIN, "sync"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("error: knowledge is off")


def test_a_search_shows_where_a_passage_comes_from(place: Place) -> None:
    book = Repository(place.root / "book")
    sha = book.put("pool.md", "# Pool\n\nintro\n\n## Restart the proxy\n\nThe zebra.\n")
    place.configure(
        {"id": "book", "type": "git", "url": "book", "trust": "reviewed", "service": "pay"}
    )
    place.sync()
    ran = place.cli("search", "zebra", "--top-k", "1", "--json")
    [found] = ran.json["passages"]
    assert found["citation"].startswith("kb:pool.md#restart-the-proxy@")
    assert found["label"] == "pool.md § Restart the proxy"
    assert (found["line_start"], found["line_end"]) == (5, 7)
    assert (found["revision"], found["service"], found["corpus"]) == (sha, "pay", "runbooks")
    assert (found["load"], found["modified_at"]) == (1, "2023-11-14T22:13:20Z")
    assert (found["stale"], found["trust"]) == (True, "from a reviewed source")
    assert place.cli("search", "zebra", "--service", "pay").code == 0
    assert place.cli("search", "zebra", "--service", "other", "--json").json["status"] == "invalid"


def test_a_citation_is_the_same_with_and_without_a_file(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.fill(2)
    place.cli("sync")
    ours = place.cli("search", "own1x", "--json").json["passages"][0]
    assert ours["citation"].startswith("kb:p01.md#step-1-of-page-1@")
    elsewhere = place.root / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    monkeypatch.setenv("ORRERY_KNOWLEDGE_BACKEND", "sqlite")
    monkeypatch.setenv("ORRERY_KNOWLEDGE_STATE", str(place.state))
    monkeypatch.setenv("ORRERY_KNOWLEDGE_EMBEDDER", "none")
    done = subprocess.run(
        [sys.executable, "-c", MAIN, "search", "own1x", "--json"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    theirs = json.loads(done.stdout)["passages"][0]
    assert theirs["citation"] == ours["citation"]


def test_before_the_first_sync_a_search_is_unavailable(place: Place) -> None:
    ran = place.cli("search", "zebra", "--json")
    assert (ran.code, ran.json["status"]) == (3, "unavailable")
    assert ran.json["reason"] == "nothing has been indexed yet; run: orrery-knowledge sync"


def test_the_installed_command_with_the_real_model(place: Place) -> None:
    """No test double at all: the script that users run, git, and the local model."""
    book = Repository(place.root / "book")
    book.write("disk.md", "# Disk\n\n## Free space\n\nDelete old archives when a volume is full.\n")
    book.write("mail.md", "# Mail\n\n## Queue\n\nRestart postfix when messages pile up.\n")
    book.commit()
    place.configure(
        {"id": "book", "type": "git", "url": "book", "trust": "reviewed"},
        embedder={"type": "minilm"},
    )

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        script = Path(sys.executable).with_name("orrery-knowledge")
        start = [str(script)] if script.exists() else [sys.executable, "-c", MAIN]
        return subprocess.run(
            [*start, *words], cwd=place.root, capture_output=True, text=True, check=False
        )

    first = run("sync")
    assert (first.returncode, last_line(first.stdout)) == (0, (2, 2, 0, 0, 0, 0, 0))
    found = json.loads(run("search", "no room left on the drive", "--json").stdout)
    assert (found["status"], found["passages"][0]["section"]) == ("ok", "Free space")
    book.put("mail.md", "# Mail\n\n## Queue\n\nFlush it with postqueue.\n")
    again = run("sync", "--json")
    report = json.loads(again.stdout)
    assert (report["documents"], report["skipped"], report["embedded"]) == (1, 1, 1)
    assert json.loads(run("sync", "--json").stdout)["embedded"] == 0
    assert run("verify").stdout == "all is well\n"
    assert run("loads", "rollback").returncode == 0
    assert run("sync").returncode == 1
