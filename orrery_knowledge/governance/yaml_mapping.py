"""YAML of strangers: one mapping, no tags, no duplicate keys, bounded depth, bounded size."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import yaml

from orrery_knowledge.errors import DocumentError
from orrery_knowledge.governance.cleaning import MAX_DEPTH, TooLarge, Unsupported, key_text

#: Keys whose value is kept as it was written: a version 1.10 must not become the number 1.1.
TEXT_KEYS = frozenset(("title", "service", "status", "owner", "doctype", "category", "version"))

# The parser's own words for these quote no content, and name the two usual slips.
_HINTS = {
    "mapping values are not allowed here": "put a value with a colon in quotes",
    "found character '\\t' that cannot start any token": "indent with spaces, not tabs",
}


class _Loader(yaml.SafeLoader):
    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self._depth > MAX_DEPTH:
            raise TooLarge
        self._depth += 1
        try:
            node = super().compose_node(parent, index)
        finally:
            self._depth -= 1
        return node if node is None or isinstance(node, yaml.Node) else None

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[str] = set()
        for key_node, _ in node.value:
            if key_node.tag == "tag:yaml.org,2002:merge":
                # Merging copies whole mappings before anything can be counted.
                raise DocumentError(
                    f"front matter uses a merge key, which is not read (line {_line(key_node)})"
                )
            try:
                key = key_text(self.construct_object(key_node, deep=True))
            except Unsupported:
                raise DocumentError(
                    f"front matter has a key that is no text (line {_line(key_node)})"
                ) from None
            if key in seen:
                raise DocumentError(f"front matter has a key twice (line {_line(key_node)})")
            seen.add(key)
        return super().construct_mapping(node, deep=deep)

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep=deep)
        except (ValueError, OverflowError, TypeError):
            # 2026-13-45 looks like a date to YAML and is none. YAMLError is none of these three.
            raise DocumentError(
                f"front matter has a value that can't be read (line {_line(node)})"
            ) from None


def read_yaml_mapping(content: str) -> dict[Hashable, Any] | None:
    """Read the text between the fences; None when it is no mapping.

    Raises:
        DocumentError: no valid YAML, a duplicate key, a tag, an impossible date.
        TooLarge: nested too deeply.
    """
    loader = _Loader(content)
    try:
        node = loader.get_single_node()
        if not isinstance(node, yaml.MappingNode):
            return None
        _keep_as_written(node)
        found = loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        hint = _HINTS.get(error.problem or "")
        where = f" (line {mark.line + 2})" if mark else ""
        raise DocumentError(
            f"front matter is not valid YAML{where}" + (f": {hint}" if hint else "")
        ) from None
    except (yaml.YAMLError, RecursionError):
        raise DocumentError("front matter is not valid YAML") from None
    finally:
        loader.dispose()
    return found if isinstance(found, dict) else None


def _keep_as_written(root: yaml.MappingNode) -> None:
    for key, value in root.value:
        plain = isinstance(key, yaml.ScalarNode) and isinstance(value, yaml.ScalarNode)
        if plain and key.value.casefold() in TEXT_KEYS and not value.tag.endswith(":null"):
            value.tag = "tag:yaml.org,2002:str"


def _line(node: yaml.Node) -> int:
    # YAML counts from 0 and starts behind the opening fence.
    return int(node.start_mark.line) + 2
