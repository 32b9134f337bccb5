"""`SourceConfig`: the settings that the filesystem and git sources share."""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Mapping
from typing import Annotated, Any, get_args

from pydantic import BaseModel, ConfigDict, Field, field_validator

from orrery_knowledge.configuration.expectations import found
from orrery_knowledge.configuration.file import KeyPath
from orrery_knowledge.configuration.origins import Origin, key_text
from orrery_knowledge.errors import ConfigurationError
from orrery_knowledge.models import Trust
from orrery_knowledge.sources.globs import parse_glob

DEFAULT_MAX_BYTES = 5 * 1024 * 1024
MAX_MAX_BYTES = 32 * 1024 * 1024
"""A document is held in memory about ten times while it is prepared, and takes a second a MB."""
# Part of every settings key: raise it when the same bytes start to give another text.
DECODING_VERSION = 1

_TRUST = (
    "`trust: review` (each document waits for a reviewer) or `trust: reviewed` (whoever can change "
    "the source is trusted)"
)

# Ids become part of citations (`kb:source:path#anchor`), so they hold none of their separators.
Identifier = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$",
        max_length=100,
        description="letters, digits, `.`, `_` and `-`, with a letter or digit first",
        examples=["handbook"],
    ),
]


class SourceConfig(BaseModel):
    """What every source that lists files is told.

    Index only what every viewer may read: a source has no readers of its own.

    Attributes:
        id: names the source; letters, digits, ``.``, ``_`` and ``-``.
        corpus: the collection that its documents belong to.
        trust: ``"reviewed"`` (texts answer at once) or ``"review"`` (each waits for a review).
            There is no default on purpose.
        paths: globs of what to list; see `globs`.
        exclude: globs of what to leave out; one that matches a folder leaves out all of it.
        service: the service that the documents are about, if they share one.
        max_bytes: larger files are skipped with the reason ``"too_large"``. Default 5 MiB, at most
            32 MiB.
    """

    # Inputs may hold credentials (a URL with a token), so validation errors don't repeat them.
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    id: Identifier
    corpus: Identifier
    trust: Trust
    paths: tuple[str, ...] = Field(default=("**/*.md",), min_length=1)
    exclude: tuple[str, ...] = Field(default=(), examples=['["drafts/"]'])
    service: str | None = Field(default=None, min_length=1, max_length=200, examples=["payments"])
    max_bytes: int = Field(default=DEFAULT_MAX_BYTES, gt=0, le=MAX_MAX_BYTES)

    @field_validator("paths", "exclude")
    @classmethod
    def _globs_are_valid(cls, globs: tuple[str, ...]) -> tuple[str, ...]:
        for glob in globs:
            parse_glob(glob)
        return globs

    def settings_key(self, kind: str) -> str:
        """Hash of the settings that shape a document's text and metadata.

        Which files are listed and where they come from is left out: it changes which documents
        there are, never what one of them says.
        """
        shaping = [kind, DECODING_VERSION, self.corpus, self.service]
        return hashlib.sha256(json.dumps(shaping).encode()).hexdigest()[:16]

    def metadata(self) -> dict[str, str]:
        """What the settings themselves say about every document."""
        return {} if self.service is None else {"service": self.service}


def check_type(values: Mapping[str, Any], key: KeyPath, origin: Origin) -> str:
    """The type of a source as it stands in the file.

    Raises:
        ConfigurationError: there is none, or it is no name.
    """
    given = values.get("type")
    if isinstance(given, str) and given:
        return given
    where = key_text(key)
    if "type" not in values:
        near = difflib.get_close_matches("type", [str(name) for name in values], n=1)
        hint = f" in place of `{near[0]}`" if near else ""
        problem = f"{where}: add a line `type: filesystem` or `type: git`{hint}"
    else:
        problem = f"{where}.type must be a name, for example `type: filesystem` or `type: git`"
        key = (*key, "type")
    raise ConfigurationError(origin.sentence(key, problem))


def check_trust(values: Mapping[str, Any], key: KeyPath, origin: Origin) -> None:
    """Have every source say whom it trusts.

    Raises:
        ConfigurationError: `trust` is missing or something else than its two values.
    """
    given = values.get("trust")
    if given in get_args(Trust):
        return
    where = key_text(key)
    if "trust" not in values:
        problem = f"{where} ({values['id']}): add {_TRUST}"
    else:
        key = (*key, "trust")
        problem = f"{where}.trust must be {_TRUST}, found {_as_found(given)}"
    raise ConfigurationError(origin.sentence(key, problem))


def _as_found(given: Any) -> str:
    if isinstance(given, bool):
        return f"`{str(given).lower()}` (YAML reads yes, no, on and off as true and false)"
    if isinstance(given, str) and given.isalpha() and len(given) <= 20:
        return f"`{given}`"
    return "nothing" if given is None else found(given, number=False)
