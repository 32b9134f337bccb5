"""What a sync is asked for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SyncOptions:
    """What a sync is asked for.

    Attributes:
        source: only this source; None for all.
        dry_run: say what would change and what it would cost; write nothing.
        full: read every document again.
        allow_mass_delete: activate even if more than `max_delete_share` of the documents go.
        allow_empty: activate even if nothing is left.
        max_delete_share: share of documents, in [0, 1].
        chunk_size: in characters.
        answer_while_pending: whether an approved text goes on answering while its edit waits.
    """

    source: str | None = None
    dry_run: bool = False
    full: bool = False
    allow_mass_delete: bool = False
    allow_empty: bool = False
    max_delete_share: float = 0.3
    chunk_size: int = 800
    answer_while_pending: bool = True
