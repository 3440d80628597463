"""Restarts of jobs that are over: who may, how much at once, and what happens meanwhile."""

from __future__ import annotations

import getpass
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path

import pytest

from rmsd_client.errors import ApiError
from rmsd_core.jobs.conditions import NO_CONDITIONS, Awaits, Conditions, Dependency
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Ineligible
from rmsd_core.jobs.request import processors
from rmsd_core.lifecycle.inputs import AwaitAgain, Cancel, Restart
from rmsd_core.vocabulary import Relation
from rmsd_daemon.callers.auth import Caller, Role
from rmsd_daemon.callers.growth import Growth
from rmsd_daemon.domain.errors import Conflict, DaemonError, DependencyOver, TooMany
from rmsd_daemon.domain.submission import Details, NewJob, Payload
from rmsd_daemon.domain.turns import Turn
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries.history import JobHistory
from rmsd_daemon.queries.restarts import Restarts
from rmsd_daemon.store import rows
from rmsd_daemon.store.store import Store
from tests.daemon.configured import reload
from tests.daemon.scheduling import scheduling
from tests.live import Daemon

ONE_NODE = ("--no-local-node", "--emulate", "1x4")
USER = getpass.getuser()


@pytest.fixture
async def scheduler(tmp_path: Path) -> AsyncIterator[Scheduler]:
    with closing(Store(tmp_path / "rmsd.db")) as store:
        async with scheduling(store, "counted") as found:
            yield found


async def submitted(scheduler: Scheduler, count: int, *awaited: Dependency) -> list[int]:
    """Submit so many jobs with these dependencies, and return their numbers."""
    conditions = Conditions(dependencies=awaited) if awaited else None
    details, new = Details("j", conditions=conditions), []
    for _ in range(count):
        job = Job(0, "ann", scheduler.clock.now_us(), processors(1), 60_000_000)
        if conditions is not None:
            job.phase = Ineligible(conditions)
        new.append(NewJob(job, details, Payload("#!/bin/sh")))
    return await scheduler.submit(new, None, "", 10_000)


async def cancelled(scheduler: Scheduler, *ids: int) -> None:
    await scheduler.carry_out(*map(Cancel, ids), audit_entries=())
    for job_id in ids:
        await scheduler.until_over(job_id, 10)


