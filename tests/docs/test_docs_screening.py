"""Our own pages as somebody's knowledge: nothing in them is kept out of search."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from cli_support import Desk
from docs_support import ROOT

PATHS = ["README.md", "CONTRIBUTING.md", "docs/**/*.md", "samples/**/*.md"]


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    source = {"id": "own", "type": "filesystem", "path": str(ROOT), "paths": PATHS}
    settings = {
        "embedder": {"type": "none"},
        "corpora": {"own": {"sources": [source | {"trust": "reviewed"}]}},
    }
    monkeypatch.chdir(tmp_path)
    return Desk(tmp_path, yaml.safe_dump(settings))


def test_no_page_of_ours_is_quarantined(pages: Desk) -> None:
    files = {file for path in PATHS for file in ROOT.glob(path)}
    ran = pages.run("sync", "--json")
    assert ran.code == 0, ran.err
    assert pages.run("quarantine", "list", "--json").json == []
    assert (ran.json["documents"], ran.json["quarantined"], ran.json["failed"]) == (
        len(files),
        0,
        0,
    )


def test_a_strict_dry_run_agrees(pages: Desk) -> None:
    ran = pages.run("sync", "--dry-run", "--strict")
    assert ran.code == 0, ran.err
