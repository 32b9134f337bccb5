"""`orrery.yaml` plus ``ORRERY_KNOWLEDGE_*`` from the environment, which wins."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from orrery_knowledge.configuration.environment import Environment, read_variables
from orrery_knowledge.configuration.file import ConfigurationFile, KeyPath
from orrery_knowledge.configuration.origins import PREFIX, Origin, variable_name
from orrery_knowledge.configuration.refusals import check_keys, refusal
from orrery_knowledge.errors import ConfigurationError, KnowledgeOff
from orrery_knowledge.models import AGE_PENALTY, Fusion, PersonalKind, Role

M = TypeVar("M", bound=BaseModel)
DEFAULT_FILE = Path("orrery.yaml")
_COMPONENTS = {"backend": "sqlite", "embedder": "minilm"}
"""Setting -> the type that options without a type are meant for."""

NO_SOURCES = (
    "there are no documents to index: name them under corpora, for example "
    "`corpora: {runbooks: {sources: [{type: git, url: ., trust: reviewed}]}}`"
)
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

    sources: list[dict[str, Any]] = Field(
        default_factory=list, examples=["[{type: git, url: ., trust: reviewed}]"]
    )


class Chunking(Section):
    """How documents are cut: `size` in characters (100 to 4,000)."""

    size: Annotated[int, Field(ge=100, le=4000)] = 800


class Search(Section):
    """How answers are made.

    Attributes:
        top_k: passages in an answer.
        stale_after_days: untouched for this long marks a passage as stale; a flag, never a filter.
        calibration: what ``eval calibrate`` wrote for your embedder, relative to `root`; without
            one, what was fitted on the labelled sets of this project.
        fusion: how the rankings become one order: "scores", "rrf" (reciprocal rank fusion) or
            "weighted" (positions, 0.7 by meaning and 0.3 by words).
        age_penalty: share of its score that stale advice loses at most.
    """

    top_k: Annotated[int, Field(ge=1, le=50)] = 6
    stale_after_days: Annotated[int, Field(ge=1)] = 180
    calibration: Path | None = Field(default=None, examples=["evals/calibration.json"])
    fusion: Fusion = "scores"
    age_penalty: Annotated[float, Field(ge=0, le=AGE_PENALTY)] = AGE_PENALTY


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


class Gaps(Section):
    """What is kept of questions and alerts that nothing answers.

    Attributes:
        record: whether they are counted in the ledger: a redacted example of each group of like
            ones, how many, first and last; never who asked.
    """

    record: bool = True


class AuditLog(Section):
    """Where the guard's audit records go.

    Attributes:
        file: lines of JSON, relative to `root`; without one, the logger ``orrery.audit``.
        max_bytes: size at which the file is set aside and a new one begun.
        backups: how many files that were set aside are kept.
        on_failure: "closed" withholds a result whose record can't be written; "open" logs that and
            lets it pass.
        queries: whether a record holds the query itself, redacted, and not only its digest.
    """

    file: Path | None = Field(default=None, examples=[".orrery/audit.jsonl"])
    max_bytes: Annotated[int, Field(ge=10_000)] = 10_000_000
    backups: Annotated[int, Field(ge=1, le=1_000)] = 5
    on_failure: Literal["closed", "open"] = "closed"
    queries: bool = False


class Guard(Section):
    """How the guard of an agent treats the results of tools; nothing exempts one from screening.

    Attributes:
        limit: characters of one result.
        uncapped: tools whose results are never cut, by name; ``*`` stands for any characters.
        personal: kinds of personal data that are redacted in what agents and people are shown;
            credentials are no choice, and neither is what goes into logs, spans and quarantine.
        audit: where the records go.
    """

    limit: Annotated[int, Field(ge=1_000)] = 24_000
    uncapped: list[str] = Field(default_factory=list, examples=["[read_log, k8s_*]"])
    personal: list[PersonalKind] = Field(
        default_factory=lambda: list(get_args(PersonalKind)), examples=["[email, phone]"]
    )
    audit: AuditLog = Field(default=AuditLog(), examples=["{file: .orrery/audit.jsonl}"])


class KnownIdentity(Section):
    """Somebody who is known by a token; ``orrery-knowledge token`` makes both.

    Attributes:
        name: recorded with what they decide.
        role: a viewer reads, an approver decides on knowledge as well, an admin may do everything.
        token_sha256: of the token, in hex; the token itself is kept nowhere.
        agent: a program that acts by itself; it can be no more than a viewer.
    """

    name: Annotated[
        str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*\S[^\x00-\x1f\x7f]*$")
    ]
    role: Role = "viewer"
    token_sha256: Annotated[str, Field(pattern=r"^[0-9a-fA-F]{64}$")]
    agent: bool = False

    @model_validator(mode="after")
    def _no_agent_decides(self) -> KnownIdentity:
        if self.agent and self.role != "viewer":
            raise ValueError("an agent can be no more than a viewer")
        return self


class Settings(BaseSettings):
    """Everything that can be set. Built once at an edge and passed in.

    Attributes:
        backend: where the index lives.
        embedder: who computes vectors; type "none" searches by words alone.
        corpora: collection name -> its sources.
        identities: who is known by a token; with none, nobody is, and the server is for this
            machine alone.
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
    backend: Component = Field(default=Component(type="sqlite"), examples=["{type: sqlite}"])
    embedder: Component = Field(default=Component(type="minilm"), examples=["{type: minilm}"])
    corpora: dict[str, Corpus] = Field(
        default_factory=dict,
        examples=["{runbooks: {sources: [{type: git, url: ., trust: reviewed}]}}"],
    )
    chunking: Chunking = Field(default=Chunking(), examples=["{size: 800}"])
    search: Search = Field(default=Search(), examples=["{top_k: 6}"])
    policy: Policy = Field(default=Policy(), examples=["{max_delete_share: 0.3}"])
    guard: Guard = Field(default=Guard(), examples=["{limit: 24000}"])
    gaps: Gaps = Field(default=Gaps(), examples=["{record: true}"])
    identities: list[KnownIdentity] = Field(
        default_factory=list, examples=["[{name: ada, role: approver, token_sha256: ...}]"]
    )
    state: Path = Path(".orrery")
    ledger: str | None = Field(default=None, examples=["sqlite+aiosqlite:///.orrery/ledger.db"])
    root: Path = Field(default_factory=Path.cwd, examples=["."])
    _origin: Origin = PrivateAttr(default_factory=Origin)

    @field_validator(*_COMPONENTS, mode="before")
    @classmethod
    def _default_type(cls, value: Any, info: ValidationInfo) -> Any:
        if isinstance(value, dict) and "type" not in value:
            return {"type": _COMPONENTS[str(info.field_name)], **value}
        return value

    @property
    def origin(self) -> Origin:
        """Where each setting comes from, for messages."""
        return self._origin

    @property
    def state_folder(self) -> Path:
        """Absolute folder of everything that we write."""
        return self.root / self.state.expanduser()

    @property
    def calibration_file(self) -> Path | None:
        """Absolute path of the calibration of confidences; None for the one that is shipped."""
        file = self.search.calibration
        return None if file is None else self.root / file.expanduser()

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
        return (Environment(settings_cls), init_settings)


