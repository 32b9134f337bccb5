"""Says in one sentence what is wrong with settings: where, what was found, what goes there."""

from __future__ import annotations

import difflib
import types
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails
from pydantic_core.core_schema import ErrorType

from orrery_knowledge.configuration.expectations import (
    BOOLEAN,
    NUMBER,
    NUMERIC,
    PATH,
    TEXT,
    WHOLE,
    example,
    example_json,
    example_line,
    example_variable,
    expected,
    found,
)
from orrery_knowledge.configuration.file import KeyPath
from orrery_knowledge.configuration.origins import Origin, holds, key_text, variable_name
from orrery_knowledge.errors import ConfigurationError

_BOOLEANS = "YAML reads yes, no, on and off as true and false"
_WORD = 20  # longest word that is repeated where one of a few is expected


def unknown(what: str, given: str, known: Iterable[str], *, shown: str | None = None) -> str:
    """An unknown name, the nearest known one and all known ones.

    Args:
        what: the kind of name.
        given: the name.
        known: all names that could stand there.
        shown: how to show it; by default as given.
    """
    names = sorted(known)
    near = difflib.get_close_matches(given, names, n=1, cutoff=0.7)
    hint = f"; did you mean {near[0]!r}?" if near else ";"
    return f"unknown {what} {(shown or given)!r}{hint} known: {', '.join(names) or 'none'}"


def check_keys(
    model: type[BaseModel], values: Mapping[str, Any], base: KeyPath, origin: Origin
) -> None:
    """Refuse keys that a model doesn't know (also one that would ignore them), and yes for 1.

    Raises:
        ConfigurationError: the first of them.
    """
    for key, problem in _slips(model, values, base, origin):
        raise ConfigurationError(origin.sentence(key, problem))


def refusal(
    error: ValidationError,
    model: type[BaseModel],
    values: Mapping[str, Any],
    base: KeyPath,
    origin: Origin,
) -> ConfigurationError:
    """The first error of a validation, and how many more there are."""
    problems = error.errors(include_url=False)
    first = problems[0]
    key, field, around, near = _locate(model, values, first["loc"])
    whole = (*base, *key)
    paste = _paste((*base, *around), near, origin)
    text = origin.sentence(whole, _sentence(first, whole, field, paste))
    others = len(problems) - 1
    return ConfigurationError(f"{text} (and {others} more)" if others else text)


def _sentence(problem: ErrorDetails, key: KeyPath, field: FieldInfo | None, paste: str) -> str:
    kind, context, value = problem["type"], problem.get("ctx", {}), problem["input"]
    if problem["loc"][-1:] == ("[key]",) or kind == "invalid_key":
        name = key_text(key[:-1]) or "the settings"
        return f"a key of {name} is {found(value, number=True)}; expected text: put it in quotes"
    name = key_text(key) or "the settings"
    if kind == "missing":
        wanted = _wanted(field)
        line = paste or f", for example `{key[-1] if key else name}: ...`"
        return f"{name} is missing; expected {wanted}{line}"
    if kind == "extra_forbidden":
        return f"unknown key {name!r}"
    words = expected(kind, context, field)
    if words is None:
        return f"{name}: {_own_words(problem)}{paste}"
    word = value if isinstance(value, str) and value.isalpha() and len(value) <= _WORD else None
    if word is not None and kind in ("literal_error", "enum"):
        what = f"`{word}`"
    else:
        what = found(value, number=kind in NUMERIC)
    if isinstance(value, bool) and words != BOOLEAN:
        paste += f" ({_BOOLEANS})"
    elif words == TEXT and isinstance(value, int | float):
        words = "text (put it in quotes)"
    return f"{name} is {what}; expected {words}{paste}"


def _own_words(problem: ErrorDetails) -> str:
    """What a component's own check said; nothing that pydantic words."""
    reason = problem.get("ctx", {}).get("error")
    if problem["type"] in ("value_error", "assertion_error"):
        text = " ".join(str(reason).split())
        return text or "this can't be used"
    if problem["type"] in get_args(ErrorType):
        return "this can't be used"  # what pydantic says of it is meant for programs
    return " ".join(problem["msg"].split())


def _paste(key: KeyPath, field: FieldInfo | None, origin: Origin) -> str:
    """An example of a field; its key may stand around the one that is wrong."""
    given = example(field)
    if given is None or not key or isinstance(key[-1], int):
        return ""
    name, variable = str(key[-1]), origin.variable(key)
    if variable is None:
        line = example_line(name, given)
    elif key[0] == "corpora" and variable != variable_name(key):
        line = example_json(name, given)
    else:
        line = example_variable(variable_name(key), given)
    return f", for example {line}"


