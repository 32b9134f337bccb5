"""Deliveries of alerts that were seen."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table; its rows go after a day."""
    op.create_table(
        "delivery",
        sa.Column("number", _NUMBER, primary_key=True, autoincrement=True),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.UniqueConstraint("key", name="delivery_key"),
        sqlite_autoincrement=True,
    )
    op.create_index("delivery_seen", "delivery", ["seen_at"])
