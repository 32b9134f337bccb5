from __future__ import annotations

import random
import zlib

import pytest

from orrery_knowledge.sources.decoding import decode, is_lfs_pointer, looks_binary

POINTER = (
    b"version https://git-lfs.github.com/spec/v1\n"
    b"oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n"
    b"size 90405\n"
)


@pytest.mark.parametrize(
    ("data", "text", "warnings"),
    [
        (b"", "", ()),
        ("Prüfen ✓ 🚒".encode(), "Prüfen ✓ 🚒", ()),
        (b"\xef\xbb\xbf# Title", "# Title", ()),
        # Only the first mark is one.
        (b"\xef\xbb\xbf\xef\xbb\xbfx", "\ufeffx", ()),
        (b"\xff\xfeh\x00i\x00", "hi", ()),
        (b"\xfe\xff\x00h\x00i", "hi", ()),
        ("\ufeffhi 🚒".encode("utf-32-le"), "hi 🚒", ()),
        ("\ufeffhi".encode("utf-32-be"), "hi", ()),
        (b"caf\xe9", "caf\ufffd", ("1 bytes replaced: not UTF-8",)),
        # Truncated after three of the four bytes of one character.
        (b"ok \xf0\x9f\x9a", "ok \ufffd\ufffd\ufffd", ("3 bytes replaced: not UTF-8",)),
        # An encoded surrogate must not become one.
        (b"\xed\xa0\x80", "\ufffd\ufffd\ufffd", ("3 bytes replaced: not UTF-8",)),
        (b"\xff\xfeh\x00\x00\xd8", "h\ufffd", ("some bytes replaced: not UTF-16-LE",)),
        (b"a\x00b", "a\ufffdb", ("1 NUL characters replaced",)),
        (
            "no mark here".encode("utf-16-le"),
            "no mark here",
            ("no byte order mark: read as UTF-16-LE",),
        ),
        (
            "no mark here".encode("utf-16-be"),
            "no mark here",
            ("no byte order mark: read as UTF-16-BE",),
        ),
    ],
)
def test_decoding(data: bytes, text: str, warnings: tuple[str, ...]) -> None:
    assert decode(data) == (text, warnings)


def test_line_ends_stay_as_they_are() -> None:
    assert decode(b"a\r\nb\rc\n").text == "a\r\nb\rc\n"


def test_many_broken_bytes_take_linear_time() -> None:
    decoded = decode(b"a\xe9" * 1_000_000)
    assert decoded.text == "a\ufffd" * 1_000_000
    assert decoded.warnings == ("1000000 bytes replaced: not UTF-8",)


@pytest.mark.parametrize(
    ("head", "binary"),
    [
        (b"", False),
        (b"# Title\n\ntext\x00\n", False),
        ("日本語の手順書。".encode("shift-jis") * 50, False),
        ("Grüße, Überlast\n".encode("latin-1") * 50, False),
        (b"\x1b[31mred\x1b[0m log line\n" * 50, False),
        ("hello there, plain words".encode("utf-16-le"), False),
        (b"\xff\xfe" + "hi".encode("utf-16-le"), False),
        (b"\x7fELF\x02\x01\x01" + b"\x00" * 200, True),
        (zlib.compress(random.Random(7).randbytes(4000)), True),
        (random.Random(7).randbytes(4000), True),
    ],
)
def test_telling_binary_from_text(head: bytes, binary: bool) -> None:
    assert looks_binary(head) is binary


def test_lfs_pointers() -> None:
    assert is_lfs_pointer(POINTER)
    assert not is_lfs_pointer(b"# About LFS\n\n" + POINTER)
    # Text that begins like a pointer and is too long for one is somebody's document.
    assert not is_lfs_pointer(POINTER + b"x" * 1000)
