from __future__ import annotations

import pytest

from orrery_knowledge.configuration.environment import read_variables
from orrery_knowledge.errors import ConfigurationError
from orrery_knowledge.settings import Settings


def given(monkeypatch: pytest.MonkeyPatch, name: str, value: str = "x") -> None:
    monkeypatch.setenv(f"ORRERY_KNOWLEDGE_{name}", value)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("BACKEND", ("backend",)),
        ("BACKEND__ANYTHING", ("backend", "anything")),
        ("EMBEDDER__A__B", ("embedder", "a", "b")),
        ("CORPORA__RUNBOOKS__SOURCES", ("corpora", "runbooks", "sources")),
        ("SEARCH__TOP_K", ("search", "top_k")),
        ("search__top_k", ("search", "top_k")),
        ("ROOT", ("root",)),
    ],
)
def test_a_variable_stands_for_a_key(
    monkeypatch: pytest.MonkeyPatch, name: str, key: tuple[str, ...]
) -> None:
    given(monkeypatch, name)
    assert read_variables(Settings) == {key: "x"}


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("BACKND", "did you mean 'ORRERY_KNOWLEDGE_BACKEND'?"),
        ("BACKEND_URL", "did you mean 'ORRERY_KNOWLEDGE_BACKEND__URL'?"),
        ("EMBEDDER_THREADS", "did you mean 'ORRERY_KNOWLEDGE_EMBEDDER__THREADS'?"),
        ("SEARCH_TOP_K", "did you mean 'ORRERY_KNOWLEDGE_SEARCH__TOP_K'?"),
        ("SEARCH__TOPK", "did you mean 'ORRERY_KNOWLEDGE_SEARCH__TOP_K'?"),
        ("SEARCH__TOP_K__X", "did you mean 'ORRERY_KNOWLEDGE_SEARCH__TOP_K'?"),
        ("STATE__X", "did you mean 'ORRERY_KNOWLEDGE_STATE'?"),
        ("BACKEND__", "did you mean 'ORRERY_KNOWLEDGE_BACKEND'?"),
        ("backnd", "did you mean 'ORRERY_KNOWLEDGE_BACKEND'?"),
        (
            "XYZZYPLUGHXYZZYPLUGHXYZZYPLUGH",
            "known: ORRERY_KNOWLEDGE_BACKEND, ORRERY_KNOWLEDGE_CHUNKING, ORRERY_KNOWLEDGE_CORPORA, "
            "ORRERY_KNOWLEDGE_EMBEDDER, ORRERY_KNOWLEDGE_GAPS, ORRERY_KNOWLEDGE_GUARD, "
            "ORRERY_KNOWLEDGE_IDENTITIES, ORRERY_KNOWLEDGE_LEDGER, ORRERY_KNOWLEDGE_POLICY, "
            "ORRERY_KNOWLEDGE_ROOT, ORRERY_KNOWLEDGE_SEARCH, ORRERY_KNOWLEDGE_STATE",
        ),
    ],
)
def test_one_that_stands_for_none_is_refused(
    monkeypatch: pytest.MonkeyPatch, name: str, hint: str
) -> None:
    given(monkeypatch, name)
    with pytest.raises(ConfigurationError) as caught:
        read_variables(Settings)
    assert str(caught.value) == f"environment: unknown variable 'ORRERY_KNOWLEDGE_{name}'; {hint}"


def test_an_empty_one_and_one_of_others_count_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, "BACKND", "")
    monkeypatch.setenv("ORRERY_MODEL", "offline-scripted")
    assert read_variables(Settings) == {}
