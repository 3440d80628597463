"""The number of jobs in each state, which is counted as jobs change."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any, cast

import pytest

from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Done
from rmsd_core.jobs.request import processors
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import Exited, NodeUp, Submit
from rmsd_core.recipes.presets import PRESETS
from rmsd_core.vocabulary import Cause, JobState
from rmsd_daemon.loop.live_index import LiveIndex
from rmsd_daemon.queries.status import Status
from tests.live import Daemon
from tests.waiting import wait_until


class _Unwalked(dict[int, Any]):
    """A dictionary that is looked into by key alone."""

    def _refuse(self) -> Any:
        raise AssertionError("all jobs are looked at")

    __iter__ = keys = values = items = _refuse


def _index_of(*numbers: int) -> LiveIndex:
    return LiveIndex(Job(number, "ann", 0, processors(1), 1_000_000) for number in numbers)


async def test_the_state_of_the_daemon_looks_at_no_job() -> None:
    """With 198,000 live jobs each answer took some 0.1 s of a processor, and every page and each
    `rmsd top` asks for it while jobs start and end."""
    core = SimpleNamespace(jobs=_Unwalked(), nodes={}, arrays=list)
    cluster = SimpleNamespace(index=_index_of(1, 2, 3))
    scheduler = SimpleNamespace(core=core, details=_Unwalked(), cluster=cluster)
    anything = cast("Any", None)
    status = Status(cast("Any", scheduler), anything, anything, anything, anything)
    assert (await status.counts()).jobs == {"PENDING": 3}


def test_a_job_counts_once_however_often_it_is_noted() -> None:
    index = _index_of(1, 2, 2)
    index.note([Job(2, "ann", 0, processors(1), 1_000_000)])
    assert dict(index.counts) == {"PENDING": 2}
    assert set(index.known) == {1, 2}


def _told(daemon: Daemon) -> tuple[dict[str, int], dict[str, int]]:
    """Return the jobs by state as the status tells them, and as the list of live jobs does."""
    of_list = Counter(job["state"] for job in daemon.client.jobs(apart=True))
    return daemon.client.status()["jobs"], dict(of_list)


@pytest.mark.live
def test_what_is_counted_is_what_the_list_has(daemon: Daemon) -> None:
    """Jobs run, wait, are held, end, are cancelled, requeued, and are arrays; and the daemon is
    killed and reads the database."""
    asks: list[dict[str, Any]] = [
        {"emulate": {"run_s": 1e6}, "tasks": 2},
        {"emulate": {"run_s": 1e6}, "array": "1-9%1"},
        {"emulate": {"run_s": 1e6}, "conditions": {"hold": True}},
        {"emulate": {"run_s": 0.0}},
        {"emulate": {"run_s": 1e6}, "tasks": 8},
        {"emulate": {"run_s": 1e6}, "tasks": 8},
    ]
    ids = [job["job_id"] for job in daemon.client.submit(asks)]
    daemon.wait(ids[3])
    wait_until(lambda: _told(daemon)[1] == {"RUNNING": 2, "PENDING": 11}, "two run")
    assert _told(daemon)[0] == {"RUNNING": 2, "PENDING": 11}
    daemon.client.change(ids[0], "requeue")
    daemon.client.cancel(ids[5])
    daemon.wait(ids[5])
    wait_until(lambda: daemon.client.job(ids[0])["attempt"] == 2, "the job runs again")
    wait_until(lambda: daemon.state_of(ids[0]) == "RUNNING", "the job runs again")
    assert _told(daemon)[0] == _told(daemon)[1] == {"RUNNING": 2, "PENDING": 10}
    daemon.kill()
    daemon.start()
    wait_until(lambda: _told(daemon)[1] == {"RUNNING": 2, "PENDING": 10}, "both run on")
    assert _told(daemon)[0] == {"RUNNING": 2, "PENDING": 10}
    daemon.client.cancel_all(ids)
    wait_until(lambda: _told(daemon) == ({}, {}), "all are over")


def _found(index: LiveIndex, states: set[str], users: set[str] | None = None) -> list[int]:
    return list(index.newest_first(1 << 62, {JobState(one) for one in states}, users))


def test_jobs_are_found_by_state_and_by_user_without_a_look_at_others() -> None:
    """Of 5,000 waiting jobs none is looked at for those that run, or for those of another user."""
    waiting = [Job(number, "ann", 0, processors(1), 1_000_000) for number in range(1, 5001)]
    index = LiveIndex(waiting)
    core = Core(PRESETS["easy"], "counted")
    own = [
        Job(number, user, 0, processors(1), 1_000_000)
        for number, user in ((7001, "bob"), (7002, "ann"))
    ]
    core.handle(0, [NodeUp("n1", 1, 0, ()), *map(Submit, own)])
    index.note(own)
    assert _found(index, {"CONFIGURING"}) == [7001]
    assert _found(index, {"PENDING", "CONFIGURING"}, {"bob"}) == [7001]
    assert _found(index, {"CONFIGURING", "PENDING"})[:3] == [7002, 7001, 5000]
    assert _found(index, {"COMPLETED"}) == []
    assert _found(index, {"PENDING"}, {"nobody"}) == []
    core.handle(1, [Exited(7001, 1, "n1", 1, Outcome(Cause.EXIT, 0))])
    index.note(own)
    assert _found(index, {"CONFIGURING"}) == [7002]
    assert _found(index, {"PENDING", "CONFIGURING"}, {"bob"}) == []
    assert dict(index.counts) == {"PENDING": 5000, "CONFIGURING": 1}


def test_numbers_of_jobs_that_have_left_are_left_out() -> None:
    """A job that comes back, as one that is requeued, is there once."""
    index = LiveIndex()
    for number in range(1, 4001):
        index.note([Job(number, "ann", 0, processors(1), 1_000_000)])
        over = Done(JobState.COMPLETED, Outcome(Cause.EXIT, 0), 1)
        index.note([Job(number, "ann", 0, processors(1), 1_000_000, phase=over)])
    assert not index.known
    last = Job(17, "ann", 0, processors(1), 1_000_000)
    index.note([last])
    assert _found(index, {"PENDING"}) == [17]
