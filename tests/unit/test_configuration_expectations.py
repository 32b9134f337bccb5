from __future__ import annotations

from typing import get_args

import pytest
from pydantic import BaseModel, Field
from pydantic_core.core_schema import ErrorType

from orrery_knowledge.configuration.expectations import EXPECTED, example, expected, found

# What says nothing about a value of a file: errors of programs, and those told in another way.
ELSEWHERE = {
    "missing",
    "extra_forbidden",
    "value_error",
    "assertion_error",
    "no_such_attribute",
    "needs_python_object",
    "recursion_loop",
    "recursion_depth_exceeded",
    "frozen_field",
    "frozen_instance",
    "get_attribute_error",
    "default_factory_not_called",
    "is_instance_of",
    "is_subclass_of",
    "callable_type",
    "missing_argument",
    "unexpected_keyword_argument",
    "missing_keyword_only_argument",
    "unexpected_positional_argument",
    "missing_positional_only_argument",
    "multiple_argument_values",
    "missing_sentinel_error",
    "ellipsis_error",
}


class Model(BaseModel):
    both: int = Field(default=3, ge=1, le=9)
    above: float = Field(default=0.5, gt=0)
    plain: int = 4
    words: str = Field(default="x", pattern="^x$", description="an x")
    shown: str | None = Field(default=None, examples=["y"])
    listed: tuple[str, ...] = ("a", "b")
    needed: str


FIELDS = Model.model_fields


def test_every_error_of_pydantic_has_a_phrase_or_is_told_in_another_way() -> None:
    # `path_type` is pydantic's own, and not in the list of its core.
    assert set(EXPECTED) - {"path_type"} == set(get_args(ErrorType)) - ELSEWHERE


def test_no_phrase_needs_what_an_error_does_not_say() -> None:
    for kind in EXPECTED:
        assert "{" not in str(expected(kind, {}, None))


@pytest.mark.parametrize(
    ("kind", "context", "field", "phrase"),
    [
        ("less_than_equal", {"le": 9}, "both", "a whole number from 1 to 9"),
        ("float_parsing", {}, "above", "a number above 0"),
        ("int_type", {}, "plain", "a whole number"),
        ("less_than", {"lt": 5.0}, None, "a number below 5"),
        ("string_pattern_mismatch", {"pattern": "^x$"}, "words", "an x"),
        ("string_pattern_mismatch", {"pattern": "^x$"}, None, "text that matches ^x$"),
        ("literal_error", {"expected": "'a' or 'b'"}, None, "one of `a` or `b`"),
        ("too_short", {"min_length": 2}, None, "a list of 2 or more"),
        ("value_error", {}, None, None),
    ],
)
def test_what_was_expected(
    kind: str, context: dict[str, object], field: str | None, phrase: str | None
) -> None:
    assert expected(kind, context, FIELDS[field] if field else None) == phrase


@pytest.mark.parametrize(
    ("value", "number", "words"),
    [
        (None, False, "empty"),
        ("", False, "empty"),
        ([], False, "empty"),
        ("hunter2", True, "text"),
        (True, False, "`true`"),
        (0.1 + 0.2, True, "0.3"),
        (12345, False, "a number"),
        ([1], False, "a list"),
        ({1: 2}, False, "keys with values"),
        (object(), False, "a date or something else that isn't text"),
    ],
)
def test_what_was_found(value: object, number: bool, words: str) -> None:
    assert found(value, number=number) == words


def test_an_example_is_the_fields_own_or_its_default() -> None:
    shown = {name: example(field) for name, field in FIELDS.items()}
    assert shown == {
        "both": "3",
        "above": "0.5",
        "plain": "4",
        "words": "x",
        "shown": "y",
        "listed": '["a", "b"]',
        "needed": None,
    }
    assert example(None) is None
