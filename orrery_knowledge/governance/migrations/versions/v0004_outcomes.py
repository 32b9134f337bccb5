"""What was tried in an incident, and what came of it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "outcome",
        sa.Column("number", _NUMBER, primary_key=True, autoincrement=True),
        sa.Column("investigation", sa.Text, nullable=False),
        sa.Column("service", sa.Text),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("result", sa.Text, nullable=False),
        sa.Column("recorded_by", sa.Text, nullable=False),
        sa.Column("verified", sa.Boolean, nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("outcome_investigation", "outcome", ["investigation", "number"])
    op.create_index("outcome_service", "outcome", ["service", "kind", "result"])