def _wanted(field: FieldInfo | None) -> str:
    if field is None:
        return TEXT
    if field.description:
        return field.description
    words = {str: TEXT, SecretStr: TEXT, Path: PATH, int: WHOLE, float: NUMBER, bool: BOOLEAN}
    if field.annotation in words:
        return words[field.annotation]
    options = get_args(field.annotation)
    if options and all(isinstance(one, str) for one in options):
        return "one of " + " or ".join(f"`{one}`" for one in options)
    return "a value"


# --- models and values, walked side by side --------------------------------------------------


def _names(model: type[BaseModel]) -> dict[str, FieldInfo] | None:
    """Key -> field; None when a field goes by more names than one can list."""
    both = model.model_config.get("populate_by_name") or model.model_config.get("validate_by_name")
    names: dict[str, FieldInfo] = {}
    for name, field in model.model_fields.items():
        alias = field.validation_alias or field.alias
        if alias is not None and not isinstance(alias, str):
            return None
        names[alias or name] = field
        if both:
            names[name] = field
    return names


def _slips(
    model: type[BaseModel], values: Mapping[str, Any], base: KeyPath, origin: Origin
) -> Iterator[tuple[KeyPath, str]]:
    names = _names(model)
    if names is None:
        return
    open_ = model.model_config.get("extra") == "allow"
    for name, value in values.items():
        key = (*base, str(name))
        field = names.get(name)
        if field is None:
            if not open_:
                yield key, _unknown_key(key, model)
        elif isinstance(value, bool) and _plain(field.annotation) in (int, float):
            wanted = expected("int_type", {}, field) or WHOLE
            what, paste = found(value, number=True), _paste(key, field, origin)
            yield key, f"{key_text(key)} is {what}; expected {wanted}{paste} ({_BOOLEANS})"
        else:
            for inner, within, held in _models(field, value, key):
                yield from _slips(inner, held, within, origin)


def _models(
    field: FieldInfo, value: Any, key: KeyPath
) -> Iterator[tuple[type[BaseModel], KeyPath, dict[str, Any]]]:
    """The models that a field holds, itself or by name, with what is given for them."""
    inner = _plain(field.annotation)
    if not isinstance(value, dict):
        return
    if _is_model(inner):
        yield inner, key, value
    elif get_origin(inner) is dict and _is_model(one := _item(inner)):
        for name, held in value.items():
            if isinstance(held, dict):
                yield one, (*key, name), held


def _unknown_key(key: KeyPath, model: type[BaseModel]) -> str:
    known = [field.alias or name for name, field in model.model_fields.items()]
    return unknown("key", str(key[-1]), known, shown=key_text(key))


def _plain(annotation: Any) -> Any:
    """An annotation without `| None`."""
    if get_origin(annotation) in (Union, types.UnionType):
        rest = [one for one in get_args(annotation) if one is not type(None)]
        return rest[0] if len(rest) == 1 else annotation
    return annotation


def _locate(
    model: type[BaseModel], values: Mapping[str, Any], loc: tuple[str | int, ...]
) -> tuple[KeyPath, FieldInfo | None, KeyPath, FieldInfo | None]:
    """The key of an error with its field, and the nearest around it of which there is an example.

    Names of branches, which pydantic puts between, are left out.
    """
    current: Any = model
    given: Any = values
    key: list[str | int] = []
    field: FieldInfo | None = None
    depth, shown = 0, 0
    near: FieldInfo | None = None
    for part in loc:
        names = _names(current) if _is_model(current) else None
        if names is not None and part in names:
            field, depth = names[str(part)], len(key) + 1
            if example(field) is not None:
                near, shown = field, depth
            if isinstance(given, dict) and part not in given:
                part = next((name for name in given if names.get(name) is field), part)
            given = given.get(part) if isinstance(given, dict) else None
            current = _plain(field.annotation)
        elif part != "[key]" and (get_origin(current) is dict or holds(given, part)):
            given = given[part] if holds(given, part) else None
            current = _item(current)
        else:
            continue
        key.append(part)
    own = field if depth == len(key) else None
    return tuple(key), own, tuple(key[:shown]), near


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _item(annotation: Any) -> Any:
    of = [one for one in get_args(annotation) if one is not Ellipsis]
    return of[-1] if of else None
