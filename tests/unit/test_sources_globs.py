from __future__ import annotations

import pytest

from orrery_knowledge.sources.globs import PathFilter, parse_glob


@pytest.mark.parametrize(
    ("glob", "path", "expected"),
    [
        ("**/*.md", "a.md", True),
        ("**/*.md", "x/y/a.md", True),
        ("**/*.md", "x/y/a.MD", False),
        ("**/*.md", "x/a.mdx", False),
        ("*.md", "x/a.md", False),
        ("docs/**", "docs/x/y.txt", True),
        ("docs/**", "docs", False),
        ("docs/", "docs/x/y.txt", True),
        ("./docs//*.md", "docs/a.md", True),
        ("docs/**/runbooks/*.md", "docs/runbooks/a.md", True),
        ("docs/**/runbooks/*.md", "docs/a/b/runbooks/c.md", True),
        ("docs/**/runbooks/*.md", "docs/a/runbooks/b/c.md", False),
        ("**/**/a.md", "a.md", True),
        ("docs/?.md", "docs/a.md", True),
        ("docs/?.md", "docs/ab.md", False),
        ("adr-[0-9][0-9].md", "adr-07.md", True),
        ("adr-[!0-9].md", "adr-7.md", False),
        ("a[]]b.md", "a]b.md", True),
        ("a.md", "abmd", False),
        ("(a|b)+.md", "(a|b)+.md", True),
        ("*.md", "two\nlines.md", True),
        # A wildcard never matches a leading dot; a written one does.
        ("**/*.md", ".github/a.md", False),
        ("**/*.md", "docs/.hidden.md", False),
        (".github/**/*.md", ".github/w/a.md", True),
        ("**/.github/*.md", "x/.github/a.md", True),
    ],
)
def test_matching(glob: str, path: str, expected: bool) -> None:
    assert PathFilter([glob]).matches(path) is expected


@pytest.mark.parametrize(
    ("exclude", "path", "expected"),
    [
        ("drafts/**", "drafts/a.md", False),
        ("drafts", "drafts/x/a.md", False),
        ("**/node_modules", "a/node_modules/b/README.md", False),
        ("*.md", "a.md", False),
        ("*.md", "x/a.md", True),
        ("drafts/*.md", "drafts/x/a.md", True),
        ("**", "a.md", False),
        ("drafts", "drafts2/a.md", True),
    ],
)
def test_excluding(exclude: str, path: str, expected: bool) -> None:
    assert PathFilter(["**/*.md"], [exclude]).matches(path) is expected


def test_folders_that_need_not_be_entered() -> None:
    wanted = PathFilter(["docs/*.md", "ops/**/*.md"], ["ops/old", "ops/tmp/**"])
    assert wanted.may_contain("")
    assert wanted.may_contain("docs")
    assert not wanted.may_contain("docs/deep")
    assert wanted.may_contain("ops/a/b")
    assert not wanted.may_contain("ops/old")
    assert not wanted.may_contain("ops/old/a")
    assert not wanted.may_contain("ops/tmp")
    assert not wanted.may_contain("src")
    assert not wanted.may_contain(".git")


@pytest.mark.parametrize(
    ("glob", "says"),
    [
        ("", "empty"),
        ("/etc/*.md", "relative"),
        ("..\\secret", "relative"),
        ("../*.md", "inside"),
        ("docs/../*.md", "inside"),
        (".", "inside"),
        ("!docs/*.md", "exclude"),
        ("docs/*.{md,txt}", "braces"),
        ("a**/b.md", "alone"),
        ("[a.md", "never closed"),
        ("[z-a].md", "not a valid pattern"),
    ],
)
def test_globs_that_would_not_mean_what_they_look_like(glob: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        parse_glob(glob)


def test_a_hostile_name_takes_linear_time() -> None:
    # A backtracking engine would not come back from this one.
    name = "a" * 20_000 + "b"
    assert not PathFilter(["*a*a*a*a*a*a*a*a*a*a*a*a*c"]).matches(name)
