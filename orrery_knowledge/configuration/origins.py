"""`Origin`: which line of the file, or which variable, a setting comes from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from orrery_knowledge.configuration.file import ConfigurationFile, KeyPath

PREFIX = "ORRERY_KNOWLEDGE_"


def key_text(key: KeyPath) -> str:
    """A key as people write it: ``corpora.runbooks.sources[0].paths``."""
    text = ""
    for part in key:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def variable_name(key: KeyPath) -> str:
    """The variable of a setting: ``ORRERY_KNOWLEDGE_SEARCH__TOP_K``."""
    return PREFIX + "__".join(str(part) for part in key).upper()


@dataclass(frozen=True)
class Origin:
    """Where settings come from, so that a refusal can say where to look.

    Attributes:
        file: the configuration file, if there is one.
        variables: key of each variable that is set -> its text.
    """

    file: ConfigurationFile | None = None
    variables: Mapping[KeyPath, str] = field(default_factory=dict)

    def variable(self, key: KeyPath) -> str | None:
        """The variable that set a key; None when it comes from elsewhere."""
        for end in range(len(key), 0, -1):
            text = self.variables.get(key[:end])
            if text is None:
                continue
            in_file = self.file is not None and self.file.has(key)
            if end == len(key) or not in_file or _says(text, key[end:]):
                return variable_name(key[:end])
        return None

    def place(self, key: KeyPath) -> str:
        """``orrery.yaml, line 3`` or ``environment, ORRERY_...``; empty when nobody knows."""
        if name := self.variable(key):
            return f"environment, {name}"
        if self.file is None:
            return "environment" if self.variables else ""
        line = self.file.line(key)
        return self.file.name if line is None else f"{self.file.name}, line {line}"

    def sentence(self, key: KeyPath, problem: str) -> str:
        """A problem with the place of its key before it."""
        place = self.place(key)
        return f"{place}: {problem}" if place else problem


def holds(values: Any, part: str | int) -> bool:
    """Whether a mapping has a key, or a list a position."""
    if isinstance(values, dict):
        return part in values
    return isinstance(values, list | tuple) and isinstance(part, int) and part < len(values)


def _says(text: str, inner: KeyPath) -> bool:
    """Whether a variable that holds JSON says something at a key within."""
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError):
        return False
    for part in inner:
        if not holds(found, part):
            return False
        found = found[part]
    return True
