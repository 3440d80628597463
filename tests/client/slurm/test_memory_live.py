"""Memory for each processor, as Slurm 22.05 tells of it under CR_CPU_Memory."""

from __future__ import annotations

import json

import pytest

from tests.client.slurm.site import SlurmSite

_EXCLUDED = "--mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive.\n"


def test_all_commands_tell_the_memory_of_a_processor(site: SlurmSite) -> None:
    words = ("-n", "3", "-c", "2", "-o", "/dev/null", "--wrap", "exec sleep 1000")
    job = site.submit("--mem-per-cpu", "150", *words)
    site.wait_for(job, "RUNNING")
    assert site.out("squeue", "-h", "-j", job, "-o", "%m|%C").strip() == "150M|6"
    assert site.out("squeue", "-h", "-o", "%A %m").splitlines().count(f"{job} 150M") == 1
    assert site.out("squeue", "-h", "-j", job, "-O", "MinMemory,TRES-Alloc:40").split() == [
        "150M",
        "cpu=6,mem=900M,node=1,billing=6",
    ]
    shown = site.out("scontrol", "show", "job", job)
    assert "MinCPUsNode=2 MinMemoryCPU=150M MinTmpDiskNode=0" in shown
    assert "TRES=cpu=6,mem=900M,node=1,billing=6" in shown
    [row] = site.out("sacct", "-X", "-P", "-n", "-j", job, "-o", "ReqMem,ReqTRES,AllocTRES").split()
    tres = "billing=6,cpu=6,mem=900M,node=1"
    assert row == f"900M|{tres}|{tres}"
    [view] = json.loads(site.out("squeue", "-j", job, "--json"))["jobs"]
    assert (view["memory_per_cpu"], view["memory_per_node"]) == (150, None)
    [accounted] = json.loads(site.out("sacct", "-j", job, "--json"))["jobs"]
    assert accounted["required"] == {"CPUs": 6, "memory": 150}
    assert [one["count"] for one in accounted["tres"]["requested"]] == [6, 900, 1, 6]
    site.out("scancel", job)


def test_a_waiting_job_gets_other_memory(site: SlurmSite) -> None:
    """What Slurm shows of requests after the same changes, as recorded of a real one."""
    job = site.submit("-H", "-n", "4", "--mem-per-cpu", "1G", "--wrap", "true")
    for change, memory, tres in (
        ("NumTasks=6", "CPU=1G", "mem=6G"),
        ("MinMemoryCPU=50", "CPU=50M", "mem=300M"),
        ("MinMemoryNode=500", "Node=500M", "mem=500M"),
    ):
        site.out("scontrol", "update", f"JobId={job}", change)
        shown = site.out("scontrol", "show", "job", job)
        assert f" MinMemory{memory} " in shown, change
        assert f",{tres}," in shown, change
    site.out("scancel", job)


def test_memory_is_asked_for_in_one_way(site: SlurmSite) -> None:
    script = site.write("mem.sh", "#!/bin/sh\n#SBATCH --mem=64\ntrue\n")
    for words in (
        ("sbatch", "--mem-per-cpu=100", script),
        ("srun", "--mem=5", "--mem-per-cpu=5", "true"),
        ("salloc", "--mem=5", "--mem-per-gpu=5", "true"),
    ):
        done = site.run(*words)
        assert (done.returncode, done.stderr) == (1, f"{words[0]}: fatal: {_EXCLUDED}")
    for words, memory in (((script,), "64M"), (("--mem", "80", "--wrap", "true"), "80M"),
                          (("--wrap", "true"), "70M")):  # fmt: skip
        job = site.submit("-H", *words, SBATCH_MEM_PER_CPU="70")
        assert site.out("squeue", "-h", "-j", job, "-o", "%m").strip() == memory
        site.out("scancel", job)


@pytest.mark.parametrize("words", [("srun",), ("salloc", "-Q")])
def test_commands_that_hold_a_job_tell_its_memory(site: SlurmSite, words: tuple[str, ...]) -> None:
    told = site.out(*words, "-n", "2", "--mem-per-cpu=33", "sh", "-c", "env | grep ^SLURM_MEM_")
    assert set(told.split()) == {"SLURM_MEM_PER_CPU=33"}
