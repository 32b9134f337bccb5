"""A sync that is killed, wherever it is, leaves one whole version and can be run again."""

from __future__ import annotations

import random
import shutil
import signal
from pathlib import Path

import pytest
from kill_support import (
    Readers,
    check_after,
    kill_at,
    random_delay,
    start_place,
    survive,
    write_version,
)
from sync_support import Place

KILLED = -signal.SIGKILL

BEFORE_THE_SWAP = [
    "begin:1:before",
    "begin:1:after",
    "store_vectors:1:before",
    "store_vectors:3:after",
    "write:1:before",
    "write:1:after",
    "write:4:before",
    "quarantine:1:before",
    "quarantine:1:after",
    "remove:1:before",
    "remove:1:after",
    "decision_lock:1:before",
    "check:1:after",
    "activate:1:before",
    "activate:sql:2",
    "activate:sql:9",
    "activate:sql:40",
    "activate:sql:commit",
]
AFTER_THE_SWAP = [
    "activate:1:after",
    "gc:1:before",
    "gc:1:after",
    "list_quarantine:1:before",
]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return start_place(tmp_path_factory.mktemp("template"))


@pytest.mark.parametrize("point", BEFORE_THE_SWAP)
def test_killed_before_the_swap_the_old_version_answers(
    template: Place, tmp_path: Path, point: str
) -> None:
    assert survive(template, tmp_path / "place", point) == (KILLED, 1)


@pytest.mark.parametrize("point", AFTER_THE_SWAP)
def test_killed_after_the_swap_the_new_version_answers(
    template: Place, tmp_path: Path, point: str
) -> None:
    assert survive(template, tmp_path / "place", point) == (KILLED, 2)


def test_killed_at_random(template: Place, tmp_path: Path) -> None:
    seed = random.randrange(2**32)
    generator = random.Random(seed)
    for number in range(6):
        delay = random_delay(generator)
        try:
            survive(template, tmp_path / f"place{number}", f"random:{delay}:-")
        except AssertionError as error:
            raise AssertionError(f"seed {seed}, kill {number} after {delay:.4f} s") from error


def test_killed_again_and_again_without_a_sync_in_between(template: Place, tmp_path: Path) -> None:
    shutil.copytree(template.root, tmp_path / "place")
    place = Place(tmp_path / "place")
    write_version(place, 2)
    for point in ("write:3:after", "activate:sql:commit", "remove:1:after", "write:1:after"):
        assert kill_at(place, point) == KILLED
    assert place.run(lambda index, _: index.verify()) == []
    assert check_after(place, 1, 2) == 1


def test_a_first_sync_that_is_killed_can_be_run_again(tmp_path: Path) -> None:
    for number, point in enumerate(("begin:1:after", "write:2:after", "activate:sql:commit")):
        place = Place(tmp_path / f"place{number}")
        write_version(place, 1)
        assert kill_at(place, point) == KILLED
        result = place.search("zebra")
        assert (result.status, result.reason) == (
            "unavailable",
            "nothing has been indexed yet; run: orrery-knowledge sync",
        )
        assert place.sync().documents == 13
        assert place.verify() == []


def test_readers_see_whole_versions_while_syncs_are_killed(template: Place, tmp_path: Path) -> None:
    shutil.copytree(template.root, tmp_path / "place")
    place = Place(tmp_path / "place")
    points = ["write:2:after", "activate:sql:12", "activate:sql:commit", "activate:1:after"]
    with Readers(place) as readers:
        for version, point in enumerate(points, start=2):
            write_version(place, version)
            assert kill_at(place, point) == KILLED
            place.sync()
    assert readers.seen() <= {1, 2, 3, 4, 5}
    assert max(readers.seen()) >= 2
