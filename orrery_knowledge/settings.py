"""`orrery.yaml` plus ``ORRERY_KNOWLEDGE_*`` from the environment, which wins."""

from __future__ import annotations

import os
from collections.abc import Hashable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from orrery_knowledge.errors import ConfigurationError, KnowledgeOff

M = TypeVar("M", bound=BaseModel)
DEFAULT_FILE = Path("orrery.yaml")
PREFIX = "ORRERY_KNOWLEDGE_"
_COMPONENTS = frozenset({"backend", "embedder"})

TURN_ON = (
    "knowledge is off: there is no orrery.yaml and no ORRERY_KNOWLEDGE_BACKEND; "
    "copy orrery.example.yaml to orrery.yaml and name your documents there"
)


class Section(BaseModel):
    """A part of the settings that refuses keys it doesn't know."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Component(BaseModel):
    """A component by its type; the rest is validated by the component's own ``Config``.

    A bare name stands for its type: ``backend: sqlite``.
    """

    model_config = ConfigDict(extra="allow", frozen=True)
    type: str

    @model_validator(mode="before")
    @classmethod
    def _bare_name(cls, value: Any) -> Any:
        return {"type": value} if isinstance(value, str) else value

    def options(self) -> dict[str, Any]:
        """Everything but the type."""
        return dict(self.model_extra or {})


class Corpus(Section):
    """A collection of documents.

    Attributes:
        sources: where its documents come from; index only what every user of the agent may read.
    """

    sources: list[dict[str, Any]] = Field(default_factory=list)


class Chunking(Section):
    """How documents are cut: `size` in characters (100 to 4,000)."""

    size: Annotated[int, Field(ge=100, le=4000)] = 800


class Search(Section):
    """How answers are made.

    Attributes:
        top_k: passages in an answer.
        stale_after_days: untouched for this long marks a passage as stale; a flag, never a filter.
    """

    top_k: Annotated[int, Field(ge=1, le=50)] = 6
    stale_after_days: Annotated[int, Field(ge=1)] = 180


class Policy(Section):
    """Choices of governance.

    Attributes:
        answer_from_approved_while_edit_pending: whether an approved older text goes on answering
            while its edit waits for a review.
        max_delete_share: a sync that would remove a larger share of the documents activates
            nothing unless it is told to.
    """

    answer_from_approved_while_edit_pending: bool = True
    max_delete_share: Annotated[float, Field(ge=0, le=1)] = 0.3


class _Environment(EnvSettingsSource):
    """Reads ``ORRERY_KNOWLEDGE_BACKEND=sqlite`` as ``{type: sqlite}``."""

    def prepare_field_value(
        self, field_name: str, field: FieldInfo, value: Any, value_is_complex: bool
    ) -> Any:
        if isinstance(value, str) and not value.lstrip().startswith(("{", "[")):
            if field_name in _COMPONENTS:
                nested = self.explode_env_vars(field_name, field, self.env_vars)
                return {"type": value, **nested}
            return value
        return super().prepare_field_value(field_name, field, value, value_is_complex)


class Settings(BaseSettings):
    """Everything that can be set. Built once at an edge and passed in.

    Attributes:
        backend: where the index lives.
        embedder: who computes vectors; type "none" searches by words alone.
        corpora: collection name -> its sources.
        state: folder for the index, the ledger and git mirrors, relative to `root`.
        ledger: SQLAlchemy URL of the ledger; None for ``<state>/ledger.db``.
        root: folder that relative paths count from; the configuration file's.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_nested_delimiter="__",
        env_ignore_empty=True,
        extra="forbid",
        frozen=True,
    )
    backend: Component = Component(type="sqlite")
    embedder: Component = Component(type="minilm")
    corpora: dict[str, Corpus] = Field(default_factory=dict)
    chunking: Chunking = Chunking()
    search: Search = Search()
    policy: Policy = Policy()
    state: Path = Path(".orrery")
    ledger: str | None = None
    root: Path = Field(default_factory=Path.cwd)

    @property
    def state_folder(self) -> Path:
        """Absolute folder of everything that we write."""
        return self.root / self.state

    @property
    def ledger_location(self) -> str | Path:
        """SQLAlchemy URL of the ledger, or its file in the state folder."""
        return self.ledger or self.state_folder / "ledger.db"

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The environment wins over the file."""
        return (_Environment(settings_cls), init_settings)


def load_settings(path: Path | None = None) -> Settings:
    """Read the settings.

    Args:
        path: the file; by default ``orrery.yaml`` in the working folder, which may be missing when
            ``ORRERY_KNOWLEDGE_BACKEND`` is set.

    Raises:
        KnowledgeOff: neither is there.
        ConfigurationError: something in it is wrong; the message names the key and the fix.
    """
    file = path or DEFAULT_FILE
    if file.is_file():
        values = _read_yaml(file)
        values.setdefault("root", str(file.resolve().parent))
    elif path is not None:
        raise ConfigurationError(f"there is no configuration file {path}")
    elif _environment_backend():
        values = {}
    else:
        raise KnowledgeOff(TURN_ON)
    try:
        return Settings(**_without_replaced(values))
    except ValidationError as error:
        places = [file.name] * bool(values) + ["environment"] * any(
            name.upper().startswith(PREFIX) for name in os.environ
        )
        raise ConfigurationError(f"{' or '.join(places)}: {_first_error(error)}") from None
    except ValueError as error:  # pydantic-settings: a value that is no JSON
        raise ConfigurationError(f"environment: {error}") from None


def validate(model: type[M], values: dict[str, Any], where: str) -> M:
    """Build a component's settings, or say in one line what is wrong with them."""
    try:
        return model(**values)
    except ValidationError as error:
        raise ConfigurationError(f"{where}: {_first_error(error)}") from None


def _environment_backend() -> bool:
    return bool(os.environ.get(f"{PREFIX}BACKEND"))


def _without_replaced(values: dict[str, Any]) -> dict[str, Any]:
    """Leave out a component of which the environment names another type: its options go too."""
    replaced = set()
    for name, chosen in _Environment(Settings)().items():
        given = values.get(name)
        if name in _COMPONENTS and isinstance(given, dict) and isinstance(chosen, dict):
            before = given.get("type")
            if chosen.get("type", before) != before:
                replaced.add(name)
    return {name: value for name, value in values.items() if name not in replaced}


class _Loader(yaml.SafeLoader):
    """Refuses a key that stands twice: the last would win, and a collection would be gone."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value != "<<":
                if key.value in seen:
                    raise yaml.MarkedYAMLError(
                        problem=f"{key.value!r} stands there twice", problem_mark=key.start_mark
                    )
                seen.add(key.value)
        return super().construct_mapping(node, deep=deep)


def _read_yaml(file: Path) -> dict[str, Any]:
    try:
        loaded = yaml.load(file.read_text(encoding="utf-8"), _Loader)  # noqa: S506 - a SafeLoader
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ConfigurationError(f"{file.name}, line {line}: {error.problem}") from None
    except (yaml.YAMLError, ValueError, RecursionError):  # bad bytes or dates, deep nesting
        raise ConfigurationError(f"{file.name} is not valid YAML in UTF-8") from None
    except OSError as error:
        raise ConfigurationError(f"{file.name}: {error.strerror}") from None
    if loaded is None:
        return {}
    if not isinstance(loaded, dict):
        raise ConfigurationError(f"{file.name}: a mapping is expected at the top")
    return {str(key): value for key, value in loaded.items()}


def _first_error(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        return f"unknown key {where!r}"
    return f"{where}: {first['msg']}" if where else str(first["msg"])
