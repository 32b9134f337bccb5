"""Alert rules as Prometheus and its operator read them: rule files and PrometheusRule resources.

The files are YAML of strangers (a pull request's, say). Nothing is built from it but the few
scalars that are looked at, so that no alias can blow it up.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import re2
import yaml

from orrery_knowledge.errors import ConfigurationError

MAX_BYTES = 10 * 1024 * 1024
"""Of one file; the rules of a large cluster are about one megabyte."""

MAX_VALUES = 200_000
"""Keys and list items looked at in one file, each time that an alias repeats them."""

MAX_DEPTH = 50
"""Levels of YAML. Rules need seven, and a list of resources two more."""

_MAX_MERGES = 100
_MERGE = "tag:yaml.org,2002:merge"
# What Helm's templates have and those of Prometheus never. In charts, Prometheus's own are quoted.
_HELM = re2.compile(
    r"\{\{[^}]*?(?:\.(?:Values|Release|Chart|Capabilities|Files|Template)\b"
    r"|\b(?:include|tpl|toYaml|nindent)\b|`\{\{)"
)
_UNPRINTABLE = re2.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")


class AlertRule(NamedTuple):
    """One alerting rule.

    Attributes:
        file: where it stands, as it was named.
        line: of its name, from 1.
        group: name of its group; "" when it has none.
        name: of the alert.
        labels: its own, texts only, templates and all.
        annotations: likewise.
    """

    file: str
    line: int
    group: str
    name: str
    labels: dict[str, str]
    annotations: dict[str, str]


def read_rules(name: str, data: bytes) -> list[AlertRule]:
    """The alerting rules of a file.

    Args:
        name: of the file, for messages.
        data: a rule file (``groups``), PrometheusRule resources, lists of them, several documents;
            resources of other kinds are passed over.

    Raises:
        ConfigurationError: it can't be read, or holds no rules at all; names file and line.
    """
    return _Reader(name).rules(data)


def read_file(path: Path) -> bytes:
    """A file's bytes.

    Raises:
        ConfigurationError: it can't be read, or is too large.
    """
    try:
        with path.open("rb") as opened:
            data = opened.read(MAX_BYTES + 1)
    except OSError as error:
        raise ConfigurationError(f"{path}: {error.strerror or error}") from None
    return data


class _Reader:
    """Reads one file."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._left = MAX_VALUES
        self._sections = 0

    def rules(self, data: bytes) -> list[AlertRule]:
        found = [rule for root in self._documents(data) for rule in self._resource(root)]
        if not self._sections:
            raise self._wrong("holds no rules: neither groups nor a PrometheusRule", None)
        return found

    def _documents(self, data: bytes) -> Iterator[yaml.Node]:
        if len(data) > MAX_BYTES:
            raise self._wrong(f"is larger than {MAX_BYTES // 1024 // 1024} MiB", None)
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise self._wrong("is no UTF-8", data.count(b"\n", 0, error.start) + 1) from None
        if stray := _UNPRINTABLE.search(text):
            raise self._wrong("holds a control character", text.count("\n", 0, stray.start()) + 1)
        if helm := _HELM.search(text):
            raise self._helm(text.count("\n", 0, helm.start()) + 1)
        try:
            self._check_depth(text)
            for root in yaml.compose_all(text, Loader=yaml.CSafeLoader):
                if root is not None:
                    yield root
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            line = None if mark is None else mark.line + 1
            if line is not None and _starts_with_template(text, line):
                raise self._helm(line) from None
            raise self._wrong("is not valid YAML", line) from None
        except (yaml.YAMLError, RecursionError, ValueError):
            raise self._wrong("is not valid YAML", None) from None

    def _check_depth(self, text: str) -> None:
        """Refuse what would nest too deeply, before anything recurses into it."""
        depth = 0
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if depth > MAX_DEPTH:
                    mark = event.start_mark
                    line = None if mark is None else mark.line + 1
                    raise self._wrong(f"nests more than {MAX_DEPTH} levels", line)
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1

    def _resource(self, node: yaml.Node, level: int = 0) -> Iterator[AlertRule]:
        """A document, or an item of a list: lists hold resources, at most two deep."""
        if isinstance(node, yaml.SequenceNode) and level < 2:
            for item in self._counted(node):
                yield from self._resource(item, level + 1)
        if not isinstance(node, yaml.MappingNode):
            return
        values = self._mapping(node)
        kind = _text(values.get("kind"))
        if kind is None and "groups" in values:
            yield from self._groups(values["groups"])
        elif kind == "PrometheusRule":
            spec = values.get("spec")
            groups = self._mapping(spec).get("groups") if _is_mapping(spec) else None
            yield from self._groups(groups)
        elif kind is not None and kind.endswith("List") and level < 2:
            items = values.get("items")
            if isinstance(items, yaml.SequenceNode):
                # A PrometheusRuleList may leave the kind of its items out.
                for item in self._counted(items):
                    yield from self._item(item, kind, level)

    def _item(self, item: yaml.Node, kind: str, level: int) -> Iterator[AlertRule]:
        if kind == "PrometheusRuleList" and _is_mapping(item):
            spec = self._mapping(item).get("spec")
            yield from self._groups(
                self._mapping(spec).get("groups") if _is_mapping(spec) else None
            )
        else:
            yield from self._resource(item, level + 1)

    def _groups(self, node: yaml.Node | None) -> Iterator[AlertRule]:
        self._sections += 1
        for group in self._list(node, "groups"):
            values = self._mapping(group, "a group")
            name = _text(values.get("name")) or ""
            for rule in self._list(values.get("rules"), "rules"):
                found = self._rule(rule, name)
                if found is not None:
                    yield found

    def _rule(self, node: yaml.Node, group: str) -> AlertRule | None:
        values = self._mapping(node, "a rule")
        alert = values.get("alert")
        if alert is None:
            return None  # a recording rule
        name = _text(alert)
        if not name:
            raise self._wrong("has an alert without a name", _line(alert))
        return AlertRule(
            file=self._name,
            line=_line(alert),
            group=group,
            name=name,
            labels=self._texts(values.get("labels")),
            annotations=self._texts(values.get("annotations")),
        )

    def _texts(self, node: yaml.Node | None) -> dict[str, str]:
        values = self._mapping(node) if _is_mapping(node) else {}
        texts = {name: _text(value) for name, value in values.items()}
        return {name: text for name, text in texts.items() if text is not None}

    def _list(self, node: yaml.Node | None, what: str) -> Iterator[yaml.Node]:
        if node is None or _is_null(node):
            return
        if not isinstance(node, yaml.SequenceNode):
            raise self._wrong(f"has {what} that are no list", _line(node))
        yield from self._counted(node)

    def _counted(self, node: yaml.SequenceNode) -> Iterator[yaml.Node]:
        for item in node.value:
            self._count(item)
            yield item

    def _count(self, node: yaml.Node) -> None:
        self._left -= 1
        if self._left < 0:
            raise self._wrong(f"holds more than {MAX_VALUES} values", _line(node))

    def _mapping(self, node: yaml.Node | None, what: str = "a value") -> dict[str, yaml.Node]:
        if not isinstance(node, yaml.MappingNode):
            raise self._wrong(
                f"has {what} that is no mapping", None if node is None else _line(node)
            )
        return self._merged(node, [_MAX_MERGES])

    def _merged(self, node: yaml.MappingNode, left: list[int]) -> dict[str, yaml.Node]:
        """Keys and values; what ``<<`` names lies below them, as YAML has it."""
        own: dict[str, yaml.Node] = {}
        below: dict[str, yaml.Node] = {}
        for key, value in node.value:
            self._count(key)
            name = key.value if isinstance(key, yaml.ScalarNode) else None
            if key.tag == _MERGE:
                left[0] -= 1
                if left[0] < 0:
                    raise self._wrong("merges too many mappings", _line(key))
                merged = value.value if isinstance(value, yaml.SequenceNode) else [value]
                for one in merged[: left[0] + 1]:
                    if isinstance(one, yaml.MappingNode):
                        below = self._merged(one, left) | below
            elif name is not None:
                if name in own:
                    raise self._wrong("has a key twice", _line(key))
                own[name] = value
        return below | own

    def _helm(self, line: int) -> ConfigurationError:
        return self._wrong(
            "is a Helm template; render it first: helm template CHART | "
            "orrery-knowledge gaps --rules -",
            line,
        )

    def _wrong(self, problem: str, line: int | None) -> ConfigurationError:
        where = self._name if line is None else f"{self._name}, line {line}"
        return ConfigurationError(f"rules: {where}: {problem}")


def _starts_with_template(text: str, line: int) -> bool:
    """Whether a template stands where YAML needs a value; the parser may stop a line later."""
    near = text.split("\n")[max(0, line - 3) : line]
    return any(one.lstrip(" -").startswith("{{") for one in near)


def _is_mapping(node: yaml.Node | None) -> bool:
    return isinstance(node, yaml.MappingNode)


def _is_null(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.value in ("", "~", "null") and not node.style


def _text(node: yaml.Node | None) -> str | None:
    """A scalar as it is written; Prometheus takes numbers and booleans for texts too."""
    if node is None or not isinstance(node, yaml.ScalarNode) or _is_null(node):
        return None
    return str(node.value)


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1
