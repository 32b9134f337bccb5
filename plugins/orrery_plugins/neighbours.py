"""The texts of one result in the orders in which a model may read them as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from orrery_knowledge.screening import screen_neighbours
from orrery_knowledge.screening.variants import VOCABULARY
from orrery_plugins.results import Tree, map_strings
from orrery_plugins.stages import Call

_ROUNDS = 4


class Unstable(ValueError):
    """New instructions keep appearing between what is left."""


class _Text:
    """One string of a tree; `path` names the keys above it, without the places in lists."""

    __slots__ = ("key", "path", "text")

    def __init__(self, text: str, path: tuple[str, ...], *, key: bool) -> None:
        self.text = text
        self.path = path
        self.key = key


def screen_joined(tree: Tree, call: Call) -> Tree:
    """Withhold instructions that are spread over several strings of a tree.

    Raises:
        Unstable: after a few rounds there still are some.
    """
    for _ in range(_ROUNDS):
        texts: list[_Text] = []
        _collect(tree, (), texts)
        changed = False
        for order in _orders(texts):
            for text, screened in zip(
                order, screen_neighbours([text.text for text in order]), strict=True
            ):
                if screened.findings:
                    call.note(screened.findings)
                    text.text = screened.text
                    changed = True
        if not changed:
            return tree
        tree = _written_anew(tree, texts)
    raise Unstable


def _collect(value: Any, path: tuple[str, ...], texts: list[_Text]) -> None:
    if isinstance(value, str):
        texts.append(_Text(value, path, key=False))
    elif isinstance(value, list):
        for item in value:
            _collect(item, path, texts)
    elif isinstance(value, dict):
        for key, item in value.items():
            texts.append(_Text(key, (*path, key), key=True))
            _collect(item, (*path, key), texts)


def _written_anew(tree: Tree, texts: Sequence[_Text]) -> Tree:
    # `map_strings` comes to the strings in the order in which they were collected.
    left = iter(texts)
    written: Tree = map_strings(tree, lambda _: next(left).text)
    return written


def _orders(texts: Sequence[_Text]) -> list[list[_Text]]:
    """The values of each key, all values one after the other, and keys that are words with values.

    The columns come first: {"type": "text"} beside every block is no part of a sentence.
    """
    values = [text for text in texts if not text.key]
    columns: dict[tuple[str, ...], list[_Text]] = {}
    for text in values:
        columns.setdefault(text.path, []).append(text)
    orders = [column for column in columns.values() if len(column) > 1]
    if len(columns) > 1:
        orders.append(values)
    if any(text.key and _speaks(text.text) for text in texts):
        orders.append(list(texts))
    return orders


def _speaks(key: str) -> bool:
    """Whether a key can be part of a sentence: it is more than one word, or one that commands."""
    return " " in key.strip() or key.strip().lower() in VOCABULARY
