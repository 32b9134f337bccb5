"""What every engine's `fetch` hands out, made of the columns that they all name alike."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Protocol

from orrery_knowledge.models import Chunk, FetchedChunk, OutlinedChunk


class Row(Protocol):
    """A row whose columns are read by name; a dict and `sqlite3.Row` are both one."""

    def __getitem__(self, name: str, /) -> Any:
        """The value of a column."""
        ...


def outlined_chunk(row: Sequence[Any]) -> OutlinedChunk:
    """A row of `outline`, whose columns stand in the order of the fields."""
    chunk, document, corpus, service, path, uri, title, heading_path, anchor = row
    headings = tuple(json.loads(heading_path))
    return OutlinedChunk(chunk, document, corpus, service, path, uri, title, headings, anchor)


def fetched_chunk(
    row: Row,
    *,
    modified_at: datetime | None,
    identifiers: tuple[str, ...],
    metadata: dict[str, Any],
) -> FetchedChunk:
    """A body with its document's provenance.

    Args:
        row: columns of body, chunk and document.
        modified_at: of the document; engines store times in different ways.
        identifiers: that the chunk holds whole.
        metadata: of the document.
    """
    return FetchedChunk(
        id=row["id"],
        chunk=Chunk(
            ordinal=row["ordinal"],
            text=row["text"],
            context=row["context"],
            section=row["section"],
            heading_path=tuple(json.loads(row["heading_path"])),
            anchor=row["anchor"],
            part=row["part"],
            parts=row["parts"],
            line_start=row["line_start"],
            line_end=row["line_end"],
        ),
        corpus=row["corpus"],
        source=row["source"],
        path=row["path"],
        uri=row["uri"],
        title=row["title"],
        service=row["service"],
        digest=row["digest"],
        commit=row["commit_id"],
        revision=row["revision"],
        modified_at=modified_at,
        trust=row["trust"],
        identifiers=identifiers,
        metadata=metadata,
    )
