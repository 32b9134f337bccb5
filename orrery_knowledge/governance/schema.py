"""The ledger's tables. How they come to be lies in `migrations`; a test holds the two together."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

#: Every schema version that this code knows, oldest first. A test holds it to the migrations.
VERSIONS = ("0001", "0002", "0003", "0004")
VERSION_TABLE = "ledger_version"

_UNSTORABLE = re.compile("[\0\x1a\ud800-\udfff]")
_STORED = re.compile("\x1a([0-9a-f]{4})")


class ExactText(TypeDecorator[str]):
    """Text of any kind, read back exactly.

    PostgreSQL refuses NUL, and every encoder refuses lone surrogates; one of them must not cost a
    document, and a stored text must keep its digest. They are written as U+001A and four hex
    digits, U+001A itself too.
    """

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Escape what can't be stored."""
        if value is None or _UNSTORABLE.search(value) is None:
            return value
        return _UNSTORABLE.sub(lambda match: f"\x1a{ord(match.group()):04x}", value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        """Undo the escapes."""
        if value is None or "\x1a" not in value:
            return value
        return _STORED.sub(lambda match: chr(int(match.group(1), 16)), value)


class JsonText(TypeDecorator[Any]):
    """JSON kept as ASCII text: no engine's JSON type, so none refuses an escape."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str:
        """Write JSON; not NaN, which is none."""
        return json.dumps(value, sort_keys=True, allow_nan=False)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        """Read JSON."""
        return None if value is None else json.loads(value)


class UtcTime(TypeDecorator[datetime]):
    """An aware time, kept and given back in UTC also where the engine knows no time zones."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Refuse a naive time: nobody knows what it means."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time in the ledger needs a time zone")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Mark what the engine returns as UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


metadata = sa.MetaData()

_Number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _number() -> sa.Column[int]:
    return sa.Column("number", _Number, primary_key=True, autoincrement=True)


def _document() -> list[sa.Column[str]]:
    return [sa.Column(name, ExactText, nullable=False) for name in ("corpus", "source", "path")]


# `sqlite_autoincrement`: without it SQLite hands out the number of a deleted last row again.
decision = sa.Table(
    "decision",
    metadata,
    _number(),
    *_document(),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("decision", sa.Text, nullable=False),
    sa.Column("reviewer", ExactText, nullable=False),
    sa.Column("reason", ExactText, nullable=False),
    sa.Column("decided_at", UtcTime, nullable=False),
    sa.Column("verified", sa.Boolean, nullable=False),
    sa.Index("decision_document", "source", "corpus", "path", "digest"),
    sqlite_autoincrement=True,
)

pending = sa.Table(
    "pending",
    metadata,
    _number(),
    *_document(),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("title", ExactText, nullable=False),
    sa.Column("text", ExactText, nullable=False),
    sa.Column("metadata", JsonText, nullable=False),
    sa.Column("uri", ExactText, nullable=False),
    sa.Column("revision", ExactText, nullable=False),
    sa.Column("commit_id", ExactText),
    sa.Column("modified_at", UtcTime),
    sa.Column("source_metadata", JsonText, nullable=False),
    sa.Column("warnings", JsonText, nullable=False),
    sa.Column("filed_at", UtcTime, nullable=False),
    sa.Column("superseded", sa.Boolean, nullable=False),
    sa.UniqueConstraint("source", "corpus", "path", "digest", name="pending_version"),
    sqlite_autoincrement=True,
)

quarantine = sa.Table(
    "quarantine",
    metadata,
    _number(),
    *_document(),
    sa.Column("revision", ExactText, nullable=False),
    sa.Column("digest", sa.Text),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("reasons", JsonText, nullable=False),
    sa.Column("filed_at", UtcTime, nullable=False),
    sa.Column("last_seen_at", UtcTime, nullable=False),
    sa.Column("resolved_at", UtcTime),
    sa.UniqueConstraint("source", "corpus", "path", "revision", name="quarantine_revision"),
    sqlite_autoincrement=True,
)

evidence = sa.Table(
    "evidence",
    metadata,
    _number(),
    sa.Column("investigation", ExactText, nullable=False),
    sa.Column("sequence", _Number, nullable=False),
    sa.Column("citation", ExactText, nullable=False),
    *_document(),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("anchor", ExactText, nullable=False),
    sa.Column("part", _Number, nullable=False),
    sa.Column("load", _Number, nullable=False),
    sa.Column("excerpt", ExactText, nullable=False),
    sa.Column("metadata", JsonText, nullable=False),
    sa.Column("query_digest", sa.Text, nullable=False),
    sa.Column("issued", sa.Boolean, nullable=False),
    sa.Column("issued_at", UtcTime, nullable=False),
    sa.UniqueConstraint("investigation", "sequence", name="evidence_sequence"),
    sqlite_autoincrement=True,
)

audit = sa.Table(
    "audit",
    metadata,
    _number(),
    sa.Column("at", UtcTime, nullable=False),
    sa.Column("actor", ExactText, nullable=False),
    sa.Column("action", ExactText, nullable=False),
    sa.Column("investigation", ExactText),
    sa.Column("details", JsonText, nullable=False),
    sa.Index("audit_investigation", "investigation", "number"),
    sqlite_autoincrement=True,
)

# A row of kind "evicted" counts what no longer has a row of its own.
gap = sa.Table(
    "gap",
    metadata,
    _number(),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("key", sa.Text, nullable=False),
    sa.Column("text", ExactText),
    sa.Column("count", _Number, nullable=False),
    sa.Column("unsure", _Number, nullable=False),
    sa.Column("first_seen", UtcTime, nullable=False),
    sa.Column("last_seen", UtcTime, nullable=False),
    sa.UniqueConstraint("kind", "key", name="gap_key"),
    sqlite_autoincrement=True,
)

delivery = sa.Table(
    "delivery",
    metadata,
    _number(),
    sa.Column("key", sa.Text, nullable=False),
    sa.Column("seen_at", UtcTime, nullable=False),
    sa.UniqueConstraint("key", name="delivery_key"),
    sa.Index("delivery_seen", "seen_at"),
    sqlite_autoincrement=True,
)

outcome = sa.Table(
    "outcome",
    metadata,
    _number(),
    sa.Column("investigation", ExactText, nullable=False),
    sa.Column("service", ExactText),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("text", ExactText, nullable=False),
    sa.Column("result", sa.Text, nullable=False),
    sa.Column("recorded_by", ExactText, nullable=False),
    sa.Column("verified", sa.Boolean, nullable=False),
    sa.Column("recorded_at", UtcTime, nullable=False),
    sa.Index("outcome_investigation", "investigation", "number"),
    sa.Index("outcome_service", "service", "kind", "result"),
    sqlite_autoincrement=True,
)
