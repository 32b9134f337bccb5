"""`SourceConfig`: the settings that the filesystem and git sources share."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, field_validator

from orrery_knowledge.models import Trust
from orrery_knowledge.sources.globs import parse_glob

DEFAULT_MAX_BYTES = 5 * 1024 * 1024
# Part of every settings key: raise it when the same bytes start to give another text.
DECODING_VERSION = 1

# Ids become part of citations (`kb:source:path#anchor`), so they hold none of their separators.
Identifier = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=100)]


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
        max_bytes: larger files are skipped with the reason ``"too_large"``. Default 5 MiB.
    """

    # Inputs may hold credentials (a URL with a token), so validation errors don't repeat them.
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    id: Identifier
    corpus: Identifier
    trust: Trust
    paths: tuple[str, ...] = Field(default=("**/*.md",), min_length=1)
    exclude: tuple[str, ...] = ()
    service: str | None = Field(default=None, min_length=1, max_length=200)
    max_bytes: int = Field(default=DEFAULT_MAX_BYTES, gt=0)

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
