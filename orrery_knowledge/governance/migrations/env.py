"""What Alembic runs: it gets an open connection from `governance.migrate` and keeps no settings."""

from __future__ import annotations

from alembic import context

from orrery_knowledge.governance.schema import VERSION_TABLE, metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
    # SQLite can: a process that is killed half way leaves the schema that was there before.
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
