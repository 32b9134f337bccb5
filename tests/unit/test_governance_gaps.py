from __future__ import annotations

import pytest

from orrery_knowledge.governance import gaps
from orrery_knowledge.governance.gaps import MAX_CHARACTERS, group_key, redacted


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Why is the pool full?", "why is the POOL full"),
        ("kafka lag high", "high kafka lag"),
        ("restart payments-7d9f8c-x2kq9", "restart payments-58bbf4-qq7zn"),
        ("disk of node12 is full", "disk of node7 is full"),
        ("no route to 10.0.0.1:9100", "no route to 10.1.2.3:9200"),
        ("it failed 3 times in 5m", "it failed 17 times in 10m"),
        ("restarting pods", "restart the pod"),
    ],
)
def test_like_questions_are_one_group(one: str, other: str) -> None:
    assert group_key("question", one) == group_key("question", other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ORA-00942 on login", "ORA-01555 on login"),
        ("is CVE-2024-3094 fixed", "is CVE-2021-44228 fixed"),
        ("the pool is full", "the disk is full"),
        ("Http5xxHigh", "Http4xxHigh"),
        ("¿qué?", "¿cómo?"),
        ("10", "?"),
    ],
)
def test_different_questions_are_not(one: str, other: str) -> None:
    assert group_key("question", one) != group_key("question", other)


def test_an_alert_is_its_name() -> None:
    assert group_key("alert", "Node7Down") != group_key("alert", "Node12Down")
    assert group_key("alert", "PoolFull") == group_key("alert", "poolfull")


def test_an_example_is_redacted_on_one_line_and_short() -> None:
    kept = redacted(
        "login\nfails with password=hunter2hunter2 for ada@lovelace.net\x1b[2J " + "x " * 400
    )
    assert kept is not None
    assert kept.startswith("login fails with password=")
    assert "hunter2" not in kept
    assert "ada@" not in kept
    assert "\x1b" not in kept
    assert MAX_CHARACTERS - 1 <= len(kept) <= MAX_CHARACTERS
    assert kept.endswith("\u2026")


def test_a_secret_that_the_cut_would_halve_is_gone() -> None:
    text = "a " * 140 + "token ghp_" + "aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3bC5"
    kept = redacted(text)
    assert kept is not None
    assert "ghp_aB3" not in kept


def test_what_can_not_be_screened_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: str) -> None:
        raise ValueError("no")

    monkeypatch.setattr(gaps, "screen", broken)
    assert redacted("password=hunter2hunter2") is None
    assert group_key("question", None) == ""


def test_hostile_capitals_take_no_time() -> None:
    """A pattern with two ways through a run of capitals would never end here."""
    assert group_key("question", "A" * 299 + "!") == group_key("question", "a" * 299)
