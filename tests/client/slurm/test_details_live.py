"""`scontrol -d show job`, and the scripts of jobs, as recorded of Slurm 22.05.8."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any

import pytest

from rmsd_client.slurm.show.job_details import MOST_ASKED, JobDetails
from rmsd_client.slurm.show.show import job_lines
from tests.client.shown_jobs import job as shown_job
from tests.client.slurm.site import SlurmSite
from tests.live import Daemon

_RULE = "-" * 80


class _Steps:
    """A client of a daemon that knows of no steps. `bound`: what its nodes tell of processors."""

    def __init__(self, **bound: str) -> None:
        self._bound = bound

    def step_replies(self, _ids: object) -> list[dict[str, Any]]:
        worst = {"job_id": 42, "attempt": 1, "exit_code": 3, "signal": 0}
        return [{"steps": [], "worst": [worst], "known_from_us": 0}]

    def use(self, _job_id: int) -> dict[str, Any]:
        return {"nodes": [{"node": name, "processors": text} for name, text in self._bound.items()]}


def _lines(client: Any, *, asks_nodes: bool = True, **changes: Any) -> list[str]:
    about = shown_job(partition="main", eligible_us=1, **changes)
    found = job_lines({"conditions": None, "request": [], **about},
                      JobDetails(client, [about], asks_nodes=asks_nodes))  # fmt: skip
    kept = ("JOB_GRES", "  Nodes=", "DerivedExitCode", "TRES=")
    return [line for line in found if line.startswith(kept)]


def test_nodes_that_are_alike_have_one_line() -> None:
    gres = ["gpu:a100:0,1"] * 2 + ["gpu:a100:1;fpga:0"]
    assert _lines(_Steps(n1="0-7", n2="0-7", n3="2"), nodelist="n[1-3]", node_cpus=[8, 8, 1],
                  cpus=17, nodes=3, node_gres=gres) == [
        "DerivedExitCode=3:0",
        "TRES=cpu=17,mem=6G,node=3,billing=17",
        "JOB_GRES=gpu:a100:5,fpga:1",
        "  Nodes=n[1-2] CPU_IDs=0-7 Mem=2048 GRES=gpu:a100:2(IDX:0-1)",
        "  Nodes=n3 CPU_IDs=2 Mem=2048 GRES=gpu:a100:1(IDX:1),fpga:1(IDX:0)",
    ]  # fmt: skip


def test_the_nodes_of_many_jobs_are_not_asked() -> None:
    client: Any = _Steps(n1="0-3", n2="0-1")
    for count, ids in ((MOST_ASKED, "0-3"), (MOST_ASKED + 1, "N/A")):
        many = [shown_job(job_id=42 + at) for at in range(count)]
        [_, line, *_] = JobDetails(client, many, asks_nodes=True).lines(many[-1])
        assert f"CPU_IDs={ids} " in line


def test_whole_nodes_have_the_memory_of_each() -> None:
    assert _lines(_Steps(), asks_nodes=False, node_mem_mib=[2048, 1024])[1:] == [
        "TRES=cpu=6,mem=3G,node=2,billing=6",
        "JOB_GRES=(null)",
        "  Nodes=n1 CPU_IDs=N/A Mem=2048 GRES=",
        "  Nodes=n2 CPU_IDs=N/A Mem=1024 GRES=",
    ]


def test_a_job_that_waits_has_no_lines_of_nodes(site: SlurmSite) -> None:
    job = site.submit("-H", "--wrap", "true")
    lines = site.out("scontrol", "show", "job", "-d", job).splitlines()
    assert lines[lines.index("   DerivedExitCode=0:0") + 1].startswith("   RunTime=00:00:00 ")
    assert not any("JOB_GRES" in line or "Nodes=" in line.split("Num")[0] for line in lines)
    site.out("scancel", job)


def test_the_details_of_a_job_that_runs(site: SlurmSite) -> None:
    job = site.submit("-N", "2", "--mem=100", "-p", "short", "--wrap", "exec sleep 1000")
    site.wait_for(job, "RUNNING")
    plain = site.out("scontrol", "show", "job", job).splitlines()
    detailed = site.out("scontrol", "-dd", "show", "job", job).splitlines()
    added = ["   DerivedExitCode=0:0", "   JOB_GRES=(null)",
             "     Nodes=e[1-2] CPU_IDs=N/A Mem=100 GRES="]  # fmt: skip
    assert [line for line in detailed if line not in plain and "RunTime" not in line] == added
    [line] = site.out("scontrol", "-o", "-d", "show", "job", job).splitlines()
    assert " JOB_GRES=(null)   Nodes=e[1-2] CPU_IDs=N/A Mem=100 GRES= MinCPUsNode=1 " in line
    said = site.run("scontrol", stdin=f"details\nshow job {job}\n").stdout
    assert "\n   JOB_GRES=(null)\n     Nodes=e[1-2] " in said
    site.out("scancel", job)


@pytest.mark.slow
def test_the_processors_of_a_job_are_those_that_it_may_use(
    start_daemon: Callable[..., Daemon],
) -> None:
    """The node is asked: nobody else knows. An answer for all jobs asks no node."""
    cores = f"cores = {len(os.sched_getaffinity(0))}\n"
    daemon = start_daemon(config=f'kill_grace = "1s"\n{cores}', begin=False)
    for name in ("XDG_RUNTIME_DIR", "TMPDIR"):
        daemon.env[name] = str(daemon.root)
    site = SlurmSite(daemon.start())
    job = site.submit("-o", "set", "--wrap", 'taskset -cp $$ | sed "s/.*: //"; exec sleep 1000')
    site.wait_for(job, "RUNNING")
    [bound] = re.findall(
        r"Nodes=\S+ CPU_IDs=(\S+) ", site.out("scontrol", "show", "job", "-d", job)
    )
    assert "CPU_IDs=N/A" in site.out("scontrol", "show", "job", "-d")
    while not (told := site.read("set").strip()):
        site.out("sstat", "-j", job)
    assert bound == told


def test_scripts_are_written_as_they_were_submitted(site: SlurmSite) -> None:
    text = "#!/bin/bash\n#SBATCH -o /dev/null\necho two # \u00e9\n"
    job = site.submit("-H", site.write("two.sh", text))
    said = site.out("scontrol", "write", "batch_script", job)
    assert said == f"batch script for job {job} written to slurm-{job}.sh\n"
    assert site.read(f"slurm-{job}.sh") == text
    assert site.out("scontrol", "write", "batch_script", job, "-") == text
    array = site.submit("-H", "-a", "1-2", "two.sh")
    assert site.out("scontrol", "write", "batch_script", f"{array}_1", "-") == text
    for number in (job, array):
        site.out("scancel", number)
    assert site.out("sacct", "-B", "-j", job) == f"Batch Script for {job}\n{_RULE}\n{text}\n"


def test_scripts_that_are_not_there(site: SlurmSite) -> None:
    done = site.run("scontrol", "write", "batch_script", "99999")
    why = "job script retrieval failed: Invalid job id specified\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, "", why)
    done = site.run("scontrol", "write", "nosuch")
    assert (done.returncode, done.stderr) == (1, "invalid write argument:nosuch\n")
    done = site.run("sacct", "-B")
    assert (done.returncode, done.stdout) == (1, "")
    assert "you must also request specific jobs" in done.stderr
    long = site.write("long.sh", "#!/bin/sh\n" + "# a comment\n" * 6000)
    job = site.submit("-H", long)
    done = site.run("scontrol", "write", "batch_script", job)
    assert done.returncode == 1
    assert f"the script of job {job} is longer than 65536 characters" in done.stderr
    site.out("scancel", job)
