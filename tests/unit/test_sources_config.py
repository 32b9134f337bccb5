from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from orrery_knowledge.sources.filesystem import FilesystemSource, FilesystemSourceConfig
from orrery_knowledge.sources.git import GitSource, GitSourceConfig


def git(**settings: object) -> GitSourceConfig:
    return GitSourceConfig.model_validate(
        {"id": "book", "corpus": "runbooks", "trust": "reviewed", **settings}
    )


@pytest.mark.parametrize("model", [FilesystemSourceConfig, GitSourceConfig])
def test_trust_has_no_default(model: type[GitSourceConfig]) -> None:
    with pytest.raises(ValidationError) as caught:
        model.model_validate({"id": "a", "corpus": "b"})
    assert [(error["loc"], error["type"]) for error in caught.value.errors()] == [
        (("trust",), "missing")
    ]


@pytest.mark.parametrize(
    "settings",
    [
        {"trust": "trusted"},
        {"paths": []},
        {"paths": ["../*.md"]},
        {"exclude": ["a**"]},
        {"max_bytes": 0},
        {"max_bytes": 32 * 1024 * 1024 + 1},
        {"id": "a:b"},
        {"id": "../a"},
        {"corpus": "a#b"},
        {"branch": "main"},
        {"url": "--upload-pack=touch /tmp/owned"},
        {"url": "ext::sh -c touch% /tmp/owned"},
        {"url": "ssh://-oProxyCommand=touch/x"},
        {"url": "me@-oProxyCommand=touch:x"},
        {"url": "gopher://example.org/x"},
        {"url": "https:///x"},
        {"url": "a\nb"},
        {"url": ""},
        {"ref": "--output=x"},
        {"ref": "main:refs/heads/x"},
        {"ref": "+main"},
        {"ref": "HEAD~3"},
        {"ref": "a..b"},
        {"ref": "main@{1}"},
        {"ref": "a b"},
        {"ref": ""},
        {"timeout": 0},
    ],
)
def test_settings_that_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        git(**settings)


@pytest.mark.parametrize(
    "url",
    [
        ".",
        "../handbook",
        "/srv/git/handbook.git",
        "./odd:name",
        "file:///srv/git/handbook.git",
        "https://example.org/o/r.git",
        "ssh://git@example.org:2222/o/r.git",
        "git@example.org:o/r.git",
        "git://example.org/o/r",
    ],
)
def test_urls_that_are_taken(url: str) -> None:
    assert git(url=url).url == url


def test_no_error_and_no_repr_shows_a_token() -> None:
    config = git(url="https://bot:s3cr3t-token@example.org/r.git")
    assert "s3cr3t" not in repr(config)
    with pytest.raises(ValidationError) as caught:
        git(url="gopher://bot:s3cr3t-token@example.org/r.git")
    assert "s3cr3t" not in str(caught.value)


def test_the_settings_key_names_what_shapes_documents(tmp_path: Path) -> None:
    def key(**settings: object) -> str:
        return GitSource(git(**settings), root=tmp_path, state=tmp_path).settings_key

    assert key() == key(url="https://example.org/r.git", paths=["*.txt"], ref="v1", trust="review")
    assert len({key(), key(service="payments"), key(service="billing"), key(corpus="adrs")}) == 4
    files = FilesystemSourceConfig(id="book", corpus="runbooks", trust="reviewed")
    assert FilesystemSource(files, root=tmp_path, state=tmp_path).settings_key != key()


def test_constructors_open_nothing(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    GitSource(git(url="https://example.invalid/r.git"), root=missing, state=missing)
    GitSource(git(url="nowhere"), root=missing, state=missing)
    files = FilesystemSourceConfig(id="a", corpus="b", trust="review", path="nowhere")
    FilesystemSource(files, root=missing, state=missing)
    assert not missing.exists()
