"""The folder of one evaluation, and what killed ones have left."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

PREFIX = "orrery-eval-"
LOCK = "in-use.lock"
"""Held for as long as the evaluation lives; the system frees it whatever ends the process."""

SETTLED_SECONDS = 3600.0
"""A folder that was touched since may be one whose lock is just being made."""


@contextmanager
def workspace() -> Iterator[Path]:
    """An empty folder that is removed in the end.

    What was killed, by a second Ctrl-C too, could not remove its own: that is done here.
    """
    _remove_abandoned()
    with tempfile.TemporaryDirectory(prefix=PREFIX) as folder:
        path = Path(folder)
        with FileLock(path / LOCK):
            yield path


def _remove_abandoned() -> None:
    """Remove folders of this user that nobody holds; whatever can't be removed stays."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError, NotImplementedError, Timeout):
            if _is_settled(folder) and (folder / LOCK).is_file():
                with FileLock(folder / LOCK, timeout=0):
                    shutil.rmtree(folder, ignore_errors=True)


def _is_settled(folder: Path) -> bool:
    """Whether it is an older folder (no link) of this user."""
    status = folder.lstat()
    mine = not hasattr(os, "getuid") or status.st_uid == os.getuid()
    return mine and stat.S_ISDIR(status.st_mode) and time.time() - status.st_mtime > SETTLED_SECONDS
