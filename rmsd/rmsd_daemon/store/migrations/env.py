"""Alembic's environment: it runs on the connection, and in the transaction, that `upgrade`
passes."""

from __future__ import annotations

from alembic import context

from rmsd_daemon.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,  # SQLite alters a table by creating it anew
)
with context.begin_transaction():
    context.run_migrations()