async def test_dependents_are_looked_up_in_parts_and_their_ends_together(
    scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    """300 jobs with 200 dependencies each kept the event loop for 1.1 s, and 3,000 jobs, of which
    some had 900 dependencies that were over, were looked up for 48 s."""
    queries: list[int] = []
    ends = rows.ends
    monkeypatch.setattr(rows, "ends", lambda of, ids: queries.append(len(ids)) or ends(of, ids))
    others = await submitted(scheduler, 300)
    [failed] = await submitted(scheduler, 1)
    first = Dependency(Relation.AFTER_OK, failed)
    many = [Dependency(Relation.AFTER_ANY, one) for one in others]
    wide = await submitted(scheduler, 10, first, *many)
    narrow = await submitted(scheduler, 500, first)
    await cancelled(scheduler, failed, *others)
    with closing(JobHistory(scheduler)) as history:
        restarts = Restarts(scheduler, history)
        parts = await restarts.stranded(failed, Turn())
        assert [one for part in parts for one in part] == [*wide, *narrow]
        assert max(map(len, parts)) <= 200
        assert [sum(one in wide for one in part) for part in parts] == [6, 4, 0, 0]
        found = await restarts.await_again(parts[0], scheduler.clock.now_us(), failed)
    assert [one.awaits.dependencies for one in found] == [(first,)] * 6
    assert queries == [300], "one look-up for all jobs of the part"


async def test_what_is_restarted_is_kept_from_others_and_noticed_to_be_deleted(
    scheduler: Scheduler,
) -> None:
    """Two callers began from the same record: the second restart gave the number of the first one's
    start again, and the commit of that failed. A job that was deleted meanwhile ran without a
    record."""
    [job_id] = await submitted(scheduler, 1)
    await cancelled(scheduler, job_id)
    with closing(JobHistory(scheduler)) as history:
        job, details = await history.find(job_id)
        restart = await Restarts(scheduler, history).restart(job, details, 0, None)
    assert isinstance(restart, Restart)
    new = NewJob(job, details, Payload())
    with scheduler.reviving(job_id):
        again = scheduler.reviving(job_id)
        with pytest.raises(Conflict, match="is being restarted already"):
            again.__enter__()
        scheduler.cluster.pruned([job_id])
        with pytest.raises(DaemonError, match="deleted"):
            await scheduler.restart(new, [restart], 10, {})
    with scheduler.reviving(job_id):
        assert not scheduler.cluster.is_live(job_id)


async def test_a_job_is_restarted_though_what_it_awaited_is_deleted(
    scheduler: Scheduler, tmp_path: Path
) -> None:
    """The restart was tried without end."""
    [first] = await submitted(scheduler, 1)
    awaits = [Dependency(one, first) for one in (Relation.AFTER_ANY, Relation.AFTER_OK)]
    any_end, success = [(await submitted(scheduler, 1, one))[0] for one in awaits]
    await cancelled(scheduler, any_end, success, first)
    with closing(sqlite3.connect(tmp_path / "rmsd.db")) as database, database:
        database.execute("DELETE FROM job WHERE id = ?", (first,))
    with closing(JobHistory(scheduler)) as history:
        restarts = Restarts(scheduler, history)
        restart = await restarts.restart(*await history.find(any_end), 0, None)
        assert restart.conditions == NO_CONDITIONS
        with pytest.raises(Conflict, match="have ended otherwise"):
            await restarts.restart(*await history.find(success), 0, None)


async def test_all_that_awaits_a_job_awaits_it_again_however_fast_it_is(
    scheduler: Scheduler, tmp_path: Path
) -> None:
    """Jobs of the second part took the end of the restarted job for unknown if it came before they
    were told, and could never start."""
    [failed] = await submitted(scheduler, 1)
    after = Dependency(Relation.AFTER_OK, failed)
    waiting = await submitted(scheduler, 2, after)
    await cancelled(scheduler, failed)
    with pytest.raises(DependencyOver):
        await scheduler.await_again([AwaitAgain(one, Awaits((after,))) for one in waiting])
    with closing(JobHistory(scheduler)) as history:
        restarts = Restarts(scheduler, history)
        assert await restarts.await_again(waiting, 0) == []
        with closing(sqlite3.connect(tmp_path / "rmsd.db")) as database, database:
            database.execute("UPDATE job SET state = 'COMPLETED' WHERE id = ?", (failed,))
        await scheduler.await_again(await restarts.await_again(waiting, 0))
    assert {scheduler.core.job(one).conditions for one in waiting} == {NO_CONDITIONS}


async def test_what_waits_again_counts_for_the_caller() -> None:
    """65 jobs with a thousand dependencies each add 4 MB at each restart of what they await."""
    growth, caller = Growth(at_once=1 << 20), Caller("ann", Role.USER, "")
    growth.change(caller, 1)
    growth.check(caller)
    growth.awaiting(caller, 65, 65_000)
    with pytest.raises(TooMany):
        growth.check(caller)


def test_who_has_lost_an_account_restarts_no_job_in_it(start_daemon: Callable[..., Daemon]) -> None:
    """Accounts, QOS and partitions were asked for at the submit alone."""
    config = '[accounts.gold]\nmembers = ["{}"]\n[accounts.lead]\nmembers = ["{}"]\n'
    daemon = start_daemon(*ONE_NODE, config=config.format(USER, USER))
    job_id = daemon.submit("exit 1", account="gold")
    daemon.wait(job_id)
    reload(daemon, config.format("somebody-else", USER))
    with pytest.raises(ApiError, match=f"{USER} is no member of the account 'gold'"):
        daemon.client.change(job_id, "restart")
    reload(daemon, config.format(USER, USER))
    daemon.client.change(job_id, "restart")
    assert daemon.wait(job_id)["attempt"] == 2
