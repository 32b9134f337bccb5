"""Help and version into a pipe that nobody reads, and onto a full disk."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

TEXTS = [["--help"], ["--version"], ["sync", "--help"], ["loads", "--help"],
         ["loads", "list", "--help"]]  # fmt: skip


def run(words: list[str], *, out: int, err: int = subprocess.PIPE) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "orrery_knowledge.cli", *words],
        stdout=out, stderr=err, text=True, timeout=60,
    )  # fmt: skip
    return done.returncode, done.stderr or ""


@pytest.fixture
def unread():
    """The writing end of a pipe whose reader has gone."""
    reading, writing = os.pipe()
    os.close(reading)
    yield writing
    os.close(writing)


@pytest.mark.parametrize("words", TEXTS, ids=" ".join)
def test_whoever_has_seen_enough_is_no_failure(unread: int, words: list[str]) -> None:
    assert run(words, out=unread) == (0, "")


def test_wrong_usage_stays_2_though_nobody_reads_why(unread: int) -> None:
    assert run(["nope"], out=unread, err=unread) == (2, "")


@pytest.mark.parametrize("words", TEXTS, ids=" ".join)
def test_a_full_disk_is_one_line(words: list[str]) -> None:
    with open("/dev/full", "w") as full:
        code, err = run(words, out=full.fileno())
    assert (code, err) == (1, "error: output: No space left on device\n")
