"""The last commit of every file in one pass, compared with what git says path by path."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from git_support import Repository, documents, entries, git_source, outcome

from orrery_knowledge.sources.git_commands import Git, GitProcess

TEXTS = ("# one\n", "# two\n", "# three\n")


@dataclass
class Snapshot:
    """A commit for `git fast-import`: any tree, any parents, any date."""

    mark: int
    parents: list[int]
    seconds: int
    files: dict[str, tuple[str, str]] = field(default_factory=dict)

    def lines(self, branch: str) -> Iterator[str]:
        yield f"commit refs/heads/{branch}\nmark :{self.mark}\n"
        yield f"committer Ada <ada@example.org> {self.seconds} +0000\ndata 1\nx\n"
        for number, parent in enumerate(self.parents):
            yield f"{'merge' if number else 'from'} :{parent}\n"
        yield "deleteall\n"
        for name, (mode, text) in sorted(self.files.items()):
            yield f"M {mode} inline {name}\ndata {len(text)}\n{text}\n"


def random_history(seed: int) -> list[Snapshot]:
    """Edits, reverts, renames, mode changes, deletions; merges that keep one side, mix or invent.

    Few texts and files make equal changes on two branches likely; dates jump back and forth.
    """
    rng = random.Random(seed)
    names = [f"d{n % 3}/f{n}.md" for n in range(10)]
    history = [Snapshot(1, [], 1_700_000_000, {name: ("100644", TEXTS[0]) for name in names[:6]})]
    for mark in range(2, 60):
        recent = history[-8:]
        count = min(len(recent), rng.choices([1, 2, 3], [6, 4, 1])[0])
        parents = rng.sample(recent, count)
        if mark == 59:
            # The tip reaches everything that is recent.
            parents = recent
        files = dict(parents[0].files)
        for other in parents[1:]:
            for name in names:
                if rng.random() < 0.5:
                    files.pop(name, None)
                    if name in other.files:
                        files[name] = other.files[name]
        for _ in range(rng.choice([0, 1, 1, 2]) if count == 1 else rng.choice([0, 0, 1])):
            name = rng.choice(names)
            match rng.choice(["edit", "edit", "mode", "delete", "rename"]):
                case "edit":
                    files[name] = ("100644", rng.choice(TEXTS))
                case "mode" if name in files:
                    files[name] = ("100755", files[name][1])
                case "delete":
                    files.pop(name, None)
                case "rename" if name in files:
                    files[rng.choice(names)] = files.pop(name)
        seconds = 1_700_000_000 + mark * 60 + rng.choice([0, 0, -5000, 5000])
        history.append(Snapshot(mark, [parent.mark for parent in parents], seconds, files))
    return history


def imported(folder: Path, history: list[Snapshot]) -> Repository:
    repository = Repository(folder)
    stream = "".join(line for snapshot in history for line in snapshot.lines(f"c{snapshot.mark}"))
    stream += f"reset refs/heads/main\nfrom :{history[-1].mark}\n"
    repository.git("fast-import", "--quiet", stdin=stream.encode())
    return repository


class Counted:
    """Counts the git processes that are started, by command."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.commands: list[tuple[str | bytes, ...]] = []
        start = Git.start

        async def counting(git: Git, *arguments: str | bytes, stdin: bool = False) -> GitProcess:
            self.commands.append(arguments)
            return await start(git, *arguments, stdin=stdin)

        monkeypatch.setattr(Git, "start", counting)

    def of(self, command: str) -> int:
        return sum(arguments[0] == command for arguments in self.commands)


@pytest.mark.parametrize("seed", range(25))
async def test_a_random_history_gives_what_git_gives(seed: int, tmp_path: Path) -> None:
    history = random_history(seed)
    repository = imported(tmp_path / "book", history)
    source = git_source(repository.folder)
    found = await documents(source)
    await source.close()
    assert sorted(found) == sorted(history[-1].files)
    assert {path: document.commit for path, document in found.items()} == {
        path: repository.git("log", "-1", "--format=%H", "main", "--", path) for path in found
    }
    seconds = {
        path: int(repository.git("log", "-1", "--format=%ct", "main", "--", path)) for path in found
    }
    assert {
        path: document.modified_at.timestamp() if document.modified_at else None
        for path, document in found.items()
    } == seconds


@pytest.fixture
def merged(tmp_path: Path) -> Repository:
    """Two branches: `side` changes a.md; `main` changes b.md; both change c.md alike."""
    repository = Repository(tmp_path / "book")
    for name in ("a.md", "b.md", "c.md"):
        repository.write(name, "# start\n")
    repository.commit()
    repository.git("checkout", "-q", "-b", "side")
    repository.put("a.md", "# side\n")
    repository.put("c.md", "# both\n")
    repository.git("checkout", "-q", "main")
    repository.put("b.md", "# main\n")
    repository.put("c.md", "# both\n")
    return repository


async def commits(repository: Repository) -> dict[str, str | None]:
    source = git_source(repository.folder)
    found = {path: document.commit for path, document in (await documents(source)).items()}
    await source.close()
    return found


