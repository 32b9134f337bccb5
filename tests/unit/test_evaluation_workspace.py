from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import pytest
from filelock import FileLock

from orrery_knowledge.evaluation.workspace import LOCK, SETTLED_SECONDS, workspace


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def left(scratch: Path, name: str, age: float, *, lock: bool = True) -> Path:
    """A folder as a killed run leaves it."""
    folder = scratch / name
    folder.mkdir()
    (folder / "ledger.db").write_text("x")
    if lock:
        (folder / LOCK).touch()
    then = time.time() - age
    os.utime(folder, (then, then))
    return folder


def test_it_is_there_and_then_gone(scratch: Path) -> None:
    with workspace() as folder:
        (folder / "ledger.db").write_text("x")
        assert folder.parent == scratch
    assert list(scratch.iterdir()) == []


def test_what_a_killed_run_left_goes_with_the_next(scratch: Path) -> None:
    left(scratch, "orrery-eval-dead", SETTLED_SECONDS + 60)
    with workspace():
        pass
    assert list(scratch.iterdir()) == []


def test_what_may_be_in_use_or_another_s_stays(scratch: Path) -> None:
    old = SETTLED_SECONDS + 60
    kept = [
        left(scratch, "orrery-eval-young", SETTLED_SECONDS - 60),
        left(scratch, "orrery-eval-unlocked", old, lock=False),
        left(scratch, "somebody-else", old),
    ]
    (scratch / "orrery-eval-link").symlink_to(kept[2])
    used = left(scratch, "orrery-eval-used", old)
    with FileLock(used / LOCK):
        os.utime(used, (time.time() - old,) * 2)
        with workspace():
            pass
    for folder in (*kept, used):
        assert (folder / "ledger.db").exists(), folder.name
