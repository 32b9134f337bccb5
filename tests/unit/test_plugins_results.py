from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import json
import pathlib
import uuid

import pytest
from google.genai import types
from pydantic import BaseModel, Field, SecretStr

from orrery_plugins.results import (
    MAX_DEPTH,
    TooDeep,
    map_strings,
    normalise,
    passages_of,
    replace,
    size,
)


class Colour(enum.StrEnum):
    RED = "red"


class Login(BaseModel):
    name: str
    password: SecretStr
    internal: str = Field(default="keep out", exclude=True)
    nothing: str | None = None


@dataclasses.dataclass
class Point:
    x: int
    raw: bytes


class Unknown:
    def __str__(self) -> str:
        raise AssertionError("asked an unknown object for its text")

    __repr__ = __str__


BLOB = types.Part(inline_data=types.Blob(data=b"123", mime_type="image/png"))


@pytest.mark.parametrize(
    ("result", "tree"),
    [
        ({"a": 1}, {"a": 1}),
        ({"a": {"b": [1, ("x", None)]}}, {"a": {"b": [1, ["x", None]]}}),
        ("text", {"result": "text"}),
        (None, {"result": None}),
        (True, {"result": True}),
        (1.5, {"result": 1.5}),
        (float("inf"), {"result": "inf"}),
        ([1, 2], {"result": [1, 2]}),
        ((1, 2), {"result": [1, 2]}),
        (b"abc", {"result": "[3 bytes, not shown]"}),
        (memoryview(b"ab"), {"result": "[2 bytes, not shown]"}),
        (types.Part(text="x"), {"result": "x"}),
        (BLOB, {"result": "[image/png, 3 bytes, not shown]"}),
        ([BLOB, "x"], {"result": ["[image/png, 3 bytes, not shown]", "x"]}),
        (types.Content(parts=[types.Part(text="x")]), {"parts": [{"text": "x"}]}),
        (types.Part(file_data=types.FileData(file_uri="gs://x")), {
            "result": "[part with file_data, not shown]"
        }),
        (Login(name="n", password="p"), {"name": "n", "password": "**********"}),  # type: ignore[arg-type]
        (Point(1, b"x"), {"x": 1, "raw": "[1 bytes, not shown]"}),
        (Colour.RED, {"result": "red"}),
        ({Colour.RED: Colour.RED}, {"red": "red"}),
        (datetime.date(2026, 1, 2), {"result": "2026-01-02"}),
        (decimal.Decimal("1.50"), {"result": "1.50"}),
        (uuid.UUID(int=1), {"result": "00000000-0000-0000-0000-000000000001"}),
        (pathlib.Path("/a"), {"result": "/a"}),
        (Unknown(), {"result": "[Unknown, not shown]"}),
        ({"a": Unknown()}, {"a": "[Unknown, not shown]"}),
        (ValueError("secret"), {"result": "[ValueError, not shown]"}),
        (iter([1]), {"result": "[list_iterator, not shown]"}),
        ({3: 4, "3": 5}, {"3": 4, "3 (2)": 5}),
        ("a\ud800b", {"result": "a?b"}),
    ],
)  # fmt: skip
def test_everything_becomes_a_plain_tree(result, tree):
    normalised = normalise(result)
    assert normalised == tree
    assert json.loads(json.dumps(normalised)) == tree


def test_the_tree_shares_nothing_with_the_result():
    result = {"a": [{"b": 1}]}
    normalise(result)["a"][0]["b"] = 2
    assert result == {"a": [{"b": 1}]}


def test_depth_is_bounded():
    deep: object = "x"
    for _ in range(MAX_DEPTH):
        deep = [deep]
    assert normalise(deep)["result"]
    with pytest.raises(TooDeep):
        normalise([deep])


def test_strings_are_changed_in_keys_and_values_and_no_key_is_lost():
    tree = {"a1": ["b2", 3, None], "a4": {"c5": "d6"}}
    changed = map_strings(tree, lambda text: text[0])
    assert changed == {"a": ["b", 3, None], "a (2)": {"c": "d"}}
    assert tree == {"a1": ["b2", 3, None], "a4": {"c5": "d6"}}


@pytest.mark.parametrize(
    "tree",
    [
        {},
        {"passages": None},
        {"passages": "text"},
        {"passages": ["text"]},
        {"passages": [{"text": 1}]},
        {"passages": [{"text": "x"}, {"citation": "kb:x"}]},
    ],
)
def test_other_shapes_are_no_search_result(tree):
    assert passages_of(tree) is None


def test_a_search_result_is_known_by_its_passages():
    assert passages_of({"passages": []}) == []
    assert passages_of({"passages": [{"text": "x"}]}) == [{"text": "x"}]


def test_replace_keeps_the_object():
    result = {"a": 1}
    alias = result
    replace(result, {"b": 2})
    assert alias == {"b": 2}


def test_size_counts_characters_and_not_escapes_of_letters():
    assert size({"ä": "ö"}) == len('{"ä": "ö"}') == 10
