"""200 kills an engine of real syncs, at named points or random moments, and 50 of approvals."""

from __future__ import annotations

import os
import random
import signal

import pytest
from kill_support import (
    Readers,
    check_after,
    kill_at,
    random_delay,
    survive,
    write_version,
)
from review_kill_support import edited, survive_approval
from sync_support import Place

pytest_plugins = ["engine_fixtures"]
pytestmark = pytest.mark.soak

SEED = int(os.environ.get("SOAK_SEED", random.SystemRandom().randrange(2**32)))
"""Set SOAK_SEED to repeat a campaign."""

METHODS = {
    "begin": 1,
    "missing_vectors": 5,
    "store_vectors": 5,
    "write": 5,
    "remove": 1,
    "check": 1,
    "activate": 1,
    "gc": 1,
    "quarantine": 1,
    "reviews": 1,
    "list_quarantine": 1,
}
"""Methods of index and ledger, and how often a sync of the test corpus calls them."""


def draw(generator: random.Random) -> str:
    """A point to die at."""
    kind = generator.random()
    if kind < 0.5:
        return f"random:{random_delay(generator)}:-"
    if kind < 0.75:
        return f"activate:sql:{generator.choice([*map(str, range(1, 70)), 'commit'])}"
    method = generator.choice(list(METHODS))
    return (
        f"{method}:{generator.randint(1, METHODS[method])}:{generator.choice(('before', 'after'))}"
    )


APPROVAL = ("decide", "set_eligible", "begin", "store_vectors", "write", "check", "activate", "gc")
"""What an approval calls once."""


@pytest.mark.parametrize("number", range(50))
def test_every_killed_approval_is_whole_or_was_not_taken(empty_place: Place, number: int) -> None:
    generator = random.Random(f"{SEED}-approval-{number}")
    point = f"random:{generator.uniform(0.0, 0.3)}:-"
    if generator.random() < 0.5:
        point = f"{generator.choice(APPROVAL)}:1:{generator.choice(('before', 'after'))}"
    try:
        survive_approval(edited(empty_place), point, generator.choice(("sync", "review")))
    except AssertionError as error:
        raise AssertionError(f"SOAK_SEED={SEED}, approval {number} at {point}") from error


@pytest.mark.parametrize("number", range(150))
def test_every_kill_leaves_one_whole_version(place: Place, number: int) -> None:
    point = draw(random.Random(f"{SEED}-{number}"))
    try:
        survive(place, point)
    except AssertionError as error:
        raise AssertionError(f"SOAK_SEED={SEED}, kill {number} at {point}") from error


def test_readers_see_whole_versions_through_fifty_kills(place: Place) -> None:
    generator = random.Random(SEED)
    version, killed = 1, 0
    with Readers(place, 2) as readers:
        for number in range(50):
            write_version(place, version + 1)
            point = draw(generator)
            killed += kill_at(place, point) == -signal.SIGKILL
            # Sometimes the next sync is killed as well, on what the first one left.
            if generator.random() < 0.3:
                kill_at(place, draw(generator))
            version += 1
            try:
                check_after(place, version - 1, version)
            except AssertionError as error:
                raise AssertionError(f"SOAK_SEED={SEED}, kill {number} at {point}") from error
    assert readers.seen() <= set(range(1, version + 1))
    assert killed >= 5, f"SOAK_SEED={SEED}: only {killed} kills hit"