def load_settings(path: Path | None = None) -> Settings:
    """Read the settings.

    Args:
        path: the file; by default ``orrery.yaml`` in the working folder, which may be missing when
            ``ORRERY_KNOWLEDGE_BACKEND`` is set.

    Raises:
        KnowledgeOff: neither is there.
        ConfigurationError: something in it is wrong; the message names the key and the fix.
    """
    variables = read_variables(Settings)
    file = path or DEFAULT_FILE
    if os.path.lexists(file):
        if file.is_dir():
            raise ConfigurationError(f"the configuration file {file} is a folder")
        return _build(Origin(ConfigurationFile(file), variables))
    if path is not None:
        raise ConfigurationError(f"there is no configuration file {path}")
    if ("backend",) in variables:
        return _build(Origin(variables=variables))
    option = next((key for key in variables if key[0] == "backend"), None)
    if option is not None:
        raise KnowledgeOff(
            f"knowledge is off: {variable_name(option)} is set, but no backend is named; set "
            f"{PREFIX}BACKEND=sqlite too"
        )
    raise KnowledgeOff(TURN_ON)


def default_settings() -> Settings:
    """The defaults and the environment, for what needs neither a file nor a backend.

    Raises:
        ConfigurationError: something in the environment is wrong.
    """
    return _build(Origin(variables=read_variables(Settings)))


def validate(
    model: type[M],
    values: dict[str, Any],
    where: str | KeyPath,
    origin: Origin | None = None,
) -> M:
    """Build a component's settings, or say in one line what is wrong with them.

    Args:
        model: the component's ``Config``. A key that it doesn't know is refused, also where it
            would ignore one; ``extra="allow"`` takes all.
        values: the settings.
        where: their key.
        origin: where they come from.

    Raises:
        ConfigurationError: they are wrong.
    """
    base = (where,) if isinstance(where, str) else where
    origin = origin or Origin()
    check_keys(model, values, base, origin)
    try:
        return model(**values)
    except ValidationError as error:
        raise refusal(error, model, values, base, origin) from None


def _build(origin: Origin) -> Settings:
    chosen = Environment(Settings)()
    values = _without_replaced(_file_values(origin.file), chosen)
    for given in (values, chosen):
        check_keys(Settings, given, (), origin)
    try:
        settings = Settings(**values)
    except ValidationError as error:
        raise refusal(error, Settings, {**values, **chosen}, (), origin) from None
    except OSError:
        raise ConfigurationError("the working folder is gone; change to another one") from None
    if not settings.root.is_dir():
        problem = f"root is {settings.root}, and there is no such folder"
        raise ConfigurationError(origin.sentence(("root",), problem))
    settings._origin = origin
    return settings


def _file_values(file: ConfigurationFile | None) -> dict[str, Any]:
    if file is None:
        return {}
    values = dict(file.values)
    root = values.get("root", ".")
    if isinstance(root, str) and root:
        values["root"] = str(file.folder / Path(root).expanduser())
    for name in _COMPONENTS:
        # Before the environment adds options to it.
        if isinstance(values.get(name), str):
            values[name] = {"type": values[name]}
    return values


def _without_replaced(values: dict[str, Any], chosen: dict[str, Any]) -> dict[str, Any]:
    """Leave out a component of which the environment names another type: its options go too."""
    replaced = set()
    for name, default in _COMPONENTS.items():
        given, new = values.get(name), chosen.get(name)
        if isinstance(given, dict) and isinstance(new, dict):
            before = given.get("type", default)
            if new.get("type", before) != before:
                replaced.add(name)
    return {name: value for name, value in values.items() if name not in replaced}
