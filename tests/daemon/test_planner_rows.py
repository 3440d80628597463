"""Damaged rows of the planner's memory are left out, and the scheduler goes on with the others."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from rmsd_core.planning.planner_memory import UserUsage, VirtualJob
from rmsd_daemon.store.planner_rows import memory_of
from rmsd_daemon.store.store import Store
from tests.live import Daemon

_SOUND = """
INSERT INTO used VALUES ('ann', 7.5, 100);
INSERT INTO used_in VALUES ('lab', 'ann', 7.5, 100), ('lab', '', 8, 100);
INSERT INTO virtual VALUES (1, 1, 0, 2, 50, NULL, NULL, NULL);
INSERT INTO planned VALUES (1, 300);
"""
_DAMAGED = """
INSERT INTO used VALUES ('text', 'x', 100), ('late', 1, 'y'), ('endless', 9e999, 100),
    ('less', -1, 100), ('never', 1, 9000000000000000000), (x'ff', 1, 100);
INSERT INTO used_in VALUES ('lab', 'text', 'x', 100), (x'ff', 'ann', 1, 100), ('lab', 'y', 1, 'y');
INSERT INTO virtual VALUES (2, 'x', 0, 2, 50, NULL, NULL, NULL), (3, 1, 0, 2, 50, 'x', NULL, NULL);
INSERT INTO planned VALUES (2, 'x');
"""


def _change(path: Path, statements: str) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(statements)


def test_damaged_rows_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "rmsd.db"
    Store(path).close()
    _change(path, _SOUND + _DAMAGED)
    engine = create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        memory = memory_of(connection, None)
    engine.dispose()
    used = UserUsage(7.5, 100)
    assert memory.used == {"ann": used}
    assert memory.used_in == {"lab": {"ann": used, "": UserUsage(8.0, 100)}}
    assert memory.virtual == {1: VirtualJob(1, 0, 2, 50)}
    assert memory.planned_us == {1: 300}


@pytest.mark.live
def test_damaged_usage_keeps_no_job_from_its_start(start_daemon: Callable[..., Daemon]) -> None:
    """Each pass ended in an error, as did the start of the daemon."""
    recipe = "fair-share,by=account"
    daemon = start_daemon("--no-local-node", "--emulate", "1x1", "--recipe", recipe)
    daemon.wait(daemon.emulate(0.01))
    daemon.kill()
    daemon.spoiled = True
    _change(daemon.state / "rmsd.db", f"UPDATE used SET at_us = 'y'; {_DAMAGED}")
    daemon.start()
    daemon.wait_for(daemon.emulate(5000), "RUNNING")
    waits = daemon.emulate(5000)
    assert daemon.client.explain(waits)["wait"]["priority"]["used_s"] >= 0
