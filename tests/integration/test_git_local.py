"""Local repositories: read where they are, committed content only, nothing written."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from git_support import Repository, documents, entries, git_source, outcome

from orrery_knowledge.errors import ConfigurationError, DocumentError, SourceError

POINTER = (
    b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"4d" * 32 + b"\nsize 90405\n"
)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "book")


@pytest.fixture
async def source(repository: Repository) -> AsyncIterator[Any]:
    source = git_source(repository.folder)
    yield source
    await source.close()


def fingerprint(folder: Path) -> dict[str, str]:
    """Every file of a git directory with what is in it."""
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


async def test_provenance(repository: Repository, source: Any) -> None:
    first = repository.put("docs/a.md", "# A\n")
    repository.put("docs/b.md", "# B\n")
    found = await documents(source)
    document = found["docs/a.md"]
    assert document.text == "# A\n"
    assert document.commit == first
    assert document.modified_at == datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)
    assert found["docs/b.md"].modified_at == datetime(2023, 11, 14, 22, 14, 20, tzinfo=UTC)
    assert document.revision == repository.git("rev-parse", "HEAD:docs/a.md")
    assert document.uri == f"git+file:.@{first}#docs/a.md"


async def test_only_committed_content_counts(repository: Repository, source: Any) -> None:
    repository.put("a.md", "# committed\n")
    repository.write("a.md", "# edited\n")
    repository.write("staged.md")
    repository.git("add", "staged.md")
    repository.write("untracked.md")
    found = await documents(source)
    assert {path: document.text for path, document in found.items()} == {"a.md": "# committed\n"}


async def test_nothing_is_written_to_the_repository(repository: Repository, source: Any) -> None:
    for number in range(3):
        repository.put("a.md", f"# {number}\n")
    repository.write("a.md", "# edited\n")
    before = fingerprint(repository.folder)
    await source.check()
    await documents(source)
    await source.close()
    assert fingerprint(repository.folder) == before


async def test_a_subfolder_stands_for_its_repository(repository: Repository) -> None:
    repository.put("docs/deep/a.md")
    repository.put("README.md")
    source = git_source(repository.folder / "docs")
    assert list(await outcome(source)) == ["README.md", "docs/deep/a.md"]
    await source.close()


async def test_bare_repositories_and_worktrees(repository: Repository, tmp_path: Path) -> None:
    repository.put("a.md")
    repository.git("clone", "-q", "--bare", ".", "../bare.git")
    repository.git("worktree", "add", "-q", "-b", "side", "../tree")
    Repository(tmp_path / "tree", start=False).put("side.md")
    for url, paths in (("bare.git", ["a.md"]), ("tree", ["a.md", "side.md"])):
        source = git_source(tmp_path, url=url)
        assert list(await documents(source)) == paths
        await source.close()


async def test_a_repository_inside_a_repository(repository: Repository) -> None:
    repository.put("a.md")
    inner = Repository(repository.folder / "inner")
    inner.put("b.md")
    for url, paths in ((".", ["a.md"]), ("inner", ["b.md"])):
        source = git_source(repository.folder, url=url)
        assert list(await outcome(source)) == paths
        await source.close()


async def test_refs(repository: Repository) -> None:
    first = repository.put("a.md", "# one\n")
    repository.git("tag", "light")
    repository.git("tag", "-a", "v1", "-m", "release")
    repository.git("branch", "docs")
    # A branch that is named like a file and like nothing that git would guess.
    repository.git("branch", "a.md")
    repository.put("a.md", "# two\n")
    texts = {}
    for ref in (None, "main", "light", "v1", "docs", "a.md", first, first[:12], "refs/heads/docs"):
        source = git_source(repository.folder, ref=ref)
        texts[ref] = (await documents(source))["a.md"].text
        await source.close()
    assert texts.pop(None) == texts.pop("main") == "# two\n"
    assert set(texts.values()) == {"# one\n"}
    repository.git("checkout", "-q", "--detach", first)
    source = git_source(repository.folder)
    assert (await documents(source))["a.md"].text == "# one\n"
    await source.close()


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"url": "missing"}, "missing is not a folder"),
        ({"url": "a.md"}, "a.md is not a folder"),
        ({"ref": "nope"}, "no branch, tag or commit 'nope'"),
        ({"ref": "f" * 40}, "no branch, tag or commit"),
        ({"ref": "tree"}, "no branch, tag or commit 'tree'"),
    ],
)
async def test_what_is_not_there(
    repository: Repository, settings: dict[str, str], says: str
) -> None:
    repository.put("a.md")
    repository.git("tag", "tree", "HEAD^{tree}")
    source = git_source(repository.folder, **settings)
    for attempt in (source.check(), outcome(source)):
        with pytest.raises(SourceError, match=says) as caught:
            await attempt
        assert "\n" not in str(caught.value)


async def test_no_commits_and_no_repository(repository: Repository, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="has no commits yet"):
        await outcome(git_source(repository.folder))
    with pytest.raises(SourceError, match="is not a git repository"):
        await outcome(git_source(tmp_path))


async def test_a_missing_git_is_a_configuration_error(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.put("a.md")
    monkeypatch.setenv("PATH", str(repository.folder))
    with pytest.raises(ConfigurationError, match="install git"):
        await outcome(git_source(repository.folder))


async def test_a_caller_s_git_variables_don_t_lead_astray(
    repository: Repository, source: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As inside a hook of another repository.
    other = Repository(tmp_path / "other")
    other.put("other.md")
    repository.put("a.md")
    monkeypatch.setenv("GIT_DIR", str(other.folder / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.folder))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.folder / "index"))
    assert list(await documents(source)) == ["a.md"]


async def test_settings_of_the_repository_run_nothing_and_change_nothing(
    repository: Repository, source: Any, tmp_path: Path
) -> None:
    sha = repository.put("a.md")
    marker = tmp_path / "ran"
    for name, value in {
        "core.fsmonitor": f"touch {marker}",
        "core.pager": f"touch {marker}",
        "pager.log": f"touch {marker}",
        "diff.external": f"touch {marker}",
        "log.showRoot": "false",
        "log.showSignature": "true",
        "log.follow": "true",
        "core.quotePath": "true",
        "color.ui": "always",
        "diff.renames": "copies",
        "log.diffMerges": "off",
        "format.pretty": "full",
    }.items():
        repository.git("config", name, value)
    assert (await documents(source))["a.md"].commit == sha
    assert not marker.exists()


async def test_replacements_are_not_taken_for_the_truth(
    repository: Repository, source: Any
) -> None:
    repository.put("a.md", "# reviewed\n")
    real = repository.git("rev-parse", "HEAD:a.md")
    fake = repository.git("hash-object", "-w", "--stdin", stdin=b"# forged\n")
    repository.git("replace", real, fake)
    assert (await documents(source))["a.md"].text == "# reviewed\n"


async def test_links_submodules_and_pointers(
    repository: Repository, source: Any, tmp_path: Path
) -> None:
    """K037, K041: what is no document is left out by name, and nothing outside is read."""
    inner = Repository(tmp_path / "inner")
    sha = inner.put("inside.md")
    repository.write("v2/a.md")
    repository.write("runbook.md", POINTER)
    repository.write("long.md", POINTER + b"x" * 1000)
    for name, target in {
        "current": "v2",
        "same.md": "v2/a.md",
        "picture.png": "v2/a.md",
        "evil.md": "/etc/passwd",
        "up.md": "../inner/inside.md",
        "broken.md": "nowhere.md",
        "self.md": "self.md",
        "through.md": "v2/a.md/x",
        "odd\nname.md": "v2/a.md",
        "to\nnewline.md": "a\nb",
    }.items():
        (repository.folder / name).symlink_to(target)
    repository.git("add", "-A")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{sha},vendor/inner")
    repository.git("commit", "-q", "-m", "all of it")
    assert await outcome(source) == {
        "broken.md": "symlink_broken",
        "current": "symlink",
        "evil.md": "symlink_outside",
        "long.md": None,
        "odd%0Aname.md": "symlink",
        "runbook.md": "lfs_pointer",
        "same.md": "symlink",
        "self.md": "symlink_broken",
        "through.md": "symlink_broken",
        "to%0Anewline.md": "symlink",
        "up.md": "symlink_outside",
        "v2/a.md": None,
        "vendor/inner": "submodule",
    }
    skipped = (await entries(source))["evil.md"]
    with pytest.raises(DocumentError, match=r"evil\.md: not listed"):
        await source.read(skipped)


async def test_odd_names(repository: Repository, source: Any) -> None:
    repository.write('two\nlines "and" tab\t.md', "# odd\n")
    repository.write(b"caf\xe9.md", "# raw\n")
    repository.write("caf%E9.md", "# percent\n")
    repository.write("überlast.md", "# umlaut\n")
    repository.write("*.md", "# star\n")
    repository.write(":(top)x.md", "# magic\n")
    repository.write("-n.md", "# dash\n")
    sha = repository.commit()
    found = await documents(source)
    assert {path: document.text for path, document in found.items()} == {
        'two%0Alines "and" tab%09.md': "# odd\n",
        "caf%E9.md": "# raw\n",
        "caf%25E9.md": "# percent\n",
        "überlast.md": "# umlaut\n",
        "*.md": "# star\n",
        ":(top)x.md": "# magic\n",
        "-n.md": "# dash\n",
    }
    assert {document.commit for document in found.values()} == {sha}
    # Listed from a commit before the latest: each is asked for alone, by its name and no pattern.
    before = await entries(source)
    repository.put("x.md", "# later\n")
    await outcome(source)
    assert {(await source.read(entry)).commit for entry in before.values()} == {sha}
    assert found["caf%E9.md"].uri.endswith("#caf%E9.md")


async def test_bad_content(repository: Repository, source: Any) -> None:
    for number in range(10):
        repository.write(f"good-{number}.md")
    repository.write("latin.md", "# Prüfen\n".encode("latin-1"))
    repository.write("wide.md", "# Prüfen\n".encode("utf-16"))
    repository.write("program.md", b"\x7fELF" + b"\x00" * 2000)
    repository.commit()
    listed = await entries(source)
    assert len(listed) == 13
    assert (await source.read(listed["latin.md"])).text == "# Pr\ufffdfen\n"
    assert (await source.read(listed["wide.md"])).text == "# Prüfen\n"
    with pytest.raises(DocumentError, match=r"program\.md: looks binary"):
        await source.read(listed["program.md"])
    assert (await source.read(listed["good-9.md"])).text == "# x\n"


async def test_a_size_limit(repository: Repository) -> None:
    repository.write("fits.md", b"x" * 2000)
    repository.write("large.md", b"x" * 2001)
    repository.commit()
    source = git_source(repository.folder, max_bytes=2000)
    assert await outcome(source) == {"fits.md": None, "large.md": "too_large"}
    with pytest.raises(DocumentError, match="larger than 2000 bytes"):
        await source.read((await entries(source))["large.md"])
    await source.close()


async def test_the_commit_is_pinned_for_a_listing(repository: Repository, source: Any) -> None:
    repository.put("a.md", "# one\n")
    repository.put("b.md", "# one\n")
    listing = source.entries()
    first = await anext(listing)
    repository.put("b.md", "# two\n")
    second = await anext(listing)
    assert (await source.read(first)).text == "# one\n"
    assert (await source.read(second)).text == "# one\n"
    # An entry of the listing before still reads as it was listed.
    await outcome(source)
    document = await source.read(second)
    assert document.text == "# one\n"
    assert document.commit == repository.git("rev-parse", "HEAD~1")


async def test_a_file_becomes_a_folder_and_back(repository: Repository, source: Any) -> None:
    repository.put("topic.md", "# file\n")
    assert list(await outcome(source)) == ["topic.md"]
    (repository.folder / "topic.md").unlink()
    folder = repository.put("topic.md/part.md", "# part\n")
    found = await documents(source)
    assert {path: document.commit for path, document in found.items()} == {
        "topic.md/part.md": folder
    }
    shutil.rmtree(repository.folder / "topic.md")
    back = repository.put("topic.md", "# file\n")
    assert (await documents(source))["topic.md"].commit == back


async def test_a_rename_keeps_the_revision_and_gets_a_new_commit(
    repository: Repository, source: Any
) -> None:
    repository.put("old.md", "# same\n")
    before = (await documents(source))["old.md"]
    repository.git("mv", "old.md", "new.md")
    sha = repository.commit()
    after = (await documents(source))["new.md"]
    assert after.revision == before.revision
    assert after.commit == sha != before.commit


async def test_the_origin_names_the_document_without_its_token(
    repository: Repository, source: Any
) -> None:
    sha = repository.put("a.md")
    repository.git("remote", "add", "origin", "https://bot:s3cr3t@example.org/book.git")
    uri = (await documents(source))["a.md"].uri
    assert uri == f"git+https://example.org/book.git@{sha}#a.md"


async def test_a_shallow_clone_says_what_it_does_not_know(
    repository: Repository, tmp_path: Path
) -> None:
    repository.put("old.md")
    repository.put("older-than-the-clone.md")
    new = repository.put("new.md")
    Repository(tmp_path).git(
        "clone", "-q", "--depth", "2", (tmp_path / "book").as_uri(), str(tmp_path / "shallow")
    )
    before = fingerprint(tmp_path / "shallow")
    source = git_source(tmp_path, url="shallow")
    found = await documents(source)
    await source.close()
    assert {path: document.commit for path, document in found.items()} == {
        "old.md": None,
        "older-than-the-clone.md": None,
        "new.md": new,
    }
    assert found["old.md"].modified_at is None
    assert found["old.md"].warnings == ("the clone is shallow: last commit and date are not known",)
    assert f"@{new}#old.md" in found["old.md"].uri
    assert fingerprint(tmp_path / "shallow") == before


async def test_a_partial_clone_is_never_completed_behind_the_owner_s_back(
    repository: Repository, tmp_path: Path
) -> None:
    repository.put("a.md", "# one\n")
    repository.git("config", "uploadpack.allowFilter", "true")
    Repository(tmp_path).git(
        "clone", "-q", "--bare", "--filter=blob:none",
        (tmp_path / "book").as_uri(), str(tmp_path / "partial.git"),
    )  # fmt: skip
    before = fingerprint(tmp_path / "partial.git")
    source = git_source(tmp_path, url="partial.git")
    with pytest.raises(SourceError, match="the clone is partial; use a full one"):
        await documents(source)
    await source.close()
    assert fingerprint(tmp_path / "partial.git") == before


async def test_a_repository_of_another_user_says_how_to_trust_it(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.put("a.md")
    # SUDO_UID would make root's own folder the user's, so it isn't passed on to this check.
    monkeypatch.delenv("SUDO_UID", raising=False)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    if os.geteuid() == 0:
        os.chown(repository.folder, 65534, 65534)
        os.chown(repository.folder / ".git", 65534, 65534)
        with pytest.raises(SourceError, match=r"git config --global --add safe\.directory"):
            await outcome(git_source(repository.folder))
        # What the message says to do is what helps.
        settings = repository.folder / "settings"
        settings.write_text(f"[safe]\n\tdirectory = {repository.folder}\n")
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    source = git_source(repository.folder)
    assert await outcome(source) == {"a.md": None}
    await source.close()