async def test_a_merge_is_not_the_last_change_of_what_it_brings(merged: Repository) -> None:
    main = merged.git("rev-parse", "HEAD")
    side = merged.git("rev-parse", "side")
    merged.git("merge", "-q", "--no-ff", "--no-edit", "side")
    assert await commits(merged) == {
        "a.md": merged.git("rev-parse", f"{side}~1"),
        "b.md": merged.git("rev-parse", f"{main}~1"),
        # Both sides say the same: the branch that was merged into counts.
        "c.md": main,
    }


async def test_a_merge_is_the_last_change_of_what_it_made_itself(merged: Repository) -> None:
    merged.git("merge", "-q", "--no-commit", "side")
    merged.write("a.md", "# neither\n")
    merge = merged.commit()
    found = await commits(merged)
    assert found["a.md"] == merge
    assert found["b.md"] != merge


async def test_what_a_merge_threw_away_does_not_count(merged: Repository) -> None:
    start = merged.git("rev-parse", "HEAD~2")
    merged.git("merge", "-q", "--no-edit", "-s", "ours", "side")
    assert (await commits(merged))["a.md"] == start


async def test_a_file_that_only_a_merge_added(merged: Repository) -> None:
    merged.git("merge", "-q", "--no-commit", "side")
    merged.write("new.md", "# made in the merge\n")
    merge = merged.commit()
    assert (await commits(merged))["new.md"] == merge


async def test_a_revert_and_a_mode_change_are_changes(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "book")
    repository.put("a.md", "# one\n")
    repository.put("b.md", "# b\n")
    repository.put("a.md", "# two\n")
    revert = repository.put("a.md", "# one\n")
    (repository.folder / "b.md").chmod(0o755)
    mode = repository.commit()
    assert await commits(repository) == {"a.md": revert, "b.md": mode}


async def test_one_read_looks_no_further_back_than_it_must(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = Repository(tmp_path / "book")
    for name in ("a.md", "b.md", "c.md"):
        repository.put(name)
    # Would hide the first commit's files from the pass, and each would be asked for alone.
    repository.git("config", "log.showRoot", "false")
    counted = Counted(monkeypatch)
    source = git_source(repository.folder)
    listed = await entries(source)
    assert counted.of("log") == 0
    for path in ("c.md", "a.md", "b.md", "c.md"):
        await source.read(listed[path])
    assert counted.of("log") == 1
    assert counted.of("cat-file") == 1
    await source.close()


async def test_thousands_of_files_take_a_handful_of_processes_and_no_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {f"docs/d{n % 50}/f{n}.md": ("100644", f"# Runbook {n}\n") for n in range(6000)}
    names = sorted(files)
    history = []
    for mark in range(1, 13):
        # Each commit adds another five hundred; fast-import wants whole trees here.
        kept = {name: files[name] for name in names[: mark * 500]}
        history.append(Snapshot(mark, [mark - 1] if mark > 1 else [], 1_700_000_000 + mark, kept))
    imported(tmp_path / "book", history)
    counted = Counted(monkeypatch)
    source = git_source(tmp_path, url=(tmp_path / "book").as_uri())
    listed = await entries(source)
    assert len(listed) == 6000
    document = await source.read(listed[names[-1]])
    oldest = await source.read(listed[names[0]])
    await source.close()
    assert document.modified_at is not None
    assert oldest.modified_at is not None
    assert document.modified_at.timestamp() == 1_700_000_012
    assert oldest.modified_at.timestamp() == 1_700_000_001
    assert (counted.of("ls-tree"), counted.of("cat-file"), counted.of("log")) == (1, 1, 1)
    assert not list((tmp_path / ".orrery").rglob("*.md"))


async def test_an_absurd_date_is_not_guessed_at(tmp_path: Path) -> None:
    history = [Snapshot(1, [], 99_999_999_999_999, {"a.md": ("100644", TEXTS[0])})]
    repository = imported(tmp_path / "book", history)
    source = git_source(repository.folder)
    document = (await documents(source))["a.md"]
    await source.close()
    assert document.modified_at is None
    assert document.commit == repository.git("rev-parse", "main")


async def test_a_killed_reader_is_started_again(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "book")
    repository.put("a.md", "# a\n")
    repository.put("b.md", "# b\n")
    source = git_source(repository.folder)
    listed = await entries(source)
    await source.read(listed["a.md"])
    objects: Any = source._objects
    objects._process._process.kill()
    assert (await source.read(listed["b.md"])).text == "# b\n"
    await source.close()


async def test_a_changed_file_is_found_while_others_stay_unread(tmp_path: Path) -> None:
    # Only a.md is read after both changed: b.md must still look changed in the next listing.
    repository = Repository(tmp_path / "book")
    repository.write("a.md", "# a1\n")
    repository.write("b.md", "# b1\n")
    repository.commit()
    source = git_source(repository.folder)
    before = {path: entry.revision for path, entry in (await entries(source)).items()}
    repository.write("a.md", "# a2\n")
    repository.write("b.md", "# b2\n")
    repository.commit()
    listed = await entries(source)
    await source.read(listed["a.md"])
    after = {path: entry.revision for path, entry in (await entries(source)).items()}
    repository.commit("nothing changed")
    again = {path: entry.revision for path, entry in (await entries(source)).items()}
    assert await outcome(source) == {"a.md": None, "b.md": None}
    await source.close()
    assert before["b.md"] != after["b.md"] == again["b.md"]
