"""A sync that is killed, wherever it is, leaves one whole version and can be run again."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from engine_support import Engine
from kill_support import (
    KILLED,
    Readers,
    check_after,
    kill_at,
    random_delay,
    survive,
    write_version,
)
from sync_support import Place

pytest_plugins = ["engine_fixtures"]

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
    "activate:sql:commit",
]
AFTER_THE_SWAP = [
    "activate:1:after",
    "gc:1:before",
    "gc:1:after",
    "list_quarantine:1:before",
]


@pytest.mark.parametrize("point", BEFORE_THE_SWAP)
def test_killed_before_the_swap_the_old_version_answers(place: Place, point: str) -> None:
    assert survive(place, point) == (KILLED, 1)


@pytest.mark.parametrize("point", AFTER_THE_SWAP)
def test_killed_after_the_swap_the_new_version_answers(place: Place, point: str) -> None:
    assert survive(place, point) == (KILLED, 2)


def test_killed_between_any_two_statements_of_an_activation(
    engine: Engine, template: Place, tmp_path: Path
) -> None:
    seen = []
    while not seen or seen[-1][0] == KILLED:
        place = engine.copy(template, tmp_path / f"place{len(seen)}")
        seen.append(survive(place, f"activate:sql:{1 + engine.stride * len(seen)}"))
        engine.drop(place)
    *killed, last = seen
    assert last == (0, 2)
    assert killed == [(KILLED, 1)] * len(killed)
    assert len(killed) >= 5


def test_killed_at_random(engine: Engine, template: Place, tmp_path: Path) -> None:
    seed = random.randrange(2**32)
    generator = random.Random(seed)
    for number in range(6):
        delay = random_delay(generator)
        place = engine.copy(template, tmp_path / f"place{number}")
        try:
            survive(place, f"random:{delay}:-")
        except AssertionError as error:
            raise AssertionError(f"seed {seed}, kill {number} after {delay:.4f} s") from error
        engine.drop(place)


def test_killed_again_and_again_without_a_sync_in_between(place: Place) -> None:
    write_version(place, 2)
    for point in ("write:3:after", "activate:sql:commit", "remove:1:after", "write:1:after"):
        assert kill_at(place, point) == KILLED
    assert place.run(lambda index, _: index.verify()) == []
    assert check_after(place, 1, 2) == 1


@pytest.mark.parametrize("point", ["begin:1:after", "write:2:after", "activate:sql:commit"])
def test_a_first_sync_that_is_killed_can_be_run_again(empty_place: Place, point: str) -> None:
    write_version(empty_place, 1)
    assert kill_at(empty_place, point) == KILLED
    result = empty_place.search("zebra")
    assert result.status == "unavailable"
    assert result.reason is not None
    assert result.reason.endswith("run: orrery-knowledge sync") or result.reason.endswith(
        "if a sync was interrupted, run it again: orrery-knowledge sync"
    )
    assert empty_place.sync().documents == 13
    assert empty_place.verify() == []


def test_readers_see_whole_versions_while_syncs_are_killed(place: Place) -> None:
    points = ["write:2:after", "activate:sql:12", "activate:sql:commit", "activate:1:after"]
    with Readers(place) as readers:
        for version, point in enumerate(points, start=2):
            write_version(place, version)
            assert kill_at(place, point) == KILLED
            place.sync()
    assert readers.seen() <= {1, 2, 3, 4, 5}
    assert max(readers.seen()) >= 2
