"""Databases of earlier schemas, brought to the present one by Alembic.

Imported only if there is something to migrate: Alembic adds a tenth of a second to a start.
"""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

from rmsd_daemon.store.schema import mark
from rmsd_daemon.store.tables import REVISION


def upgrade(connection: Connection, revision: str) -> None:
    """Bring the database, which has the schema `revision`, to the present one, in the transaction
    that `connection` is in.

    Raises:
        sqlalchemy.exc.SQLAlchemyError: a step failed; the transaction is to be rolled back.
    """
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.attributes["connection"] = connection
    connection.exec_driver_sql(f"CREATE TABLE {_VERSION} (version_num VARCHAR(32) PRIMARY KEY)")
    connection.exec_driver_sql(f"INSERT INTO {_VERSION} VALUES ('{revision}')")
    command.upgrade(config, REVISION)
    connection.exec_driver_sql(f"DROP TABLE {_VERSION}")
    mark(connection.exec_driver_sql, REVISION)


_VERSION = "alembic_version"
"""The table in which Alembic looks for the revision; it exists during an upgrade (`schema`)."""
