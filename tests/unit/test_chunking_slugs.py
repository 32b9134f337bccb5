from __future__ import annotations

import pytest

from orrery_knowledge.chunking.slugs import Slugger, slug


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Find it", "find-it"),
        ("What's new in v3.1.0?", "whats-new-in-v310"),
        ("max_connections", "max_connections"),
        ("a - b", "a---b"),
        ("Alert: KubePodCrashLooping (critical)", "alert-kubepodcrashlooping-critical"),
        ("\u65e5\u672c\u8a9e \u30c6\u30b9\u30c8", "\u65e5\u672c\u8a9e-\u30c6\u30b9\u30c8"),
        ("\U0001f525 Fire", "-fire"),
        ("\u26a0\ufe0f Warning", "\ufe0f-warning"),
        ("\u00c9t\u00e9", "\u00e9t\u00e9"),
        ("C++ & C#", "c--c"),
        ("tab\there", "tabhere"),
        ("\u24d0 \u2160", "\u24d0-\u2170"),
    ],
)
def test_slug(text: str, expected: str) -> None:
    assert slug(text) == expected


def test_duplicate_anchors_are_numbered_and_never_collide() -> None:
    slugger = Slugger()
    texts = ["Foo", "Foo", "foo 1", "Foo", "", "", "Bar 1", "Bar", "Bar"]
    assert [slugger.add(text) for text in texts] == [
        "foo",
        "foo-1",
        "foo-1-1",
        "foo-2",
        "-1",
        "-2",
        "bar-1",
        "bar",
        "bar-2",
    ]
