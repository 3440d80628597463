"""Heterogeneous jobs, with a real daemon: what Slurm 22.05 says and does is the measure."""

from __future__ import annotations

import re
import shlex

import pytest

from rmsd_wire.hostlist import expand
from tests.client.slurm.site import SlurmSite

pytestmark = pytest.mark.live

_SCRIPT = """#!/bin/bash
#SBATCH -N 2 -n 3 -J first -o het-%j
#SBATCH hetjob
#SBATCH -N 1 -n 2 -J second
"""


def _end(site: SlurmSite, job: str) -> str:
    """Return the state that all components of a job have at its end."""
    [state] = {line.split()[0] for line in site.wait(job).splitlines()}
    return state


def _lines(text: str) -> list[str]:
    return sorted(text.splitlines())


def test_a_script_has_the_variables_of_its_components(site: SlurmSite) -> None:
    script = site.write("variables.sh", _SCRIPT + "env | grep ^SLURM_")
    job = site.submit(script)
    assert _end(site, job) == "COMPLETED"
    env = dict(line.split("=", 1) for line in site.read(f"het-{job}").splitlines())
    nodes = expand(site.job(job)["nodelist"])
    first, second = (expand(env[f"SLURM_JOB_NODELIST_HET_GROUP_{i}"]) for i in (0, 1))
    assert [*first, *second] == nodes
    assert expand(env["SLURM_JOB_NODELIST"]) == expand(env["SLURM_NODELIST"]) == first
    wanted = {
        "SLURM_HET_SIZE": "2", "SLURM_NNODES": "2", "SLURM_NTASKS": "3", "SLURM_JOB_NAME": "first",
        "SLURM_TASKS_PER_NODE": "2,1", "SLURM_JOB_CPUS_PER_NODE": "2(x2)",
        "SLURM_JOB_NUM_NODES_HET_GROUP_1": "1", "SLURM_NTASKS_HET_GROUP_1": "2",
        "SLURM_NPROCS_HET_GROUP_0": "3", "SLURM_TASKS_PER_NODE_HET_GROUP_0": "2,1",
        "SLURM_JOB_NAME_HET_GROUP_1": "second", "SLURM_JOB_ID_HET_GROUP_1": job,
        "SLURM_JOB_CPUS_PER_NODE_HET_GROUP_1": "2", "SLURM_PACK_SIZE": "2",
        "SLURM_NTASKS_PACK_GROUP_1": "2", "SLURM_JOB_PARTITION_HET_GROUP_1": "main",
    }  # fmt: skip
    assert {name: env.get(name) for name in wanted} == wanted


def test_steps_run_on_the_components_that_they_name(site: SlurmSite) -> None:
    tell = "'echo $0 $SLURM_PROCID $SLURM_NTASKS $SLURM_NNODES $SLURM_JOB_NAME $SLURMD_NODENAME'"
    script = site.write(
        "steps.sh",
        _SCRIPT
        + f"srun sh -c {tell} a\n"
        + f"srun --het-group=0,1 sh -c {tell} b\n"
        + f"srun --het-group=1 sh -c {tell} c : --het-group=0 -n 1 -N 1 sh -c {tell} d\n"
        + "srun --pack-group=1 env > in-second\n"
        + "srun --het-group=2 true\necho $?\nsrun true : --het-group=0 true\necho $?\n"
        + "srun --het-group=0,1 sh -c 'exit $SLURM_PROCID'\n",
    )
    job = site.submit(script)
    assert _end(site, job) == "FAILED"
    nodes = expand(site.job(job)["nodelist"])
    lines = site.read(f"het-{job}").splitlines()
    told = sorted(line for line in lines if re.match("[a-d] ", line))
    on = [nodes[0], nodes[0], nodes[1], nodes[2], nodes[2]]
    assert told == [
        *(f"a {rank} 3 2 first {on[rank]}" for rank in range(3)),
        *(f"b {rank} 5 3 {'first' if rank < 3 else 'second'} {on[rank]}" for rank in range(5)),
        *(f"c {rank} 3 2 second {nodes[2]}" for rank in (1, 2)),
        f"d 0 3 2 first {nodes[0]}",
    ]
    others = [line for line in lines if not re.match("[a-d] ", line)]
    assert others[:4] == [
        "srun: error: Requested het-group offset exceeds highest hetjob index (2 > 1)", "1",
        "srun: fatal: Duplicate het groups in single srun not supported", "1",
    ]  # fmt: skip
    assert f"srun: error: {nodes[2]}: task 4: Exited with exit code 4" in others[4:]
    env = set(site.read("in-second").splitlines())
    assert {f"SLURM_JOB_NODELIST={nodes[2]}", "SLURM_JOB_NUM_NODES=1", "SLURM_HET_SIZE=2"} <= env
    rows = site.out("sacct", "-n", "-P", "-o", "JobID,NTasks,NNodes,NodeList,TotalCPU", "-j", job)
    found = [row.split("|") for row in rows.splitlines()]
    numbers = ["", ".batch", ".0", ".1", ".2", ".4"]
    assert [row[0] for row in found] == [
        *(f"{job}+0{number}" for number in numbers),
        *(f"{job}+1{number}" for number in ("", ".1", ".2", ".3", ".4")),
    ]
    by_id = {row[0]: row[1:] for row in found}
    assert by_id[f"{job}+1.1"] == ["2", "1", nodes[2], ""]
    assert by_id[f"{job}+0.2"] == ["1", "1", nodes[0], ""]
    assert by_id[f"{job}+1"][3] == ""


