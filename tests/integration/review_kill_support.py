"""Approvals and filed reports that die, and what must hold afterwards."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, NamedTuple

from kill_support import KILLED, Trap, kill_at, killed_approval
from sync_support import SOURCE, Place, page

from orrery_knowledge.cli import report
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.settings import Settings

WHO = ("--reviewer", "ada", "--reason", "tried it", "--json")


class Edited(NamedTuple):
    """A page `p00.md` says "old" or "new"; `other` is of a page that waits as well."""

    place: Place
    edit: str
    other: str


def edited(place: Place) -> Edited:
    """The old text answers, the new one waits."""
    place.configure({"id": SOURCE, "type": "filesystem", "path": SOURCE, "trust": "review"})
    place.write("p00.md", page("Page", "zebra", "oldword"))
    place.write("p01.md", page("Other", "heron"))
    place.sync()
    waits = _pending(place)
    assert _approve(place, waits["p00.md"]) == 0
    place.write("p00.md", page("Page", "zebra", "newword"))
    place.sync()
    return Edited(place, _pending(place)["p00.md"], waits["p01.md"])


def survive_approval(
    review: Edited, point: str, repair: Literal["sync", "review"] = "sync"
) -> tuple[int, bool, str]:
    """Kill the approval of the edit; (exit code, whether it was recorded, what answered then)."""
    place = review.place
    code = kill_at(place, point, killed_approval, review.edit)
    assert code in (0, KILLED), f"{point}: the approval failed by itself"
    answered = _answers(place)
    recorded = _recorded(review)
    assert recorded in (0, 1), f"{point}: decided {recorded} times"
    assert place.run(lambda index, _: index.verify()) == []
    if repair == "review":
        assert _approve(place, review.other) == 0
    else:
        report = place.sync()
        assert (report.failed, report.refused) == (0, False)
    if not recorded:
        assert (_answers(place), answered) == ("old", "old")
        assert _approve(place, review.edit) == 0
    assert _answers(place) == "new"
    assert _approve(place, review.edit) == 5, "it was decided twice"
    assert _recorded(review) == 1
    assert place.verify() == []
    statuses = [load.status for load in place.loads()]
    assert (statuses.count("active"), statuses.count("building")) == (1, 0)
    return code, bool(recorded), answered


FILING = ("report", "file", "INC-1", "report.md", "--reviewer", "ada", "--json")


def killed_filing(root: str, point: str) -> None:
    """The child: the command that files a report dies at a point."""
    os.chdir(root)
    honest = report.build_ledger

    def trapped(settings: Settings) -> Ledger:
        ledger = honest(settings)
        Trap(point).around(ledger)
        return ledger

    report.build_ledger = trapped
    Place(Path(root)).cli(*FILING)


def _answers(place: Place) -> str:
    old, new = place.holding("oldword"), place.holding("newword")
    assert len(old | new) == 1, f"a mix: {old}, {new}"
    assert not (old and new), "both versions answer"
    assert place.holding("zebra") == {"p00.md"}
    return "old" if old else "new"


def _recorded(review: Edited) -> int:
    """How often the edit was decided on; the audit must say the same."""
    digits = review.edit.rpartition("@")[2]
    place = review.place
    decided = place.run(lambda _, ledger: ledger.decisions_since(0))
    entries = place.run(lambda _, ledger: ledger.audit())
    mine = [one for one in decided if one.digest.startswith(digits)]
    assert len(mine) == sum(entry.details["review"] == review.edit for entry in entries)
    return len(mine)


def _pending(place: Place) -> dict[str, str]:
    listed = place.cli("review", "list", "--status", "pending", "--json").json
    return {one["path"]: str(one["id"]) for one in listed}


def _approve(place: Place, review_id: str) -> int:
    return place.cli("review", "approve", review_id, *WHO).code
