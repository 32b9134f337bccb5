from __future__ import annotations

from pathlib import Path

import pytest

from orrery_knowledge.configuration.file import ConfigurationFile, KeyPath
from orrery_knowledge.configuration.origins import Origin, holds, key_text, variable_name

BACKEND = "environment, ORRERY_KNOWLEDGE_BACKEND"


@pytest.fixture
def file(tmp_path: Path) -> ConfigurationFile:
    path = tmp_path / "orrery.yaml"
    path.write_text("state: x\nbackend:\n  path: y\n")
    return ConfigurationFile(path)


def test_a_key_as_people_write_it() -> None:
    assert key_text(("corpora", "a", "sources", 0, "paths")) == "corpora.a.sources[0].paths"
    assert key_text(()) == ""
    assert variable_name(("search", "top_k")) == "ORRERY_KNOWLEDGE_SEARCH__TOP_K"


@pytest.mark.parametrize(
    ("variables", "key", "place"),
    [
        ({}, ("backend", "path"), "orrery.yaml, line 3"),
        ({}, ("backend", "url"), "orrery.yaml, line 2"),
        ({}, ("search",), "orrery.yaml"),
        ({("backend",): "sqlite"}, ("backend", "path"), "orrery.yaml, line 3"),
        ({("backend",): "sqlite"}, ("backend", "url"), BACKEND),
        ({("backend",): '{"path": 1}'}, ("backend", "path"), BACKEND),
        ({("backend",): '{"path": [1]}'}, ("backend", "path", 0), BACKEND),
        ({("backend", "path"): "z"}, ("backend", "path"), f"{BACKEND}__PATH"),
        ({("backend", "path"): "z"}, ("backend",), "orrery.yaml, line 2"),
    ],
)
def test_where_a_setting_comes_from(
    file: ConfigurationFile, variables: dict[KeyPath, str], key: KeyPath, place: str
) -> None:
    assert Origin(file, variables).place(key) == place


def test_without_a_file() -> None:
    assert Origin().sentence(("a",), "it is wrong") == "it is wrong"
    only = Origin(variables={("backend", "path"): "x"})
    assert only.sentence(("search",), "it is wrong") == "environment: it is wrong"


def test_what_holds_a_key() -> None:
    assert holds({"a": 1}, "a")
    assert holds(["x"], 0)
    assert not holds(["x"], 1)
    assert not holds("text", 0)
