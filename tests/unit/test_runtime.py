from __future__ import annotations

from pathlib import Path

import pytest

from orrery_knowledge.errors import ConfigurationError
from orrery_knowledge.runtime import build_embedder, build_sources
from orrery_knowledge.settings import Component, Corpus, Settings


@pytest.mark.parametrize(
    ("given", "expected"),
    [("models", "/conf/models"), ("/abs/models", "/abs/models"), ("~/models", "/home/me/models")],
)
def test_an_embedders_folder_counts_from_the_configuration_file(
    given: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    settings = Settings(root=Path("/conf"), embedder=Component(type="minilm", model_dir=given))
    embedder = build_embedder(settings)
    assert embedder is not None
    assert embedder._config.model_dir == Path(expected)


def test_type_none_means_no_embedder() -> None:
    assert build_embedder(Settings(embedder=Component(type="none"))) is None


def test_type_none_takes_no_options() -> None:
    with pytest.raises(ConfigurationError, match=r"unknown key 'embedder\.threads'; known: type"):
        build_embedder(Settings(embedder=Component(type="none", threads=3)))


@pytest.mark.parametrize("trust", [{}, {"trust": "yes"}, {"trust": None}])
def test_a_source_without_trust_is_refused_with_the_line_to_add(trust: dict[str, object]) -> None:
    source = {"id": "wiki", "type": "filesystem", "path": ".", **trust}
    settings = Settings(corpora={"notes": Corpus(sources=[source])})
    with pytest.raises(ConfigurationError, match=r"(add|must be) `trust: review`"):
        build_sources(settings)


def test_ids_default_to_the_corpus_and_its_number() -> None:
    one = {"type": "filesystem", "path": ".", "trust": "review"}
    settings = Settings(corpora={"notes": Corpus(sources=[one, one])})
    assert [source.id for source in build_sources(settings)] == ["notes-1", "notes-2"]


def test_two_sources_of_one_id_are_refused() -> None:
    one = {"id": "a", "type": "filesystem", "path": ".", "trust": "review"}
    settings = Settings(corpora={"x": Corpus(sources=[one]), "y": Corpus(sources=[one])})
    with pytest.raises(ConfigurationError, match="two sources with id 'a'"):
        build_sources(settings)
