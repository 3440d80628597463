"""A number of another type in a row of a job or a node costs that row, and no other."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import processors
from rmsd_core.recipes.prediction import RunsNeeded
from rmsd_daemon.domain.submission import Details, NewJob, Payload
from rmsd_daemon.loop.mailbox import Register
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.store.rows import history_of
from rmsd_daemon.store.store import Store
from tests.daemon.rows import NODE
from tests.daemon.scheduling import NoLinks, scheduling


async def _submit(scheduler: Scheduler, count: int) -> list[int]:
    """Submit jobs to one node, which has a processor for one of them."""
    now_us = scheduler.clock.now_us()
    scheduler.put(Register(NoLinks(), [{**NODE, "agent_id": "a", "cores": 1}], [], []))
    jobs = [Job(0, "ann", now_us, processors(1), 60_000_000) for _ in range(count)]
    new = [NewJob(job, Details("j"), Payload("#!/bin/sh")) for job in jobs]
    return await scheduler.submit(new, None, "", 1000)


async def _stored(path: Path, statement: str) -> None:
    """Store three jobs, and carry out a statement then."""
    with closing(Store(path)) as store:
        async with scheduling(store) as scheduler:
            await _submit(scheduler, 3)
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(statement)


@pytest.mark.parametrize(
    ("damaged", "left"),
    [
        *((f"UPDATE job SET {name} = 'x' WHERE id = 2", [1, 3])
          for name in ("deadline_us", "array_index", "seq", "rank")),
        *((f"UPDATE node SET {name} = 'x'", [1, 2, 3]) for name in ("cores", "mem_mib")),
    ],
)  # fmt: skip
async def test_the_scheduler_goes_on_with_the_other_rows(
    tmp_path: Path, damaged: str, left: list[int]
) -> None:
    """The start of the daemon ended in an error, or each pass did."""
    path = tmp_path / "rmsd.db"
    await _stored(path, damaged)
    with closing(Store(path)) as store:
        async with scheduling(store) as scheduler:
            [new] = await _submit(scheduler, 1)
            await scheduler.carry_out(audit_entries=[])
            assert sorted(scheduler.core.jobs) == [*left, new]


async def test_predictions_look_at_the_other_runs(tmp_path: Path) -> None:
    path = tmp_path / "rmsd.db"
    over = (
        "UPDATE job SET live = 0, state = 'COMPLETED', cause = 'exit', start_us = 5, end_us = 9, "
        "{} WHERE id = {}"
    )
    values = ((1, "estimate_us = 7"), (2, "estimate_us = 'x'"), (3, "size = 'x'"))
    await _stored(path, ";".join(over.format(text, job_id) for job_id, text in values))
    engine = create_engine(f"sqlite:///{path}")
    for needed in (RunsNeeded(None), RunsNeeded(3)):
        with engine.connect() as connection:
            [(user, _, *numbers)] = history_of(connection, needed)
        assert (user, numbers) == ("ann", [4, 7, 1])
    engine.dispose()
