"""`sacct` and `seff` of jobs that a real daemon has run."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.client.slurm.site import SlurmSite
from tests.live import Daemon
from tests.waiting import wait_until

pytestmark = pytest.mark.live


@pytest.mark.slow
def test_the_derived_exit_code_is_the_highest_one_of_the_steps(site: SlurmSite) -> None:
    job = site.submit("-o", "/dev/null", "--wrap", "srun false; srun sh -c 'exit 5'; exit 0")
    assert site.wait(job) == "COMPLETED"
    fields = ("-n", "-P", "-o", "JobID,ExitCode,DerivedExitCode", "-j", job)
    assert site.out("sacct", "-X", *fields) == f"{job}|0:0|5:0\n"
    assert site.out("sacct", *fields).splitlines() == [
        f"{job}|0:0|5:0", f"{job}.batch|0:0|", f"{job}.0|1:0|", f"{job}.1|5:0|",
    ]  # fmt: skip
    [told] = json.loads(site.out("sacct", "--json", "-j", job))["jobs"]
    assert told["derived_exit_code"] == {"status": "ERROR", "return_code": 5}
    for words in (("squeue", "-t", "all", "-j", job), ("scontrol", "show", "job", job)):
        [told] = json.loads(site.out(*words, "--json"))["jobs"]
        assert (told["exit_code"], told["derived_exit_code"]) == (0, 5 << 8)
    script_alone = site.submit("-o", "/dev/null", "--wrap", "exit 3")
    assert site.wait(script_alone) == "FAILED"
    found = site.out("sacct", "-X", "-n", "-P", "-o", "DerivedExitCode", "-j", script_alone)
    assert found == "0:0\n"


@pytest.mark.slow
def test_the_derived_exit_code_outlives_the_daemon(start_daemon: Callable[..., Daemon]) -> None:
    """One job is over before the daemon is killed, one has ended a step, and the step of one
    runs."""
    daemon = start_daemon("--no-local-node", "--emulate", "2x8")
    site = SlurmSite(daemon)
    wait = "touch $SLURM_JOB_ID; until [ -e go ]; do sleep 0.05; done"
    over, between, within = jobs = [
        site.submit("-o", "/dev/null", "--wrap", script)
        for script in (
            "srun false; srun sh -c 'exit 5'; exit 0",
            f"srun sh -c 'exit 7'; {wait}; srun sh -c 'exit 3'; exit 0",
            f"srun sh -c '{wait}; exit 9'; exit 0",
        )
    ]
    assert site.wait(over) == "COMPLETED"
    wait_until(lambda: all((daemon.work / job).exists() for job in (between, within)))
    daemon.kill()
    daemon.start()
    (daemon.work / "go").touch()
    assert {site.wait(job) for job in jobs} == {"COMPLETED"}
    fields = ("-X", "-n", "-P", "-o", "JobID,DerivedExitCode")
    assert site.out("sacct", *fields, "-j", ",".join(jobs)).splitlines() == [
        f"{over}|5:0", f"{between}|7:0", f"{within}|9:0",
    ]  # fmt: skip


def test_the_memory_of_a_job_is_that_of_all_its_nodes(site: SlurmSite) -> None:
    job = site.submit("-N2", "-n4", "--mem=100M", "-o", "/dev/null", "--wrap", "true")
    assert site.wait(job) == "COMPLETED"
    shown = site.out("sacct", "-X", "-n", "-P", "-o", "ReqMem,ReqTRES", "-j", job)
    assert shown == "200M|billing=4,cpu=4,mem=200M,node=2\n"
    efficiency = site.out("seff", job)
    assert " of 200.00 MB (100.00 MB/node)\n" in efficiency
    assert " (estimated maximum)\n" in efficiency
    one_node = site.submit("-n4", "-N1", "--mem=100M", "-o", "/dev/null", "--wrap", "true")
    assert site.wait(one_node) == "COMPLETED"
    assert " of 100.00 MB (100.00 MB/node)\n" in site.out("seff", one_node)


@pytest.mark.slow
def test_a_job_that_could_not_be_launched_has_slurms_exit_code(site: SlurmSite) -> None:
    job = site.submit("-o", "/proc/nosuch/out", "--wrap", "true")
    assert site.wait(job) == "FAILED"
    assert site.out("sacct", "-X", "-n", "-P", "-o", "ExitCode", "-j", job) == "0:53\n"
    assert " ExitCode=0:53 " in site.out("scontrol", "-o", "show", "job", job)
    [told] = json.loads(site.out("sacct", "--json", "-j", job))["jobs"]
    assert told["exit_code"]["signal"]["signal_id"] == 53
