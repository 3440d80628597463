"""Jobs that are made to depend on others, which end before the scheduler sees the dependency."""

from __future__ import annotations

import asyncio
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rmsd_core.lifecycle.inputs import Cancel
from rmsd_daemon.callers.audit import entry
from rmsd_daemon.callers.auth import Caller, Role
from rmsd_daemon.domain.conditions import conditions_of
from rmsd_daemon.domain.errors import DependencyOver, NotStored
from rmsd_daemon.domain.submission import NewJob, Rules, new_job
from rmsd_daemon.domain.updates import amended
from rmsd_daemon.loop.mailbox import Arrival
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.store.changes import Changes
from rmsd_daemon.store.failures import StoreError
from rmsd_daemon.store.records import as_submitted
from rmsd_daemon.store.store import Store
from rmsd_wire.api.submission import ConditionsSpec, DependencySpec, EmulateSpec, SubmitSpec
from rmsd_wire.api.updates import JobUpdate
from tests.daemon.scheduling import scheduling
from tests.waiting import DEADLINE_S

ANN = Caller("ann", Role.USER, "")
RULES = Rules("nodes", None, 1 << 20, "/")
MOST = 10
"""The jobs that a user may have here."""


class RefusingStore(Store):
    """A store that refuses one commit, when a test says so."""

    refuses = False

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.go_on = threading.Event()

    def commit(self, changes: Changes) -> None:
        if self.refuses:
            self.refuses = False
            assert self.go_on.wait(DEADLINE_S)
            raise StoreError("the disk is full")
        super().commit(changes)


def job(conditions: ConditionsSpec | None = None, **more: Any) -> NewJob:
    asked = SubmitSpec(emulate=EmulateSpec(run_s=1.0), conditions=conditions, **more)
    return new_job(asked, "ann", 0, RULES)


def after(job_id: int) -> list[DependencySpec]:
    """Return the dependency on a job's failure."""
    return [DependencySpec("afternotok", job_id)]


def look_up(new: NewJob) -> None:
    """Note in a new array with two tasks which tasks of another one they await: both."""
    array = new.details.array
    assert array is not None
    assert array.corresponding is not None
    other = msgspec.structs.replace(array.corresponding, tasks="0-1")
    array = msgspec.structs.replace(array, corresponding=other)
    new.details = msgspec.structs.replace(new.details, array=array)
    new.job = as_submitted(new.job, new.details)


def fail_once(scheduler: Scheduler) -> None:
    """Let the next call of the core fail. The core that is built anew then is sound."""

    def handle(*_: object) -> Any:
        raise RuntimeError("an ill pass")

    scheduler.core.handle = handle  # type: ignore[method-assign]


async def submit(scheduler: Scheduler, *jobs: NewJob) -> list[int]:
    return await scheduler.submit(list(jobs), None, "", MOST)


async def amend(scheduler: Scheduler, job_id: int, awaited: int) -> bool | None:
    """Make the job depend on the failure of another one."""
    asked = JobUpdate(dependencies=after(awaited))
    conditions = conditions_of(ConditionsSpec(dependencies=after(awaited)), 0)
    return await scheduler.amend(
        job_id,
        lambda job, details: amended(job, details, asked, conditions, "ann", 0, RULES),
        entry(ANN, "update", f"job {job_id}"),
    )


async def test_a_refused_submit_keeps_its_key_when_its_batch_is_not_stored(tmp_path: Path) -> None:
    """The caller has asked again by then, with the same key."""
    with closing(RefusingStore(tmp_path / "rmsd.db")) as store:
        async with scheduling(store) as scheduler:
            await submit(scheduler, job())
            store.refuses = True
            done: asyncio.Future[list[int]] = asyncio.get_running_loop().create_future()
            follower = job(ConditionsSpec(dependencies=after(999)))
            other = asyncio.ensure_future(submit(scheduler, job()))
            scheduler.put(Arrival([follower], "ann:key", "digest", done))
            with pytest.raises(DependencyOver):
                await done
            again = asyncio.ensure_future(scheduler.submit([job()], "ann:key", "digest", MOST))
            while not scheduler.queued:  # noqa: ASYNC110 - nothing tells of it
                await asyncio.sleep(0)
            store.go_on.set()
            with pytest.raises(NotStored):
                await other
            ids = await again
            assert await scheduler.submit([job()], "ann:key", "digest", MOST) == ids


@pytest.mark.slow
async def test_works_of_a_batch_that_failed_see_each_others_ends(tmp_path: Path) -> None:
    """The works are carried out one by one then. The core forgets the ends of a call with the next
    one, and took a dependency on such an end for one that can never be fulfilled."""
    with closing(Store(tmp_path / "rmsd.db")) as store:
        async with scheduling(store) as scheduler:
            held = ConditionsSpec(hold=True)
            first, changed = await submit(scheduler, job(), job(held))
            [array] = await submit(scheduler, job(array="0-1"))
            corresponding = job(ConditionsSpec(after_corr=array), array="0-1")
            look_up(corresponding)
            fail_once(scheduler)
            cancels = [
                scheduler.carry_out(Cancel(first), audit_entries=[]),
                scheduler.carry_out(Cancel(array), audit_entries=[]),
            ]
            followers = [
                submit(scheduler, job(ConditionsSpec(dependencies=after(first)))),
                amend(scheduler, changed, first),
                submit(scheduler, corresponding),
            ]
            told = await asyncio.gather(*cancels, *followers, return_exceptions=True)
            assert told[:2] == [True, True]
            assert [type(one) for one in told[2:]] == [DependencyOver] * 3
            assert [*scheduler.core.jobs] == [changed]
            # The refused jobs count for their user no more.
            assert len(await submit(scheduler, *(job() for _ in range(MOST - 1)))) == MOST - 1
