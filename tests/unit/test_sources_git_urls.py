from __future__ import annotations

import pytest

from orrery_knowledge.sources.git_commands import explain
from orrery_knowledge.sources.git_urls import document_uri, parse_location, redact

SHA = "1f" * 20


@pytest.mark.parametrize(
    ("url", "remote", "shown"),
    [
        (".", False, "."),
        ("./odd:name", False, "./odd:name"),
        ("https://example.org/r.git", True, "https://example.org/r.git"),
        ("https://bot:tok@example.org:8443/r.git", True, "https://example.org:8443/r.git"),
        ("https://ghp_tok@example.org/r.git", True, "https://example.org/r.git"),
        ("https://example.org/r.git?private_token=tok", True, "https://example.org/r.git"),
        ("HTTPS://example.org/r", True, "https://example.org/r"),
        ("ssh://git:pw@example.org:2222/r", True, "ssh://git@example.org:2222/r"),
        ("git@example.org:o/r.git", True, "ssh://git@example.org/o/r.git"),
        ("example.org:/srv/r", True, "ssh://example.org/srv/r"),
        ("file:///srv/r", True, "file:///srv/r"),
    ],
)
def test_locations(url: str, remote: bool, shown: str) -> None:
    location = parse_location(url)
    assert (location.remote, location.shown) == (remote, shown)


def test_a_rotated_token_keeps_the_mirror() -> None:
    names = {
        parse_location(f"https://bot:{token}@example.org/r.git").mirror_name
        for token in ("first", "second")
    }
    assert len(names) == 1
    assert parse_location("https://example.org/other.git").mirror_name not in names


@pytest.mark.parametrize(
    ("shown", "uri"),
    [
        ("https://example.org/r.git", f"git+https://example.org/r.git@{SHA}#docs/a%20b%E9.md"),
        ("../hand book", f"git+file:../hand%20book@{SHA}#docs/a%20b%E9.md"),
    ],
)
def test_uris(shown: str, uri: str) -> None:
    assert document_uri(shown, SHA, b"docs/a b\xe9.md") == uri


@pytest.mark.parametrize(
    "line",
    [
        "fatal: unable to access 'https://bot:s3cr3t-tok@example.org/r.git/': gone",
        "fatal: unable to access 'https://s3cr3t-tok@example.org/r.git/': gone",
        "fatal: unable to access 'https://bot:x@s3cr3t-tok@example.org/r.git/': gone",
        "fatal: https://example.org/r.git?private_token=s3cr3t-tok: gone",
        "remote: user bot with password s3cr3t-tok is unknown",
    ],
)
def test_what_git_says_is_shown_without_secrets(line: str) -> None:
    location = parse_location("https://bot:s3cr3t-tok@example.org/r.git")
    assert "s3cr3t" not in redact(line, location)
    assert "s3cr3t" not in explain(line, location)


@pytest.mark.parametrize(
    ("stderr", "says"),
    [
        (
            "fatal: detected dubious ownership in repository at '/srv/r'\nTo add an exception ...",
            "git config --global --add safe.directory",
        ),
        ("fatal: not a git repository (or any of the parent directories): .git", "check the"),
        ("fatal: could not read Username for 'https://x': terminal prompts disabled", "credential"),
        ("git@x: Permission denied (publickey).\nfatal: Could not read from remote", "SSH key"),
        ("warning: odd\nfatal: bad object 1f1f\nmore", "fatal: bad object 1f1f"),
        ("", "without saying why"),
        ("fatal: red\x1b[31m\x07", "fatal: red"),
    ],
)
def test_git_errors_in_one_line(stderr: str, says: str) -> None:
    line = explain(stderr, parse_location("https://example.org/r.git"))
    assert says in line
    assert line.isprintable()
