from __future__ import annotations

from orrery_knowledge.chunking.cutting import cut
from orrery_knowledge.chunking.lines import Lines


def test_cut_prefers_sentences_then_lines_then_spaces_then_anything() -> None:
    def pieces(text: str, size: int) -> list[str]:
        offsets = cut(text, 0, len(text), size, room=size, limit=size)
        return [text[a:b] for a, b in zip([0, *offsets], [*offsets, len(text)], strict=True)]

    assert pieces("One two. Three four five", 16) == ["One two. ", "Three four five"]
    assert pieces("See e.g. this\nthing here", 16) == ["See e.g. this\n", "thing here"]
    assert pieces("Hi. One two three four five", 20) == ["Hi. One two three ", "four five"]
    assert pieces("one two three four", 10) == ["one two ", "three four"]
    assert pieces("abcdefghij", 4) == ["abcd", "efgh", "ij"]
    assert pieces("one      two", 3) == ["one      ", "two"]
    assert pieces("\u6587\u5b57\u3002\u4e8c\u6587\u5b57", 4) == [
        "\u6587\u5b57\u3002",
        "\u4e8c\u6587\u5b57",
    ]


def test_cut_does_not_tear_clusters_apart() -> None:
    text = "abce\u0301fg"
    assert cut(text, 0, len(text), 4, room=4, limit=4) == [3]
    family = "ab\U0001f468\u200d\U0001f469"
    assert cut(family, 0, len(family), 4, room=4, limit=4) == [2]


def test_cut_leaves_no_tiny_rest() -> None:
    text = "word " * 22 + "x"
    assert cut(text, 0, len(text), 100, room=100, limit=115) == [100]
    assert cut(text + "word " * 20, 0, len(text) + 99, 100, room=100, limit=115) == [100]
    assert cut(text, 0, len(text), 100, room=115, limit=115) == []


def test_lines() -> None:
    lines = Lines("a\r\n \rb\n")
    assert len(lines) == 3
    assert [lines.offset(n) for n in range(4)] == [0, 3, 5, 7]
    assert [lines.at(offset) for offset in (0, 2, 3, 4, 5, 6)] == [0, 0, 1, 1, 2, 2]
    assert lines.content_end(0, 2) == 1
    assert lines.blank(1, 2)
    assert lines.next_visible(1, 3) == 2
