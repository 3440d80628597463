"""Mails that a job has used a part of its time limit, by model time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from rmsd_core.model_time import SECOND_US
from rmsd_core.vocabulary import JobState
from rmsd_daemon.domain.feed import Feed
from rmsd_daemon.domain.mail import Mail
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.notices.limit_mails import LimitMails
from rmsd_daemon.store.records import Row
from tests.daemon.mail_site import Site
from tests.live import Daemon
from tests.waiting import wait_until

pytestmark = pytest.mark.live

_ALL = ["TIME_LIMIT_90", "TIME_LIMIT_80", "TIME_LIMIT_50"]


def limited(daemon: Daemon, run_s: float, limit_s: float, **spec: Any) -> int:
    """Submit an emulated job that is ended at its limit, and return its number."""
    emulate = {"run_s": run_s, "limited": True}
    [job] = daemon.client.submit([{"emulate": emulate, "time_limit_s": limit_s, **spec}])
    return int(job["job_id"])


@pytest.fixture
def site(start_daemon: Callable[..., Daemon], tmp_path: Path) -> Site:
    return Site(start_daemon, tmp_path, "", "--rate", "200")


@pytest.mark.slow
def test_a_job_is_told_of_at_parts_of_its_limit_and_once(site: Site) -> None:
    """The daemon is killed between two of the mails, and must send each but once."""
    daemon = site.daemon
    ended = limited(daemon, 350, 500, mail_types=_ALL, name="brief")
    site.subjects_in_the_end(ended)
    assert site.subjects() == [f"Job_id={ended} Name=brief Reached 50% of time limit"]
    job_id = limited(daemon, 1900, 2000, mail_types=_ALL, name="long")
    told = [f"Job_id={job_id} Name=long Reached {part}% of time limit" for part in (50, 80, 90)]
    wait_until(lambda: told[0] in site.subjects() and site.settled())
    daemon.kill()
    daemon.start()
    found = site.subjects_in_the_end(job_id)
    assert [one for one in found if "long" in one] == told


def test_a_new_limit_counts(site: Site) -> None:
    daemon = site.daemon
    job_id = limited(daemon, 1e6, 2e6, mail_types=["TIME_LIMIT_50"], name="cut")
    daemon.wait_for(job_id, "RUNNING")
    daemon.client.update(job_id, {"time_limit_s": 200})
    wait_until(lambda: site.subjects() == [f"Job_id={job_id} Name=cut Reached 50% of time limit"])
    daemon.client.cancel(job_id)


@pytest.mark.slow
def test_tasks_are_told_of_alone_and_a_job_that_waits_is_not(site: Site) -> None:
    daemon = site.daemon
    half = {"array": "0-1", "tasks": 4}
    numbers = [
        limited(daemon, 1e6, 200, mail_types=["TIME_LIMIT_50"], name="whole", **half),
        limited(daemon, 1e6, 200, mail_types=["TIME_LIMIT_50", "ARRAY_TASKS"], name="each", **half),
    ]
    found = site.subjects_in_the_end(*numbers)
    assert len(found) == 2
    assert all("Name=each Reached 50% of time limit" in one for one in found)


async def test_mails_that_are_all_due_at_once_are_made_some_at_a_time() -> None:
    """The daemon was away for hours, and all running jobs have used half of their limits."""
    jobs = {
        number: SimpleNamespace(
            id=number, attempt=1, state=JobState.RUNNING, is_trial=False, start_us=0,
            suspended_us=0, estimate_us=SECOND_US, array=None, task=None,
        )
        for number in range(1, 1202)
    }  # fmt: skip
    details = SimpleNamespace(
        mail=Mail(("TIME_LIMIT_50",), "ann"), limited=True, emulate=None, name="x"
    )
    made: list[int] = []
    enough = asyncio.Event()

    async def add_notices(rows: list[Row]) -> None:
        made.append(len(rows))
        if sum(made) == len(jobs):
            enough.set()

    scheduler = SimpleNamespace(
        feed=Feed(),
        core=SimpleNamespace(jobs=jobs),
        details=dict.fromkeys(jobs, details),
        clock=SimpleNamespace(rate=1.0, now_us=lambda: 9 * SECOND_US),
        add_notices=add_notices,
    )
    running = asyncio.create_task(LimitMails(cast("Scheduler", scheduler)).run())
    await enough.wait()
    running.cancel()
    await asyncio.wait([running])
    assert made == [500, 500, 201]
