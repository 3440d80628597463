"""Programs of Slurm that hold a job and are killed by SIGKILL, which they cannot hear."""

from __future__ import annotations

import subprocess

import psutil
import pytest

from tests.client.slurm.site import SlurmSite
from tests.waiting import wait_until

pytestmark = [pytest.mark.live, pytest.mark.slow]


@pytest.mark.parametrize("program", ["salloc", "srun"])
@pytest.mark.parametrize("state", ["PENDING", "RUNNING"])
def test_a_job_whose_program_is_killed_is_cancelled(
    site: SlurmSite, program: str, state: str
) -> None:
    """Such a job waited for its nodes, and held them until its limit, for nobody."""
    others = ["-N4", "--exclusive"] if state == "PENDING" else ["-n1"]
    other = site.submit(*others, "--wrap", "exec sleep 600")
    site.wait_for(other, "RUNNING")
    words = [str(site.bin / program), "-J", "mine", "sleep", "600"]
    with subprocess.Popen(words, env=site.daemon.env, cwd=site.daemon.work) as holding:
        [job] = wait_until(lambda: site.daemon.client.jobs(name="mine", states=state))
        beside = wait_until(psutil.Process(holding.pid).children)  # the guardian is there
        holding.kill()
    try:
        assert site.daemon.wait(job["job_id"])["state"] == "CANCELLED"
    finally:
        site.daemon.end_jobs()
    for one in beside:
        if one.is_running() and one.name() == "sleep":  # the command of salloc
            one.kill()
    _, left = psutil.wait_procs(beside, timeout=60)
    assert not left


def test_an_allocation_without_a_shell_outlives_its_program(site: SlurmSite) -> None:
    done = site.run("salloc", "--no-shell", "-J", "kept", "-n", "1")
    assert done.returncode == 0, done.stderr
    [job] = site.daemon.client.jobs(name="kept")
    assert job["state"] == "RUNNING"
    site.out("scancel", str(job["job_id"]))
