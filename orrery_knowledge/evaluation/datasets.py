"""A labelled dataset: documents, queries, and which sections answer which query."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from orrery_knowledge.errors import ConfigurationError
from orrery_knowledge.evaluation.labels import (
    Label,
    check_held_out,
    check_labels,
    enclosing_sections,
)
from orrery_knowledge.evaluation.payloads import alert_query, read_alert

DOCUMENT_GLOBS = tuple(
    f"**/*.{ending}" for ending in ("md", "markdown", "mdx", "txt", "rst", "adoc")
)
Target = tuple[str, str]
"""A document and the anchor of a section, "" for the whole."""

_GRADE = re.compile(r"\s*[0-9]{1,2}\s*")


class LabelledQuery(BaseModel):
    """One query.

    Attributes:
        kind: what sort of query it is; results are reported by kind.
        answerable: whether any document answers it.
        no_answer: for an unanswerable one, how near it is (``"far"``, ``"near"``).
        payload: an Alertmanager webhook; the query then goes the way of an alert.
        held_out: documents that the query was made from, such as the report of its own incident.
            They hold the answer key, so they leave its ranking before anything is scored.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")
    id: str = Field(pattern=r"^[^\t\r\n]+$")  # it becomes a column of the run file
    text: str
    kind: str = "query"
    answerable: bool = True
    no_answer: str | None = None
    payload: dict[str, Any] | None = None
    held_out: tuple[str, ...] = ()

    @property
    def searched(self) -> str:
        """The words that are searched for."""
        return alert_query(self.payload) if self.payload else self.text


class Dataset(BaseModel):
    """A dataset folder: ``docs/``, ``queries.jsonl``, ``qrels.tsv``.

    Attributes:
        folder: where it lies.
        queries: in the order of the file.
        qrels: query id -> (document, section anchor or "") -> relevance; duplicates are folded to
            their highest relevance, so a label that stands twice counts once.
        around: labelled document -> section anchor -> the anchors around it, nearest first.
        warnings: what is odd and no mistake for sure, with its line.
    """

    model_config = ConfigDict(frozen=True)
    folder: Path
    queries: tuple[LabelledQuery, ...]
    qrels: dict[str, dict[Target, int]]
    around: dict[str, dict[str, tuple[str, ...]]] = {}
    warnings: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The folder's own name, however it was given: ``.`` has none."""
        return Path(os.path.abspath(self.folder)).name

    @property
    def documents(self) -> Path:
        """Folder of the documents."""
        return self.folder / "docs"

    def label_of(self, query: str, target: Target) -> Target:
        """What a section counts as: the nearest label of the query that it lies in, or itself.

        A label is met by its section and by those below it, one without a section by any of the
        document.
        """
        grades = self.qrels.get(query, {})
        document, anchor = target
        for name in (anchor, *self.around.get(document, {}).get(anchor, ()), ""):
            if (document, name) in grades:
                return document, name
        return target


def read_dataset(folder: Path) -> Dataset:
    """Read a dataset folder, and look its labels up in its documents.

    Raises:
        ConfigurationError: a file is missing or wrong, or a label names what isn't there; the
            message names the line.
    """
    for part in ("docs", "queries.jsonl", "qrels.tsv"):
        if not (folder / part).exists():
            raise ConfigurationError(
                f"{folder} is no dataset: {part} is missing (docs/, queries.jsonl and qrels.tsv "
                "are needed)"
            )
    try:
        queries, odd = _read_queries(folder / "queries.jsonl")
        labels = _read_labels(folder / "qrels.tsv", {query.id for query in queries})
        warnings = (*odd, *check_labels(folder / "docs", "qrels.tsv", labels))
        check_held_out(
            folder / "docs",
            "qrels.tsv",
            {query.id: query.held_out for query in queries if query.held_out},
            labels,
        )
        around = enclosing_sections(folder / "docs", {label.document for label in labels})
    except UnicodeDecodeError:
        raise ConfigurationError(f"{folder}: queries and qrels must be UTF-8") from None
    except OSError as error:
        raise ConfigurationError(f"{error.filename}: {error.strerror}") from None
    qrels: dict[str, dict[tuple[str, str], int]] = {}
    for label in labels:
        judged = qrels.setdefault(label.query, {})
        target = (label.document, label.section)
        judged[target] = max(judged.get(target, 0), label.grade)
    for query in queries:
        relevant = any(grade > 0 for grade in qrels.get(query.id, {}).values())
        if query.answerable and not relevant:
            raise ConfigurationError(f"query {query.id} is answerable, but qrels.tsv has no answer")
        if not query.answerable and relevant:
            raise ConfigurationError(f"query {query.id} is unanswerable, but qrels.tsv answers it")
    return Dataset(folder=folder, queries=queries, qrels=qrels, around=around, warnings=warnings)


def _read_queries(file: Path) -> tuple[tuple[LabelledQuery, ...], list[str]]:
    """The queries, and what is odd about them."""
    queries: dict[str, LabelledQuery] = {}
    odd = []
    with file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                query = LabelledQuery.model_validate(json.loads(line))
            except (ValueError, RecursionError):
                raise ConfigurationError(f"{file.name}, line {number}: no query object") from None
            if query.id in queries:
                raise ConfigurationError(f"{file.name}, line {number}: id {query.id!r} again")
            if query.payload is not None and read_alert(query.payload).alert is None:
                odd.append(
                    f"{file.name}, line {number}: its payload holds no alert: it finds nothing"
                )
            queries[query.id] = query
    if not queries:
        raise ConfigurationError(f"{file.name} holds no query")
    return tuple(queries.values()), odd


def _read_labels(file: Path, known: set[str]) -> list[Label]:
    labels: list[Label] = []
    with file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            fields = line.rstrip("\n").split("\t")
            if number == 1 and _is_header(fields, known):
                continue
            if not line.strip():
                continue
            if number == 1:
                # One that is taken for a header would lose its judgement.
                raise ConfigurationError(
                    f"{file.name}, line 1: expected a header: query-id, doc, section, relevance"
                )
            if len(fields) != 4 or not _GRADE.fullmatch(fields[3]):
                raise ConfigurationError(
                    f"{file.name}, line {number}: expected query-id, doc, section, relevance"
                )
            query, document, section, grade = fields
            if query not in known:
                raise ConfigurationError(
                    f"{file.name}, line {number}: no query {query!r} in queries.jsonl"
                )
            labels.append(Label(number, query, document, section, int(grade)))
    return labels


def _is_header(fields: list[str], known: set[str]) -> bool:
    return len(fields) == 4 and not _GRADE.fullmatch(fields[3]) and fields[0] not in known
