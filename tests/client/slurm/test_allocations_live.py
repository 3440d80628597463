"""The conversation of HyperQueue's automatic allocation with Slurm's commands: a script of workers
on several nodes, and `scontrol show job`, of which it reads a state and two times."""

from __future__ import annotations

import re
import time

import pytest

from tests.client.slurm.site import SlurmSite

pytestmark = pytest.mark.live

_SCRIPT = """\
#!/bin/bash
#SBATCH --nodes=2
#SBATCH --job-name=hq-1-1
#SBATCH --output={folder}/stdout
#SBATCH --error={folder}/stderr
#SBATCH --time=00:10:00
#SBATCH --cpus-per-task=1

srun --overlap --ntasks=2 --nodes=2 {worker}"""
_ENDS = ("COMPLETED", "CANCELLED", "FAILED", "TIMEOUT")


def _submit(site: SlurmSite, worker: str) -> str:
    """Submit an allocation, and return its number as HyperQueue reads it."""
    script = site.daemon.work / "hq-submit.sh"
    script.write_text(_SCRIPT.format(folder=site.daemon.work, worker=worker))
    lines = site.out("sbatch", str(script)).splitlines()
    found = next(line for line in lines if line.lower().startswith("submitted batch job"))
    return found.split(" ")[3]


def _state(site: SlurmSite, job: str) -> str:
    """Return the state of an allocation. If it is over, both times can be read."""
    items: dict[str, str] = dict(
        re.findall(r"(\S+?)=(\S*)", site.out("scontrol", "show", "job", job))
    )
    if items["JobState"] in _ENDS:
        for name in ("StartTime", "EndTime"):
            time.strptime(items[name], "%Y-%m-%dT%H:%M:%S")
    return items["JobState"]


def test_an_allocation_of_two_nodes_runs_a_worker_on_each(site: SlurmSite) -> None:
    job = _submit(site, "sh -c 'echo worker $SLURM_PROCID of $SLURM_NTASKS'")
    site.wait(job)
    assert _state(site, job) == "COMPLETED"
    said = (site.daemon.work / "stdout").read_text().splitlines()
    assert sorted(said) == ["worker 0 of 2", "worker 1 of 2"]


def test_an_allocation_is_taken_back(site: SlurmSite) -> None:
    job = _submit(site, "sleep 600")
    site.wait_for(job, "RUNNING")
    assert _state(site, job) == "RUNNING"
    site.out("scancel", job)
    site.wait(job)
    assert _state(site, job) == "CANCELLED"


def test_an_allocation_is_taken_back_before_its_start(site: SlurmSite) -> None:
    held = site.submit("-H", "--wrap", "true")
    assert _state(site, held) == "PENDING"
    site.out("scancel", held)
    assert _state(site, held) == "CANCELLED"
