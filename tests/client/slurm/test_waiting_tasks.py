"""The waiting tasks of arrays in `squeue -r`, which the daemon tells in one row."""

from __future__ import annotations

import pytest

from rmsd_client.slurm.words.waiting_tasks import apart, are_whole
from tests.client.slurm.site import SlurmSite


def test_a_list_that_is_cut_off_is_not_whole() -> None:
    assert are_whole([{}, {"array_task_str": "0-9%2"}])
    assert not are_whole([{"array_task_str": "1,3,5,..."}])


def test_other_jobs_are_as_they_are() -> None:
    jobs = [{"job_id": 1, "array_task_id": None}, {"job_id": 3, "array_task_id": 7}]
    assert list(apart(jobs)) == jobs


@pytest.mark.slow
@pytest.mark.live
def test_tasks_are_those_that_the_daemon_tells_apart(site: SlurmSite) -> None:
    """The first array is shown with a list that is cut off, and asked for again."""
    long = ",".join(str(index) for index in range(1, 99, 2))
    for tasks in (f"{long}", "0-5:2,9%1"):
        job = site.submit("-H", "-a", tasks, "-o", "of-%A-%a", "--wrap", "true")
        wanted = [one for one in site.daemon.client.jobs(apart=True)
                  if one["array_job_id"] == int(job)]  # fmt: skip
        lines = site.out("squeue", "-h", "-r", "-t", "PD", "-O", "jobarrayid:|,stdout:|,reason:")
        shown = [
            line.rstrip().split("|") for line in lines.splitlines() if line.startswith(f"{job}_")
        ]
        assert shown == [
            [f"{job}_{one['array_task_id']}", one["stdout"], "JobHeldUser"] for one in wanted
        ]
        site.out("scancel", job)
