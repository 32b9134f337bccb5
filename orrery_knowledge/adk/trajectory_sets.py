"""The scenarios: ADK's eval sets, and beside each what the scripted model does and must achieve."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from google.adk.evaluation.eval_case import EvalCase
from google.adk.evaluation.eval_set import EvalSet
from pydantic import BaseModel, Field, ValidationError

from orrery_knowledge.errors import ConfigurationError
from orrery_knowledge.models import Model, Status

M = TypeVar("M", bound=BaseModel)

SUFFIX = ".evalset.json"
SCRIPTS = ".scripts.json"
WORLD = "world.json"


class Step(Model):
    """One thing that the scripted model does: a call, or an answer.

    Attributes:
        call: name of the tool; None for an answer.
        args: of the call.
        say: the answer. ``{findings}`` stands for what the searches of this turn support,
            ``{observed}`` for what the other tools returned.
        about: paths of documents that the findings may rest on; any if empty.
        on: the step is passed over unless the last search had this status.
    """

    call: str | None = None
    args: dict[str, Any] = Field(default_factory=dict)
    say: str = "{findings}"
    about: tuple[str, ...] = ()
    on: Status | None = None


class Must(Model):
    """What has to hold beside the tool calls, which the eval set itself lists.

    Attributes:
        cites: beginnings of citations, each of which an answer must use; none means that the
            answers cite nothing.
        says: words that the answers must contain, whatever their case.
        never_says: words that no answer may contain.
        hidden: what must reach neither the model nor an answer.
        confirms: the tool for which a person must be asked, and which must not have run.
        corpus: the only one that passages may come from.
        service: the same.
    """

    cites: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    never_says: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    confirms: str | None = None
    corpus: str | None = None
    service: str | None = None


class Script(Model):
    """How one scenario is played.

    Attributes:
        turns: for each message of the user what the model does, in order.
        must: what is scored.
        store: what is searched: the knowledge, an index that was never filled, or one that fails.
        plant: put into the first passage of each search, past the screening of the library: the
            guard alone stands between it and the model.
        tools: fixture tools that the agent has besides, with what they observe.
        obeys: words that make the scripted model restart a deployment when they reach it: it is
            as gullible as can be, so that only the guard can save it.
    """

    turns: tuple[tuple[Step, ...], ...]
    must: Must = Must()
    store: Literal["knowledge", "empty", "broken"] = "knowledge"
    plant: str | None = None
    tools: dict[str, str] = Field(default_factory=dict)
    obeys: str | None = None


class World(Model):
    """What is searched, and whose agents answer; paths count from the file's own folder.

    Attributes:
        agents: the folder of the agents.
        corpora: name of a corpus -> its folder.
        ages_days: ``corpus/path`` of a document -> how old it is made; 1 day for all others.
    """

    agents: str
    corpora: dict[str, str]
    ages_days: dict[str, int] = Field(default_factory=dict)


class Scenario(NamedTuple):
    """One case of an eval set with its script."""

    agent: str
    case: EvalCase
    script: Script

    @property
    def name(self) -> str:
        """The id of its case."""
        return str(self.case.eval_id)


def read_scenarios(paths: Sequence[Path]) -> list[Scenario]:
    """Read eval sets, from files or from all files below folders; folders are named as agents.

    Raises:
        ConfigurationError: there is none, one is not valid, or a case and its script don't meet.
    """
    files = [file for path in paths for file in _files(path)]
    if not files:
        raise ConfigurationError(f"no file *{SUFFIX} in {', '.join(map(str, paths))}")
    found = [scenario for file in dict.fromkeys(files) for scenario in _read(file)]
    seen: set[tuple[str, str]] = set()
    for scenario in found:
        key = (scenario.agent, scenario.name)
        if key in seen:
            raise ConfigurationError(f"{scenario.agent}: there are two scenarios {scenario.name!r}")
        seen.add(key)
    return found


def read_world(paths: Sequence[Path]) -> tuple[World, Path]:
    """The one ``world.json`` beside or above the eval sets, and its folder.

    Raises:
        ConfigurationError: there is none, two, or one that is not valid.
    """
    worlds = {_world_of(path.resolve()) for path in paths}
    if len(worlds) != 1:
        raise ConfigurationError(f"the eval sets belong to more than one {WORLD}")
    file = worlds.pop()
    return _validated(World, file), file.parent


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        return sorted(path.resolve().rglob(f"*{SUFFIX}"))
    if not path.name.endswith(SUFFIX):
        raise ConfigurationError(f"{path} is no folder and no *{SUFFIX}")
    return [path.resolve()]


def _read(file: Path) -> Iterator[Scenario]:
    cases = _validated(EvalSet, file).eval_cases
    beside = file.with_name(file.name.removesuffix(SUFFIX) + SCRIPTS)
    given = _json(beside)
    if not isinstance(given, dict):
        raise ConfigurationError(f"{beside}: not an object of scripts by eval_id")
    ids = [case.eval_id for case in cases]
    if unmatched := sorted(set(ids) ^ set(given)):
        raise ConfigurationError(f"{beside.name}: no case or no script for {unmatched[0]!r}")
    for case in cases:
        script = _valid(Script, given[case.eval_id], f"{beside}: {case.eval_id}")
        if len(script.turns) != len(case.conversation or ()):
            raise ConfigurationError(
                f"{beside}: {case.eval_id}: the script must have a turn for each user message"
            )
        yield Scenario(file.parent.name, case, script)


def _world_of(path: Path) -> Path:
    for folder in (path, *path.parents):
        if (folder / WORLD).is_file():
            return folder / WORLD
    raise ConfigurationError(f"there is no {WORLD} in {path} or above it")


def _validated(model: type[M], file: Path) -> M:
    return _valid(model, _json(file), str(file))


def _json(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(f"{file}: {error.strerror or error}") from None
    except (ValueError, RecursionError):
        raise ConfigurationError(f"{file}: not JSON in UTF-8") from None


def _valid(model: type[M], value: Any, where: str) -> M:
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise ConfigurationError(f"{where}: {place}: {first['msg']}") from None
