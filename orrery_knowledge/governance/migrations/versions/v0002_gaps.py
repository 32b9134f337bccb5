"""What was asked and nobody has written."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Create the table. Its rows change and go: it is a tally, and no record of decisions."""
    op.create_table(
        "gap",
        sa.Column("number", _NUMBER, primary_key=True, autoincrement=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("text", sa.Text),
        sa.Column("count", _NUMBER, nullable=False),
        sa.Column("unsure", _NUMBER, nullable=False),
        sa.Column("first_seen", _TIME, nullable=False),
        sa.Column("last_seen", _TIME, nullable=False),
        sa.UniqueConstraint("kind", "key", name="gap_key"),
        sqlite_autoincrement=True,
    )
