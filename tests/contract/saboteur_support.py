"""Breaks one rule of the SQLite index for the length of a test."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from orrery_knowledge.backends.sqlite import loads, search, snapshot
from orrery_knowledge.models import Query
from orrery_knowledge.testing.backends import BackendContract
from orrery_knowledge.testing.documents import OpenIndex, ask, make_document, paths, publish


class Contract(BackendContract):
    __test__ = False  # the honest index runs these below
    """The shipped contract and two tests that see what `fetch` and the vector ranking cover up."""

    async def test_no_ranking_holds_ineligible_text(self, open_index: OpenIndex) -> None:
        index = open_index()
        text = "# Memory\n\nRestart `kube-apiserver` when zebra memory is short.\n"
        await publish(
            index,
            [
                make_document("secret.md", text, eligible=False),
                make_document("other.md", "# Other\n\nzebra kube-apiserver memory\n"),
            ],
        )
        found = await ask(index, "kube-apiserver zebra memory")
        assert found.load is not None
        [body] = await index.fetch(list(found.candidates), found.load)
        assert found.rankings == dict.fromkeys(found.rankings, (body.id,))

    async def test_words_alone_are_joined_by_or(self, open_index: OpenIndex) -> None:
        index = open_index()
        pages = {"kafka.md": "# Kafka\n\nISR shrink recovery.\n", "half.md": "# Log\n\nkafka\n"}
        await publish(index, [make_document(path, text) for path, text in pages.items()])
        query = Query(text="please kafka isr shrink recovery", mode="lexical")
        found = await index.search(query, None, None)
        assert await paths(index, found, "lexical") == ["kafka.md", "half.md"]


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
