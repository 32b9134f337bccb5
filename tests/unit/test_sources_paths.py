from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery_knowledge.sources.paths import printable_name, printable_path


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"docs/pool exhaustion.md", "docs/pool exhaustion.md"),
        ("docs/überlast.md".encode(), "docs/überlast.md"),
        (b'it\'s "quoted".md', 'it\'s "quoted".md'),
        (b"100%.md", "100%.md"),
        (b"a%20b.md", "a%20b.md"),
        (b"caf\xe9.md", "caf%E9.md"),
        (b"caf%E9.md", "caf%25E9.md"),
        (b"a%25.md", "a%2525.md"),
        (b"two\nlines\tand tabs.md", "two%0Alines%09and tabs.md"),
        (b"esc\x1b[2J.md", "esc%1B[2J.md"),
        ("gpj\u202exe.md".encode(), "gpj%E2%80%AExe.md"),
        (b"%%0A.md", "%%250A.md"),
        # An encoded surrogate isn't UTF-8.
        (b"\xed\xa0\x80.md", "%ED%A0%80.md"),
    ],
)
def test_names_as_text(raw: bytes, text: str) -> None:
    assert printable_path(raw) == text


def test_a_name_from_the_operating_system() -> None:
    assert printable_name("caf\udce9.md") == "caf%E9.md"


# Few different bytes, so that collisions are likely if there can be any.
tricky = st.lists(
    st.sampled_from([b"%", b"2", b"5", b"E", b"9", b"0", b"A", b"\xe9", b"\n", b"\xc3\xa9", b"a"]),
    max_size=8,
).map(b"".join)


def unprintable(text: str) -> bytes:
    """The way back, written apart from the way there."""
    out = bytearray()
    data = text.encode()
    position = 0
    while position < len(data):
        code = data[position + 1 : position + 3]
        escape = data[position : position + 1] == b"%" and len(code) == 2
        if escape and all(byte in b"0123456789ABCDEF" for byte in code):
            value = int(code, 16)
            if value < 0x20 or value in (0x25, 0x7F) or value >= 0x80:
                out.append(value)
                position += 3
                continue
        out += data[position : position + 1]
        position += 1
    return bytes(out)


@given(tricky | st.binary(max_size=20))
def test_no_two_names_give_one_text(raw: bytes) -> None:
    text = printable_path(raw)
    assert text.encode().decode() == text
    assert unprintable(text) == raw
