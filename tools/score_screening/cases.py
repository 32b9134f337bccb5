"""The labelled set: what is stored in `evals/screening`, and the cases that come of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from orrery_knowledge.errors import ConfigurationError
from tools.score_screening.values import Span, fill

FOLDER = Path(__file__).parents[2] / "evals" / "screening"
SEED = "orrery"
Half = Literal["even", "odd"]
HALVES: tuple[Half, ...] = ("even", "odd")


class Record(BaseModel):
    """One line of a file; ids are of one parity within a file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    text: str

    @property
    def number(self) -> int:
        """The number in the id, whose parity says which half it belongs to."""
        return int(self.id.split("-")[1])


class Injection(Record):
    """A document with one embedded instruction.

    Attributes:
        spans: where the instruction lies; several when it is split.
        cores: what it says once decoded; empty when it can be read as it is.
        blobs: encoded pieces that have to go too.
        hosts: of an exfiltration by link or image: where it leads.
        explicit: whether it has a cue: it addresses an agent, or overrides, or forges structure.
    """

    technique: str
    carrier: str
    language: str
    explicit: bool
    spans: tuple[Span, ...]
    cores: tuple[str, ...] = ()
    blobs: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()


class Passage(Record):
    """Ordinary text of a kind, which must stay as it is."""

    kind: str


class Template(Record):
    """Text with parts that are filled at run time; one family of cases.

    Attributes:
        variants: how many cases are made of it, each with other values.
    """

    kind: str
    family: str
    variants: int = 1
    personal: bool = False


class Filled(Record):
    """A case made of a template; `spans` are its values: secrets, or what only looks like some."""

    kind: str
    family: str
    personal: bool
    spans: tuple[Span, ...]


R = TypeVar("R", bound=Record)


def read(folder: Path, half: Half, name: str, model: type[R]) -> list[R]:
    """The records of a file.

    Raises:
        ConfigurationError: there is no such file, or a line of it is wrong.
    """
    path = folder / half / f"{name}.jsonl"
    if not path.is_file():
        raise ConfigurationError(f"no screening set at {path}")
    records = []
    seen = set()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            record = model.model_validate_json(line)
            right = record.number % 2 == HALVES.index(half)
        except (ValidationError, ValueError, IndexError) as error:
            raise ConfigurationError(f"{path}, line {number}: not a {model.__name__}") from error
        if not right or record.id in seen:
            raise ConfigurationError(f"{path}, line {number}: id {record.id} does not belong here")
        seen.add(record.id)
        records.append(record)
    return records


def filled(templates: list[Template], seed: str = SEED) -> Iterator[Filled]:
    """The cases of templates: the same for the same seed, whatever else is there."""
    for template in templates:
        for variant in range(1, template.variants + 1):
            made = fill(template.text, f"{seed}/{template.id}/{variant}")
            yield Filled(
                id=f"{template.id}-{variant}",
                text=made.text,
                spans=made.spans,
                kind=template.kind,
                family=template.family,
                personal=template.personal,
            )


class Cases(BaseModel):
    """Everything of one half."""

    injections: list[Injection]
    benign: list[Passage]
    secrets: list[Filled]
    negatives: list[Filled]

    def texts(self) -> dict[str, str]:
        """What is to be screened, by id."""
        records: list[Record] = [*self.injections, *self.benign, *self.secrets, *self.negatives]
        return {record.id: record.text for record in records}


def load(half: Half, folder: Path = FOLDER, seed: str = SEED) -> Cases:
    """One half of the set.

    Raises:
        ConfigurationError: a file is missing or wrong.
    """
    return Cases(
        injections=read(folder, half, "injections", Injection),
        benign=read(folder, half, "benign", Passage),
        secrets=list(filled(read(folder, half, "credentials", Template), seed)),
        negatives=list(filled(read(folder, half, "negatives", Template), seed)),
    )
