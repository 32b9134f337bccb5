"""`ConfigurationFile`: one YAML file, its values, and the line that each of them stands on."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml

from orrery_knowledge.errors import ConfigurationError

KeyPath = tuple[str | int, ...]
"""Where a value stands: keys, and positions in lists (from 0)."""

# What the parser says -> what to do about it. Its own words are about tokens, and may repeat text.
_PROBLEMS = (
    ("stands there twice", None),
    ("'\\t' that cannot start", "a tab is used to indent; YAML takes spaces only"),
    ("while scanning an a", 'text that begins with * or & needs quotes: "**/*.md"'),
    ("undefined alias", 'text that begins with * needs quotes: "*.md"'),
    ("mapping values are not", "a colon can't stand here; check the indentation, or use quotes"),
    ("could not find expected ':'", "a key without a colon and a space after it"),
    ("a single document", "a second document begins with ---; one file holds one"),
    ("constructor for the tag", "text that begins with ! needs quotes"),
    ("unhashable", "a key must be plain text"),
    ("unknown escape", "a backslash in double quotes; use single quotes"),
    ("cannot start any token", "text that begins with @, %, | or ` needs quotes"),
    ("expected <block end>", "the indentation doesn't fit the lines above"),
    ("expected ',' or", "a comma or a closing bracket is missing"),
    ("unexpected end of stream", "a quote is never closed"),
    ("can't be read", None),
)


class ConfigurationFile:
    """A file that was read.

    Args:
        path: the file.

    Attributes:
        name: its name, for messages.
        folder: where it lies, absolute.
        values: what it says; {} when it is empty.

    Raises:
        ConfigurationError: it can't be read, is no YAML, or says a key twice.
    """

    def __init__(self, path: Path) -> None:
        self.name = path.name
        try:
            self.folder = path.resolve().parent
            text = path.read_bytes().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            raise self._wrong(line, "this is not UTF-8; save the file as UTF-8") from None
        except OSError as error:
            raise ConfigurationError(f"{self.name} can't be read: {error.strerror}") from None
        self._root: yaml.Node | None = None
        loaded = self._load(text)
        if loaded is not None and not isinstance(loaded, dict):
            raise self._wrong(
                1, "keys with values are expected at the top, for example `backend: sqlite`"
            )
        self.values = {str(key): value for key, value in (loaded or {}).items()}

    def _load(self, text: str) -> Any:
        try:
            loader = _Loader(text)
            self._root = loader.get_single_node()
            return None if self._root is None else loader.construct_document(self._root)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            raise self._wrong(mark.line + 1 if mark else 1, _plain(error)) from None
        except yaml.reader.ReaderError as error:
            line = text.count("\n", 0, error.position) + 1
            raise self._wrong(line, "a control character; delete it") from None
        except (yaml.YAMLError, ValueError):
            raise ConfigurationError(f"{self.name} is not valid YAML") from None
        except RecursionError:
            raise ConfigurationError(f"{self.name} is nested too deeply") from None

    def _wrong(self, line: int, problem: str) -> ConfigurationError:
        return ConfigurationError(f"{self.name}, line {line}: {problem}")

    def has(self, key: KeyPath) -> bool:
        """Whether the file says something there."""
        return self._find(key)[1] == len(key)

    def line(self, key: KeyPath) -> int | None:
        """The line (from 1) of a key, or of the nearest one around it; None at the top."""
        return self._find(key)[0]

    def _find(self, key: KeyPath) -> tuple[int | None, int]:
        # Found when asked for: a file may say one thing in many places by its aliases.
        node, depth = self._root, 0
        line: int | None = None
        for part in key:
            found = _below(node, part)
            if found is None:
                break
            mark, node = found
            line, depth = mark.start_mark.line + 1, depth + 1
        return line, depth


class _Loader(yaml.SafeLoader):
    """Refuses a key that stands twice: the last would win, and a collection would be gone."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value != "<<":
                if key.value in seen:
                    raise yaml.MarkedYAMLError(
                        problem=f"{key.value!r} stands there twice", problem_mark=key.start_mark
                    )
                seen.add(key.value)
        return super().construct_mapping(node, deep=deep)

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep=deep)
        except ValueError:  # the thirteenth month, a number in no base
            raise yaml.MarkedYAMLError(
                problem="a date or number that can't be read; put it in quotes",
                problem_mark=node.start_mark,
            ) from None


def _below(node: yaml.Node | None, part: str | int) -> tuple[yaml.Node, yaml.Node] | None:
    """What marks the place of a key or position, and what stands there."""
    if isinstance(node, yaml.MappingNode):
        # From the end: a merged key stands before one of the mapping's own.
        for name, value in reversed(node.value):
            if isinstance(name, yaml.ScalarNode) and name.value == str(part):
                return name, value
    elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part], node.value[part]
    return None


def _plain(error: yaml.MarkedYAMLError) -> str:
    said = f"{error.context} {error.problem}"
    for needle, sentence in _PROBLEMS:
        if needle in said:
            return sentence or str(error.problem)
    return "this is not valid YAML"
