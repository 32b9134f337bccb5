"""Breaks one rule of the SQLite index for the length of a test."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from orrery_knowledge.backends.sqlite import loads, search, snapshot
from orrery_knowledge.testing.backends import BackendContract


class Contract(BackendContract):
    """The shipped contract, run by the saboteurs' tests only."""

    __test__ = False


Sabotage = Callable[[pytest.MonkeyPatch], None]

BROKEN = (AssertionError, pytest.fail.Exception)
"""What a contract test fails with: an assertion, or `pytest.raises` that saw nothing raised."""


@dataclass(frozen=True)
class Saboteur:
    """One broken rule.

    Attributes:
        breaks: the rule, in words.
        test: the contract test that is named for it.
        sabotage: how it is broken.
        given: parameters of the test.
        fails_with: how the test fails.
    """

    breaks: str
    test: str
    sabotage: Sabotage
    given: Mapping[str, Any] = field(default_factory=dict)
    fails_with: tuple[type[BaseException], ...] = BROKEN

    def __str__(self) -> str:
        return self.breaks.replace(" ", "_")


def sql(module: Any, **changes: str | tuple[str, str]) -> Sabotage:
    """Other statements for a module: whole ones, or (what stands there, what shall)."""

    def apply(patch: pytest.MonkeyPatch) -> None:
        statements = dict(module.SQL)
        for name, change in changes.items():
            if isinstance(change, tuple):
                assert change[0] in statements[name], f"{name} doesn't hold {change[0]!r} any more"
                statements[name] = statements[name].replace(*change)
            else:
                statements[name] = change
        for used in (search, snapshot) if module is not loads else (loads,):
            patch.setattr(used, "SQL", statements)

    return apply


def code(target: Any, name: str, replacement: Any) -> Sabotage:
    """Another function."""
    return lambda patch: patch.setattr(target, name, replacement)


def both(*sabotages: Sabotage) -> Sabotage:
    """Several at once: some rules are held twice."""

    def apply(patch: pytest.MonkeyPatch) -> None:
        for sabotage in sabotages:
            sabotage(patch)

    return apply


NOTHING = "SELECT 0 AS chunk_count WHERE 0"
