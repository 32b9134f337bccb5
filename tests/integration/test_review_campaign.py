"""Eight processes decide, sync and search on each engine; what must hold, holds."""

from __future__ import annotations

from collections import Counter

import pytest
from campaign_support import OPERATIONS, PAGES, REVIEW, campaign, text
from sync_support import Place

pytest_plugins = ["engine_fixtures"]

COUNT = 2_000


@pytest.fixture
def reviewed(empty_place: Place) -> Place:
    empty_place.configure(REVIEW)
    for number in range(PAGES):
        empty_place.write(f"p{number:02}.md", text(number, 1))
    empty_place.sync()
    return empty_place


def test_what_is_decided_at_once_is_neither_lost_nor_doubled(reviewed: Place) -> None:
    done = campaign(reviewed, COUNT, seed=7)
    assert sum(done.values()) == COUNT
    assert {name.partition(":")[0] for name in done} == set(OPERATIONS)
    decided = sum(
        count
        for name, count in done.items()
        if name.partition(": ")[2] in ("done", "waits") and not name.startswith("sync")
    )
    assert reviewed.sync().failed == 0
    decisions = reviewed.run(lambda _, ledger: ledger.decisions_since(0))
    audit = reviewed.run(lambda _, ledger: ledger.audit(limit=10 * COUNT))

    # Each decision once, with its own audit row, and none without somebody who took it.
    assert len(decisions) == decided > 100
    assert len({one.number for one in decisions}) == decided
    assert Counter(entry.details["decision"] for entry in audit) == Counter(
        one.number for one in decisions
    )

    # On one version a decision follows only what it may follow.
    steps: dict[tuple[str, str], list[str]] = {}
    for one in decisions:
        steps.setdefault((one.path, one.digest), []).append(one.decision)
    assert {tuple(found) for found in steps.values()} <= {
        ("approved",),
        ("rejected",),
        ("approved", "revoked"),
    }

    # What answers is what the ledger grants: of each page one approved version, and the current one
    # wherever that is approved.
    latest = {key: found[-1] for key, found in steps.items()}
    visible = reviewed.run(lambda index, _: index.visible())
    assert len({path for _, _, path, _ in visible}) == len(visible)
    assert {latest.get((path, digest)) for _, _, path, digest in visible} <= {"approved"}
    answers = {path: digest for _, _, path, digest in visible}
    for review in reviewed.run(lambda _, ledger: ledger.reviews()):
        if review.current and review.status == "approved":
            assert answers[review.path] == review.digest
    assert reviewed.verify() == []
    loads = Counter(load.status for load in reviewed.loads())
    assert (loads["active"], loads["building"]) == (1, 0)
