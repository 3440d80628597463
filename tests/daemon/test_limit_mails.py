"""Mails that a job has used a part of its time limit, by model time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

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
