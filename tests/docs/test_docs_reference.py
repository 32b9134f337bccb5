"""The reference is complete and true: settings, JSON shapes, constants, dependencies, changes."""

from __future__ import annotations

import json
import re
import tomllib
from importlib import import_module
from typing import Any

import pytest
import yaml
from docs_support import REFERENCE, ROOT, blocks, names, table_rows, tokens
from pydantic import BaseModel

from orrery_knowledge.adk.trajectory import Outcome
from orrery_knowledge.alerts import Route, RoutedAlert, Routing
from orrery_knowledge.evaluation.comparison import Variant
from orrery_knowledge.evaluation.replay import Replay, ReplayedPassage
from orrery_knowledge.evaluation.runs import Evaluation, Scores
from orrery_knowledge.gaps.checks import RuleFinding
from orrery_knowledge.governance.records import Gap, QuarantineEntry, QuarantineReason
from orrery_knowledge.models import (
    Chunk,
    Counts,
    LoadRecord,
    Passage,
    Ranks,
    SearchResult,
    SyncError,
    SyncReport,
)
from orrery_knowledge.registry import BUILT_IN, load_component
from orrery_knowledge.runtime import build_embedder, build_index, build_sources
from orrery_knowledge.screening import Finding
from orrery_knowledge.settings import Component, Settings, validate
from orrery_knowledge.verification import Drift

CONFIGURATION = REFERENCE / "configuration.md"
SHAPES = (
    Passage,
    Ranks,
    SearchResult,
    Counts,
    SyncReport,
    SyncError,
    LoadRecord,
    QuarantineEntry,
    QuarantineReason,
    Gap,
    RuleFinding,
    Drift,
    Chunk,
    Finding,
    Evaluation,
    Scores,
    Variant,
    Outcome,
    Replay,
    ReplayedPassage,
    Routing,
    RoutedAlert,
)
COMPONENTS = [(kind, name) for kind, table in BUILT_IN.items() for name in table]


def as_written(value: Any) -> str:
    """A default as the reference writes it."""
    if value is None:
        return "none"
    if isinstance(value, tuple):
        value = list(value)
    if isinstance(value, bool | int | float | list | dict):
        return json.dumps(value)
    return str(value)


def defaults(model: type[BaseModel], prefix: str = "") -> dict[str, str]:
    """Dotted setting -> default as written; a setting without one is "required"."""
    found: dict[str, str] = {}
    for name, field in model.model_fields.items():
        value = None if field.is_required() else field.get_default(call_default_factory=False)
        if isinstance(value, Component):
            found[f"{prefix}{name}.type"] = value.type
        elif isinstance(value, BaseModel):
            found |= defaults(type(value), f"{prefix}{name}.")
        elif field.is_required():
            found[prefix + name] = "required"
        elif field.default_factory is not None:
            found[prefix + name] = ""  # described in words
        else:
            found[prefix + name] = as_written(value)
    return found


def documented(section: str) -> dict[str, str]:
    return {row[0]: row[1] for row in table_rows(CONFIGURATION, section)}


def check(real: dict[str, str], written: dict[str, str]) -> None:
    assert sorted(written) == sorted(real)
    for name, value in real.items():
        if value:
            assert written[name] == value, name


def test_every_setting_is_documented_with_its_default():
    check(defaults(Settings), documented("Settings"))


@pytest.mark.parametrize(("kind", "name"), COMPONENTS)
def test_every_option_of_a_component_is_documented_with_its_default(kind, name):
    options = defaults(load_component(kind, name).Config)
    options.pop("type")
    title = {"sources": "Source", "backends": "Backend", "embedders": "Embedder"}[kind]
    check(options, documented(f"{title} {name}"))


def test_every_environment_variable_of_ours_is_documented():
    used = set()
    for folder in ("orrery_knowledge", "plugins", "agents"):
        for file in (ROOT / folder).rglob("*.py"):
            used |= set(re.findall(r"\bORRERY_[A-Z_]*[A-Z]\b", file.read_text(encoding="utf-8")))
    page = CONFIGURATION.read_text(encoding="utf-8")
    assert sorted(name for name in used if name not in page) == []
    assert "ORRERY_MODEL" in used


@pytest.mark.parametrize("block", blocks("yaml"), ids=lambda block: block.name)
def test_a_yaml_block_is_valid(block, tmp_path):
    """One that starts with `# orrery.yaml` is a configuration that our code accepts."""
    values = yaml.safe_load(block.content)
    assert isinstance(values, dict)
    if block.content.startswith("# orrery.yaml"):
        settings = validate(Settings, {**values, "root": tmp_path}, block.name)
        build_sources(settings)
        build_index(settings)
        build_embedder(settings)


def test_the_readme_shows_a_configuration():
    shown = [block for block in blocks("yaml") if block.file.name == "README.md"]
    assert any(block.content.startswith("# orrery.yaml") for block in shown)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_every_field_of_a_json_shape_is_documented(shape):
    assert names(REFERENCE / "json.md", shape.__name__) == list(shape.model_fields)


def test_a_route_is_a_search_result_and_more() -> None:
    more = [name for name in Route.model_fields if name not in SearchResult.model_fields]
    assert names(REFERENCE / "json.md", "Route") == more


def test_every_constant_of_the_ranking_is_what_the_code_has():
    rows = table_rows(REFERENCE / "identifiers-and-ranking.md", "Constants")
    assert len(rows) > 10
    for name, value, *_ in rows:
        module, _, attribute = name.rpartition(".")
        real = getattr(import_module(f"orrery_knowledge.{module}"), attribute)
        assert value == as_written(real), name


def test_every_dependency_is_documented():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    page = REFERENCE / "dependencies.md"

    def plain(requirements: list[str]) -> list[str]:
        return sorted(re.split(r"[\[<>=!~; ]", one)[0] for one in requirements)

    assert sorted(names(page, "Always installed")) == plain(project["project"]["dependencies"])
    assert sorted(names(page, "Extras")) == sorted(extras)
    groups = project["dependency-groups"]
    tools = plain([one for group in groups.values() for one in group])
    assert sorted(names(page, "For development")) == tools
    packages = {row[0]: row[1] for row in table_rows(page, "Extras")}
    for extra, requirements in extras.items():
        if extra != "all":
            for package in plain(requirements):
                assert package in packages[extra], extra


def test_the_layers_of_the_design_record_are_those_of_the_lint_rule():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    [layers] = [one["layers"] for one in contracts if one["name"] == "layers"]
    page = ROOT / "docs" / "aep" / "025-knowledge-retrieval.md"
    rows = table_rows(page, "Who may import whom")
    written = [re.findall(r"\(?[a-z]+\)?", row[1].partition(" (none")[0]) for row in rows]
    assert written == [re.findall(r"\(?[a-z]+\)?", layer) for layer in layers]


def test_the_changelog_has_unreleased_changes_of_one_sentence_each():
    file = ROOT / "CHANGELOG.md"
    found = tokens(file)
    titles = [
        found[number + 1].content
        for number, token in enumerate(found)
        if token.type == "heading_open" and token.tag == "h2"
    ]
    assert titles[0] == "[Unreleased]"
    entries = [
        found[number + 2].content
        for number, token in enumerate(found)
        if token.type == "list_item_open"
    ]
    assert entries
    for entry in entries:
        assert entry.endswith(".")
        assert not re.search(r"[.!?]\s+[A-Z]", entry), entry
