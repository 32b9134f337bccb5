"""Which metadata a document has, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, Literal

from pydantic import Field

from orrery_knowledge.errors import DocumentError
from orrery_knowledge.governance.cleaning import one_line
from orrery_knowledge.governance.frontmatter import FrontMatter, split_front_matter
from orrery_knowledge.governance.titles import MAX_TITLE, first_heading, title_of_path
from orrery_knowledge.models import Document, Model

__all__ = [
    "METADATA_VERSION",
    "DocumentMetadata",
    "DocumentStatus",
    "FrontMatter",
    "parse_metadata",
    "split_front_matter",
]

#: Part of the processing key: raise it when the same file would give other metadata than before.
METADATA_VERSION = "1"

DocumentStatus = Literal["stable", "draft", "deprecated"]

# Words that teams use for the three, as in decision records and wikis.
_STATUSES: dict[str, DocumentStatus] = {
    **dict.fromkeys(
        (
            "stable",
            "accepted",
            "active",
            "approved",
            "current",
            "done",
            "final",
            "implemented",
            "live",
            "maintained",
            "published",
            "ready",
            "resolved",
            "reviewed",
        ),
        "stable",
    ),
    **dict.fromkeys(
        ("draft", "in progress", "in review", "pending", "proposed", "review", "wip"), "draft"
    ),
    **dict.fromkeys(
        (
            "deprecated",
            "archived",
            "obsolete",
            "outdated",
            "rejected",
            "replaced",
            "retired",
            "superseded",
            "withdrawn",
        ),
        "deprecated",
    ),
}
_TEXTS = ("service", "owner", "doctype", "category", "version")
_DATES = ("reviewed_at", "expires_at")
_KNOWN = frozenset(("title", "status", "tags", *_TEXTS, *_DATES))
_MAX_TEXT = 200


class DocumentMetadata(Model):
    """What a document says about itself.

    Attributes:
        title: never empty; see `parse_metadata` for where it comes from.
        service: the service that it is about; None for all.
        status: only ``stable`` documents can be found.
        owner: who answers for it.
        reviewed_at: when its owner last read it through.
        expires_at: from this day on it needs a new review.
        extra: every key that is not known here, as JSON types.
    """

    title: str
    service: str | None = None
    status: DocumentStatus = "stable"
    owner: str | None = None
    tags: tuple[str, ...] = ()
    doctype: str | None = None
    category: str | None = None
    version: str | None = None
    reviewed_at: date | None = None
    expires_at: date | None = None
    extra: dict[str, Any] = Field(default_factory=dict)

    def governing(self, corpus: str) -> dict[str, Any]:
        """What a review binds besides the text: all of this, and the corpus that it shows up in.

        Unknown keys are part of it, because they can decide how a document is found.
        """
        return {"corpus": corpus, **self.model_dump(mode="json")}


def parse_metadata(
    document: Document, *, default_service: str | None = None
) -> tuple[DocumentMetadata, FrontMatter]:
    """Read a document's metadata and cut it off its text.

    The title is the first of: the front matter's, the source's own (``document.metadata``), the
    first level-1 heading, the file's name (for README and index files the folder's).

    Args:
        document: as its source yields it.
        default_service: the service where the document names none.

    Raises:
        DocumentError: the front matter can't be read, or a known key has a value of another kind.
    """
    front = split_front_matter(document.text)
    known, extra = _sort_keys(front.data)
    title = _text(known, "title", MAX_TITLE)
    own_title = document.metadata.get("title")
    if title is None and isinstance(own_title, str):
        title = one_line(own_title, MAX_TITLE) or None
    texts = {key: _text(known, key, _MAX_TEXT) for key in _TEXTS}
    texts["service"] = texts["service"] or default_service
    metadata = DocumentMetadata(
        title=title or first_heading(front.body) or title_of_path(document.path),
        status=_status(known, extra),
        tags=_tags(known),
        reviewed_at=_date(known, "reviewed_at"),
        expires_at=_date(known, "expires_at"),
        extra=extra,
        **texts,
    )
    return metadata, front


def _sort_keys(data: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    # `Status: draft` must lower eligibility just as `status: draft` does.
    known: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for key, value in data.items():
        name = key.strip().casefold().replace("-", "_")
        if name not in _KNOWN:
            extra[key] = value
        elif name in known:
            raise DocumentError(f"front matter has {name} twice")
        else:
            known[name] = value
    return known, extra


def _text(known: dict[str, Any], key: str, limit: int) -> str | None:
    value = known.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if value is None:
        return None
    if not isinstance(value, str):
        raise DocumentError(f"{key} must be a text; put it in quotes")
    return one_line(value, limit) or None


def _status(known: dict[str, Any], extra: Mapping[str, Any]) -> DocumentStatus:
    value = known.get("status")
    found: DocumentStatus | None = "stable"
    if value is not None:
        found = (
            _STATUSES.get(" ".join(value.casefold().split())) if isinstance(value, str) else None
        )
    if found is None:
        raise DocumentError(
            "status must be one of stable, draft, deprecated, or a usual word for one of them "
            "(accepted, proposed, superseded, ...)"
        )
    # Site generators write `draft: true`; it can only lower, never raise.
    return "draft" if found == "stable" and extra.get("draft") is True else found


def _tags(known: dict[str, Any]) -> tuple[str, ...]:
    value = known.get("tags")
    if value is None:
        return ()
    if not isinstance(value, list) or not all(
        isinstance(tag, str | int | float) and not isinstance(tag, bool) for tag in value
    ):
        raise DocumentError("tags must be a list of texts")
    cleaned = (one_line(str(tag), _MAX_TEXT) for tag in value)
    return tuple(dict.fromkeys(tag for tag in cleaned if tag))


def _date(known: dict[str, Any], key: str) -> date | None:
    value = known.get(key)
    if value is None:
        return None
    try:
        return datetime.fromisoformat(value.strip()).date()
    except (AttributeError, ValueError):
        raise DocumentError(f"{key} must be a date such as 2026-01-31") from None
