from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import BaseModel

from orrery_knowledge import registry
from orrery_knowledge.errors import ConfigurationError, MissingExtra
from orrery_knowledge.registry import BUILT_IN, EXTRAS, Kind, load_component
from orrery_knowledge.runtime import build_sources
from orrery_knowledge.settings import load_settings

MakeDistribution = Callable[[str, str, dict[str, str]], Path]
ALL = [(kind, name) for kind, offered in BUILT_IN.items() for name in offered]

NOTION = """
from pydantic import BaseModel

class NotionConfig(BaseModel):
    type: str
    id: str
    corpus: str
    trust: str
    workspace: str

class NotionSource:
    Config = NotionConfig

    def __init__(self, config, *, root, state):
        self.id, self.corpus, self.trust = config.id, config.corpus, config.trust
        self.given = (config.workspace, root, state)
"""


@pytest.fixture
def install(
    make_distribution: MakeDistribution, monkeypatch: pytest.MonkeyPatch
) -> MakeDistribution:
    """A distribution that this process can import, until the test ends."""

    def make(name: str, code: str, points: dict[str, str]) -> Path:
        site = make_distribution(name, code, points)
        monkeypatch.syspath_prepend(str(site))
        monkeypatch.delitem(sys.modules, name, raising=False)
        return site

    return make


@pytest.mark.parametrize(("kind", "name"), ALL)
def test_a_built_in_component_exists(kind: Kind, name: str) -> None:
    component = load_component(kind, name)
    assert issubclass(component.Config, BaseModel)
    parameters = set(inspect.signature(component).parameters) - {"config"}
    assert (
        parameters
        == {"sources": {"root", "state"}, "backends": {"state"}, "embedders": set()}[kind]
    )


def test_every_extra_belongs_to_a_component() -> None:
    assert set(EXTRAS) <= {name for _, name in ALL}


@pytest.mark.parametrize("kind", list(BUILT_IN))
@pytest.mark.parametrize("name", ["", "nope", "../x", "orrery_knowledge.errors:KnowledgeError"])
def test_an_unknown_name_lists_those_that_exist(kind: Kind, name: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load_component(kind, name)
    # "none" is no component, but may be named like one.
    names = {*BUILT_IN[kind], "none"} if kind == "embedders" else {*BUILT_IN[kind]}
    available = ", ".join(sorted(names))
    hint = "; did you mean 'none'?" if (kind, name) == ("embedders", "nope") else ";"
    assert str(caught.value) == (
        f"there is no {kind[:-1]} of type {name!r}{hint} available: {available}"
    )


def test_an_entry_point_is_found(install: MakeDistribution) -> None:
    install("notion_source", NOTION, {"sources.notion": "NotionSource"})
    assert load_component("sources", "notion").__name__ == "NotionSource"
    with pytest.raises(ConfigurationError, match="filesystem, git, notion"):
        load_component("sources", "other")


def test_it_is_offered_for_its_kind_only(install: MakeDistribution) -> None:
    install("notion_source", NOTION, {"sources.notion": "NotionSource"})
    with pytest.raises(ConfigurationError, match="no backend of type 'notion'"):
        load_component("backends", "notion")


def test_a_package_that_nobody_mentions_is_never_imported(install: MakeDistribution) -> None:
    install("exploding", "raise SystemExit('imported')", {"sources.boom": "Boom"})
    assert load_component("sources", "git").__name__ == "GitSource"
    with pytest.raises(ConfigurationError, match="available: boom, filesystem, git"):
        load_component("sources", "nope")
    assert "exploding" not in sys.modules


def test_a_package_does_not_replace_what_is_built_in(install: MakeDistribution) -> None:
    install("exploding", "raise SystemExit('imported')", {"sources.git": "Boom"})
    assert load_component("sources", "git").__module__ == "orrery_knowledge.sources.git"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import surely_not_installed", "source 'broken' needs the module surely_not_installed"),
        ("from os import surely_not_there", "source 'broken' can't be imported"),
        ("x = 1", "source 'broken': broken_source:Broken does not exist"),
    ],
)
def test_a_broken_package_is_one_line(install: MakeDistribution, code: str, expected: str) -> None:
    install("broken_source", code, {"sources.broken": "Broken"})
    with pytest.raises(ConfigurationError) as caught:
        load_component("sources", "broken")
    assert str(caught.value).startswith(expected)
    assert not isinstance(caught.value, MissingExtra)


def test_a_missing_extra_says_what_to_install(
    install: MakeDistribution, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table of extras is ours; what is missing is really missing."""
    install("needs_more", "import surely_not_installed", {})
    monkeypatch.setitem(registry.BUILT_IN["embedders"], "minilm", "needs_more:Embedder")
    with pytest.raises(MissingExtra) as caught:
        load_component("embedders", "minilm")
    assert str(caught.value) == (
        "surely_not_installed is not installed; run: pip install 'orrery-knowledge[minilm]'"
    )


def test_a_third_party_source_from_yaml(install: MakeDistribution, tmp_path: Path) -> None:
    install("notion_source", NOTION, {"sources.notion": "NotionSource"})
    file = tmp_path / "orrery.yaml"
    file.write_text(
        "corpora:\n  wiki:\n    sources:\n"
        "      - {type: notion, workspace: ops, trust: review}\n"
        "      - {type: git, url: ., trust: reviewed}\n"
    )
    notion, git = build_sources(load_settings(file))
    assert (notion.id, notion.corpus, notion.trust) == ("wiki-1", "wiki", "review")
    assert vars(notion)["given"] == ("ops", tmp_path, tmp_path / ".orrery")
    assert git.id == "wiki-2"


def test_its_settings_are_checked_like_ours(install: MakeDistribution, tmp_path: Path) -> None:
    install("notion_source", NOTION, {"sources.notion": "NotionSource"})
    file = tmp_path / "orrery.yaml"
    file.write_text("corpora: {wiki: {sources: [{type: notion, trust: review}]}}\n")
    with pytest.raises(ConfigurationError) as caught:
        build_sources(load_settings(file))
    assert str(caught.value) == (
        "orrery.yaml, line 1: corpora.wiki.sources[0].workspace is missing; expected text, for "
        "example `workspace: ...`"
    )
    file.write_text("corpora: {wiki: {sources: [{type: notion, trust: review, workspce: ops}]}}\n")
    with pytest.raises(ConfigurationError, match="workspce'; did you mean 'workspace'"):
        build_sources(load_settings(file))
