"""First tables: decisions, pending texts, quarantine, evidence, audit."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

# A migration never imports today's schema: what it does must not change when the schema does.
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Create the tables, and make the engine itself refuse changes of what is append-only."""
    op.create_table(
        "decision",
        _number(),
        *_document(),
        _text("digest"),
        _text("decision"),
        _text("reviewer"),
        _text("reason"),
        sa.Column("decided_at", _TIME, nullable=False),
        sa.Column("verified", sa.Boolean, nullable=False),
        sa.CheckConstraint("reviewer <> ''", name="decision_reviewer"),
        sa.CheckConstraint(
            "decision IN ('approved', 'rejected', 'revoked', 'tainted', 'expired')",
            name="decision_word",
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("decision_document", "decision", ["source", "corpus", "path", "digest"])
    op.create_table(
        "pending",
        _number(),
        *_document(),
        _text("digest"),
        _text("title"),
        _text("text"),
        _text("metadata"),
        _text("uri"),
        _text("revision"),
        sa.Column("commit_id", sa.Text),
        sa.Column("modified_at", _TIME),
        _text("source_metadata"),
        _text("warnings"),
        sa.Column("filed_at", _TIME, nullable=False),
        sa.Column("superseded", sa.Boolean, nullable=False),
        sa.UniqueConstraint("source", "corpus", "path", "digest", name="pending_version"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "quarantine",
        _number(),
        *_document(),
        _text("revision"),
        sa.Column("digest", sa.Text),
        _text("kind"),
        _text("reasons"),
        sa.Column("filed_at", _TIME, nullable=False),
        sa.Column("last_seen_at", _TIME, nullable=False),
        sa.Column("resolved_at", _TIME),
        sa.UniqueConstraint("source", "corpus", "path", "revision", name="quarantine_revision"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "evidence",
        _number(),
        _text("investigation"),
        sa.Column("sequence", _NUMBER, nullable=False),
        _text("citation"),
        *_document(),
        _text("digest"),
        _text("anchor"),
        sa.Column("part", _NUMBER, nullable=False),
        sa.Column("load", _NUMBER, nullable=False),
        _text("excerpt"),
        _text("metadata"),
        _text("query_digest"),
        sa.Column("issued", sa.Boolean, nullable=False),
        sa.Column("issued_at", _TIME, nullable=False),
        sa.UniqueConstraint("investigation", "sequence", name="evidence_sequence"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "audit",
        _number(),
        sa.Column("at", _TIME, nullable=False),
        _text("actor"),
        _text("action"),
        sa.Column("investigation", sa.Text),
        _text("details"),
        sqlite_autoincrement=True,
    )
    op.create_index("audit_investigation", "audit", ["investigation", "number"])
    if op.get_bind().dialect.name == "sqlite":
        _append_only_sqlite()
    else:
        _append_only_postgresql()


def _number() -> sa.Column[int]:
    return sa.Column("number", _NUMBER, primary_key=True, autoincrement=True)


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False)


def _document() -> list[sa.Column[str]]:
    return [_text("corpus"), _text("source"), _text("path")]


# Of evidence one thing changes: the guard takes back what it dropped. It never issues it again.
def _append_only_sqlite() -> None:
    for table, event, condition in (
        ("decision", "UPDATE", ""),
        ("decision", "DELETE", ""),
        ("audit", "UPDATE", ""),
        ("audit", "DELETE", ""),
        ("evidence", "DELETE", ""),
        (
            "evidence",
            "UPDATE OF number, investigation, sequence, citation, corpus, source, path, digest,"
            " anchor, part, load, excerpt, metadata, query_digest, issued_at",
            "",
        ),
        ("evidence", "UPDATE OF issued", "WHEN NEW.issued > OLD.issued "),
    ):
        name = f"{table}_no_{'_'.join(event.split(',')[0].lower().split())}"
        op.execute(
            f"CREATE TRIGGER {name} BEFORE {event} ON {table} {condition}"
            f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
        )


def _append_only_postgresql() -> None:
    op.execute(
        "CREATE FUNCTION ledger_append_only() RETURNS trigger LANGUAGE plpgsql AS $$"
        " BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$"
    )
    for table in ("decision", "audit"):
        op.execute(
            f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE ON {table}"
            " FOR EACH ROW EXECUTE FUNCTION ledger_append_only()"
        )
    op.execute(
        "CREATE TRIGGER evidence_no_delete BEFORE DELETE ON evidence"
        " FOR EACH ROW EXECUTE FUNCTION ledger_append_only()"
    )
    op.execute(
        "CREATE TRIGGER evidence_append_only BEFORE UPDATE ON evidence FOR EACH ROW"
        " WHEN (to_jsonb(NEW) - 'issued' IS DISTINCT FROM to_jsonb(OLD) - 'issued'"
        " OR NEW.issued > OLD.issued) EXECUTE FUNCTION ledger_append_only()"
    )