def test_components_are_rows_and_end_with_their_job(site: SlurmSite) -> None:
    script = site.write("rows.sh", _SCRIPT + "exec sleep 1000\n")
    job = site.submit("--hold", script)
    told = ("squeue", "-h", "-o", "%i|%A|%j|%C|%D|%N")
    waiting = [f"{job}+0|{job}|first|4|2|", f"{job}+1|{job}|second|2|1|"]
    assert site.out(*told, "-j", job).splitlines() == waiting
    assert set(waiting) <= set(site.out(*told).splitlines())
    done = site.run("scontrol", "update", f"JobId={job}", "NumNodes=4")
    assert "cannot be changed: the job has 'parts'" in done.stderr
    site.out("scontrol", "release", job)
    site.wait_for(f"{job}+1", "RUNNING")
    nodes = expand(site.job(job)["nodelist"])
    assert site.out(*told, "-j", f"{job}+1") == f"{job}+1|{job}|second|2|1|{nodes[2]}\n"
    shown = site.out("scontrol", "-o", "show", "job", f"{job}+1")
    assert shown.startswith(
        f"JobId={job} HetJobId={job} HetJobOffset=1 JobName=second HetJobIdSet={job} "
    )
    assert f"NodeList={nodes[2]} BatchHost={nodes[2]} NumNodes=1 NumCPUs=2 NumTasks=2" in shown
    fields = "hetjobid:|,hetjoboffset:|,hetjobidset:|"
    assert site.out("squeue", "-h", "-O", fields, "-j", f"{job}+1") == f"{job}|1|{job}|\n"
    done = site.run("squeue", "-j", f"{job}+2")
    assert done.stderr == "slurm_load_jobs error: Invalid job id specified\n"
    for words in (("scancel", f"{job}+1"), ("scontrol", "hold", f"{job}+0")):
        done = site.run(*words)
        assert done.returncode == 1
        assert f"are changed and ended together; name the job, {job}" in done.stderr
    site.out("scancel", job)
    assert _end(site, job) == "CANCELLED"


def test_jobs_of_salloc_and_srun_have_components(site: SlurmSite) -> None:
    tell = "echo $0 $SLURM_PROCID $SLURM_NTASKS $SLURM_HET_SIZE"
    lines = _lines(
        site.out("srun", "-n1", "sh", "-c", tell, "a", ":", "-N2", "sh", "-c", tell, "b")
    )
    assert lines == ["a 0 3 2", "b 1 3 2", "b 2 3 2"]
    assert site.run("srun", "-n1", ":", "-n1", "sh", "-c", "exit 3").returncode == 3
    inner = shlex.join(["srun", "sh", "-c", tell, "c", ":", "sh", "-c", tell, "d"])
    words = (
        f"echo $SLURM_NTASKS $SLURM_NNODES_HET_GROUP_1; {inner}; srun sh -c {shlex.quote(tell)} e"
    )
    found = site.out("salloc", "-Q", "-n1", ":", "-n1", "sh", "-c", words)
    assert _lines(found) == ["2 1", "c 0 2 2", "d 1 2 2", "e 0 1 2"]


def test_tasks_of_components_may_have_different_numbers_of_processors(site: SlurmSite) -> None:
    script = site.write(
        "hybrid.sh",
        "#!/bin/bash\n#SBATCH -n1 -c4 -o hybrid-%j\n#SBATCH hetjob\n#SBATCH -n4 -c1\n"
        "env | grep CPUS_PER_TASK_HET\n"
        "scontrol show job $SLURM_JOB_ID | grep -o 'NumCPUs.*CPUs/Task=.'\n"
        "srun --het-group=0,1 sh -c 'echo $SLURM_PROCID/$SLURM_NTASKS $SLURMD_NODENAME'\n",
    )
    job = site.submit(script)
    assert _end(site, job) == "COMPLETED"
    nodes = expand(site.job(job)["nodelist"])
    assert _lines(site.read(f"hybrid-{job}")) == [
        f"0/5 {nodes[0]}",
        *(f"{rank}/5 {nodes[1]}" for rank in range(1, 5)),
        "NumCPUs=4 NumTasks=1 CPUs/Task=4",
        "NumCPUs=4 NumTasks=4 CPUs/Task=1",
        "SLURM_CPUS_PER_TASK_HET_GROUP_0=4",
        "SLURM_CPUS_PER_TASK_HET_GROUP_1=1",
    ]


def test_a_step_of_several_programs_is_on_other_nodes_for_each(site: SlurmSite) -> None:
    script = site.write(
        "mpmd.sh",
        "#!/bin/bash\n#SBATCH -N 2 -n 2 -o mpmd-%j\nsrun true : true\n"
        "srun -N1 -n1 -l --output=%j.a sh -c 'echo $SLURMD_NODENAME' : "
        "-N1 -n1 --output=%j.b sh -c 'echo $SLURMD_NODENAME $SLURM_HET_SIZE'\n",
    )
    job = site.submit(script)
    assert site.wait(job) == "COMPLETED"
    assert site.read(f"mpmd-{job}") == (
        "srun: error: Allocation failure of 1 nodes: job size of 2, already allocated 2 nodes to "
        "previous components.\n"
    )
    nodes = expand(site.job(job)["nodelist"])
    assert site.read(f"{job}.a") == f"0: {nodes[0]}\n"
    assert site.read(f"{job}.b") == f"1: {nodes[1]}\n"


def test_components_that_differ_on_a_node_are_refused(site: SlurmSite) -> None:
    script = site.write("never.sh", "#!/bin/sh\n")
    for program in ("sbatch", "salloc", "srun"):
        done = site.run(program, "-n1", "--mem=1G", ":", "-n1", "--mem=2G", script)
        assert done.returncode == 1
        assert f"{program}: error: components 0 and 1 differ in --mem: 1G and 2G" in done.stderr
