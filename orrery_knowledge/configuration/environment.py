"""`Environment`: the settings that stand in ``ORRERY_KNOWLEDGE_*`` variables."""

from __future__ import annotations

import contextlib
import difflib
import json
import os
from typing import Any, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, EnvSettingsSource

from orrery_knowledge.configuration.expectations import example, example_variable
from orrery_knowledge.configuration.file import KeyPath
from orrery_knowledge.configuration.origins import PREFIX, variable_name
from orrery_knowledge.errors import ConfigurationError

Model = type[BaseModel]

TOKEN = f"{PREFIX}TOKEN"
"""Who asks, on the command line: a secret and no setting, so no message repeats it."""


class Environment(EnvSettingsSource):
    """Reads ``ORRERY_KNOWLEDGE_BACKEND=sqlite`` as ``{type: sqlite}``."""

    def prepare_field_value(
        self, field_name: str, field: FieldInfo, value: Any, value_is_complex: bool
    ) -> Any:
        """The value of one setting, from its variable and those of the keys in it."""
        component = _takes_any_key(_model(field))
        bare = isinstance(value, str) and not value.lstrip().startswith(("{", "["))
        if bare and not component:
            return value
        try:
            if bare:
                nested = self.explode_env_vars(field_name, field, self.env_vars)
                found = {"type": value, **nested}
            else:
                found = super().prepare_field_value(field_name, field, value, value_is_complex)
        except (ValueError, RecursionError):
            raise _no_json(self.settings_cls, field_name, field) from None
        if component and isinstance(found, dict):
            # Nobody knows yet which options are text: those of the type say so later.
            return {name: _option(option) for name, option in found.items()}
        return found


def read_variables(settings: type[BaseSettings]) -> dict[KeyPath, str]:
    """Every variable of ours that is set, by its key.

    Raises:
        ConfigurationError: one that stands for no setting.
    """
    found: dict[KeyPath, str] = {}
    for name, value in os.environ.items():
        if value and name.upper().startswith(PREFIX) and name.upper() != TOKEN:
            key = tuple(name[len(PREFIX) :].lower().split("__"))
            if not _is_setting(settings, key):
                raise ConfigurationError(f"environment: {_misspelt(settings, name, key)}")
            found[key] = value
    return found


def _is_setting(settings: Model, key: tuple[str, ...]) -> bool:
    field, inner = settings.model_fields.get(key[0]), key[1:]
    if field is None or not all(key):
        return False
    model = _model(field)
    if not inner or get_origin(field.annotation) is dict or _takes_any_key(model):
        return True
    return model is not None and len(inner) == 1 and inner[0] in model.model_fields


def _misspelt(settings: Model, name: str, key: tuple[str, ...]) -> str:
    names = [variable_name((field,)) for field in settings.model_fields]
    inner = []
    for part, field in settings.model_fields.items():
        model = _model(field)
        if _takes_any_key(model):
            # An option, with one underscore too few: which ones there are depends on the type.
            option = key[0].removeprefix(f"{part}_")
            if option != key[0]:
                return _hint(name, variable_name((part, option)))
        elif model is not None:
            inner += [variable_name((part, one)) for one in model.model_fields]
    near = difflib.get_close_matches(name.upper(), [*names, *inner], n=1, cutoff=0.7)
    if near:
        return _hint(name, near[0])
    return f"unknown variable {name!r}; known: {', '.join(sorted(names))}"


def _hint(name: str, near: str) -> str:
    return f"unknown variable {name!r}; did you mean {near!r}?"


def _no_json(settings: type[BaseSettings], name: str, field: FieldInfo) -> ConfigurationError:
    """Which variable of a setting holds no JSON, though it begins like it or must be."""
    variable = variable_name((name,))
    for key, value in read_variables(settings).items():
        if key[0] == name and (len(key) == 1 or value.lstrip().startswith(("{", "["))):
            try:
                json.loads(value)
            except (ValueError, RecursionError):
                variable = variable_name(key)
                held = get_args(field.annotation)[-1:]
                if held and issubclass(held[0], BaseModel):
                    field = held[0].model_fields.get(str(key[-1]), field)
    given = example(field)
    paste = f", for example {example_variable(variable, given)}" if given else ""
    return ConfigurationError(f"environment, {variable}: this is not JSON; expected JSON{paste}")


def _option(text: Any) -> Any:
    """An option from the environment, where it can be nothing but JSON or a switch."""
    if text in ("true", "false") or (isinstance(text, str) and text.startswith(("{", "["))):
        with contextlib.suppress(ValueError, RecursionError):
            return json.loads(text)
    return text


def _model(field: FieldInfo) -> Model | None:
    kind = field.annotation
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None


def _takes_any_key(model: Model | None) -> bool:
    return model is not None and model.model_config.get("extra") == "allow"
