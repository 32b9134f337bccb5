"""What a setting takes, in words: a phrase for each kind of error that pydantic knows."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel
from pydantic.fields import FieldInfo

TEXT, NUMBER, WHOLE, BOOLEAN = "text", "a number", "a whole number", "true or false"
LIST, MAPPING, PATH = "a list", "keys with values", "a path"
DATE, TIME = "a date", "a date and time"

EXPECTED = {
    **dict.fromkeys(("string_type", "string_unicode"), TEXT),
    "string_too_short": "text of {min_length} or more characters",
    "string_too_long": "text of {max_length} or fewer characters",
    "string_pattern_mismatch": "text that matches {pattern}",
    "string_not_ascii": "text without accents or other special characters",
    **dict.fromkeys(("int_type", "int_parsing", "int_parsing_size", "int_from_float"), WHOLE),
    **dict.fromkeys(("float_type", "float_parsing", "decimal_type", "decimal_parsing"), NUMBER),
    **dict.fromkeys(("fraction_type", "fraction_parsing", "complex_type"), NUMBER),
    "complex_str_parsing": NUMBER,
    "finite_number": "a number that isn't infinite",
    "greater_than": "a number above {gt}",
    "greater_than_equal": "a number of {ge} or more",
    "less_than": "a number below {lt}",
    "less_than_equal": "a number of {le} or less",
    "multiple_of": "a multiple of {multiple_of}",
    "decimal_max_digits": "a number of at most {max_digits} digits",
    "decimal_max_places": "a number of at most {decimal_places} decimal places",
    "decimal_whole_digits": "a number of at most {whole_digits} digits before the point",
    **dict.fromkeys(("bool_type", "bool_parsing"), BOOLEAN),
    **dict.fromkeys(("literal_error", "enum", "union_tag_invalid"), "one of {expected}"),
    "union_tag_not_found": "keys with values, one of which says which kind it is",
    **dict.fromkeys(("list_type", "tuple_type", "set_type", "frozen_set_type"), LIST),
    **dict.fromkeys(("deque_type", "iterable_type", "iteration_error"), LIST),
    "set_item_not_hashable": "a list of plain values",
    "too_short": "a list of {min_length} or more",
    "too_long": "a list of {max_length} or fewer",
    **dict.fromkeys(("dict_type", "mapping_type", "model_type", "dataclass_type"), MAPPING),
    **dict.fromkeys(("frozen_dict_type", "ordered_dict_type", "counter_type"), MAPPING),
    **dict.fromkeys(("model_attributes_type", "dataclass_exact_type"), MAPPING),
    **dict.fromkeys(("named_tuple_type", "arguments_type"), MAPPING),
    "path_type": PATH,
    **dict.fromkeys(("date_type", "date_parsing", "date_from_datetime_parsing"), DATE),
    "date_from_datetime_inexact": DATE,
    "date_past": "a date in the past",
    "date_future": "a date in the future",
    **dict.fromkeys(("datetime_type", "datetime_parsing", "datetime_object_invalid"), TIME),
    "datetime_from_date_parsing": TIME,
    "datetime_past": "a time in the past",
    "datetime_future": "a time in the future",
    **dict.fromkeys(("time_type", "time_parsing"), "a time of day"),
    "timezone_naive": "a time without a time zone",
    **dict.fromkeys(("timezone_aware", "timezone_offset"), "a time with a time zone"),
    **dict.fromkeys(("time_delta_type", "time_delta_parsing"), "a duration"),
    **dict.fromkeys(("url_type", "url_parsing", "url_syntax_violation"), "a URL"),
    "url_too_long": "a URL of at most {max_length} characters",
    "url_scheme": "a URL that begins with {expected_schemes}",
    **dict.fromkeys(("uuid_type", "uuid_parsing"), "a UUID"),
    "uuid_version": "a UUID of version {expected_version}",
    **dict.fromkeys(("bytes_type", "bytes_invalid_encoding"), TEXT),
    "bytes_too_short": "text of {min_length} or more bytes",
    "bytes_too_long": "text of {max_length} or fewer bytes",
    **dict.fromkeys(("json_type", "json_invalid"), "text in JSON"),
    "none_required": "nothing",
    "invalid_key": "keys that are text",
}
"""Error type -> what was expected; the braces are filled from the error's context."""

NUMERIC = frozenset(
    kind for kind, phrase in EXPECTED.items() if "number" in phrase or "multiple" in phrase
)


def expected(kind: str, context: dict[str, Any], field: FieldInfo | None) -> str | None:
    """What was expected, in words; None for an error that says nothing about it."""
    if kind in NUMERIC and field is not None and (span := _span(field)):
        whole = kind.startswith("int_") or "int" in str(field.annotation)
        return f"{WHOLE if whole else NUMBER} {span}"
    if kind == "string_pattern_mismatch" and field is not None and field.description:
        return field.description
    phrase = EXPECTED.get(kind)
    if phrase is None:
        return None
    try:
        return phrase.format_map({name: _shown(value) for name, value in context.items()})
    except KeyError:
        return "something else"


def found(value: Any, *, number: bool) -> str:
    """What stands there, in words; text is never repeated, a number where one is expected is."""
    if value is None or value == "" or value == []:
        return "empty"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, int | float):
        return f"{value:.15g}" if number else NUMBER
    for kind, words in ((str, TEXT), (dict, MAPPING), (list | tuple, LIST)):
        if isinstance(value, kind):
            return words
    return "a date or something else that isn't text"


def example(field: FieldInfo | None) -> str | None:
    """What could stand there, as in the file: the field's own example, or its default."""
    if field is None:
        return None
    if field.examples:
        return str(field.examples[0])
    value = field.default
    if field.is_required() or value is None or isinstance(value, BaseModel):
        return None
    if isinstance(value, tuple | list | dict | bool | int | float):
        return json.dumps(list(value) if isinstance(value, tuple) else value)
    return str(value) if isinstance(value, str | Path) else None


def example_line(name: str, given: str) -> str:
    """A line to paste into the file."""
    return f"`{name}: {given}`"


def example_json(name: str, given: str) -> str:
    """The same for what stands in a variable as JSON."""
    return f"`{json.dumps(name)}: {json.dumps(yaml.safe_load(given))}`"


def example_variable(name: str, given: str) -> str:
    """The same for the shell."""
    value = yaml.safe_load(given)
    text = json.dumps(value) if isinstance(value, dict | list) else given
    return f"`{name}={shlex.quote(text)}`"


def _shown(value: Any) -> str:
    text = str(value)
    return text.removesuffix(".0").replace("'", "`")


def _span(field: FieldInfo) -> str:
    limits = {
        name: _shown(value)
        for mark in field.metadata
        for name in ("ge", "gt", "le", "lt")
        if (value := getattr(mark, name, None)) is not None
    }
    if {"ge", "le"} <= limits.keys():
        return f"from {limits['ge']} to {limits['le']}"
    words = {"ge": "of at least {}", "gt": "above {}", "le": "of at most {}", "lt": "below {}"}
    return " and ".join(words[name].format(value) for name, value in limits.items())
