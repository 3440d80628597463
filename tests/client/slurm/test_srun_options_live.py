"""Options of `srun` as processes, with a real daemon: --multi-prog, and the limit of a step."""

from __future__ import annotations

import re

import pytest

from tests.client.slurm.site import SlurmSite
from tests.waiting import wait_until

pytestmark = pytest.mark.live


@pytest.mark.slow
def test_tasks_run_the_programs_of_a_file(site: SlurmSite) -> None:
    programs = site.write(
        "multi.conf", "# ranks\n0 sh -c 'echo first $SLURM_PROCID'\n1-2 echo other %t %o\n"
    )
    wanted = ["0: first 0", "1: other 1 0", "2: other 2 1"]
    assert sorted(site.out("srun", "-l", "--multi-prog", programs).splitlines()) == wanted
    job = site.submit(
        "-n", "3", "-o", "multi-%j", "--wrap",
        f"srun -l --multi-prog {programs}; srun -n2 --multi-prog {programs}",
    )  # fmt: skip
    assert site.wait(job) == "FAILED"
    lines = site.read(f"multi-{job}").splitlines()
    assert sorted(lines[:3]) == wanted
    error = f"srun: error: Configuration file {programs} invalid, there is no task 2 among 2"
    assert lines[-1] == error
    rows = site.out("sacct", "-P", "-n", "-o", "JobName,State", "-j", job).splitlines()
    assert rows[2:] == ["multi.conf|COMPLETED"]


@pytest.mark.slow
def test_tasks_have_the_fewest_nodes_of_a_range_that_can_hold_them(site: SlurmSite) -> None:
    cores = int(site.out("sinfo", "-h", "-N", "-o", "%c").split()[0])
    tasks = str(cores + 1)
    ran = site.out("srun", "-N", "1-9", "-n", tasks, "printenv", "SLURM_JOB_NUM_NODES")
    assert ran.split() == ["2"] * (cores + 1)
    job = site.submit(
        "-N", "2", "-n", "2", "-o", "range-%j", "--wrap",
        "srun -N 1-2 -n 2 printenv SLURMD_NODENAME; srun -N 2-1 -n 2 true",
    )  # fmt: skip
    assert site.wait(job) == "FAILED"
    *nodes, error = site.read(f"range-{job}").splitlines()
    assert len(set(nodes)) == 2
    assert error == "srun: error: Invalid --nodes specification"


@pytest.mark.slow
def test_a_step_ends_at_its_own_limit(site: SlurmSite) -> None:
    job = site.submit(
        "-n", "1", "-o", "limit-%j", "--wrap",
        "srun -t 0:01 sleep 600; echo code $?; srun -t 10 true; srun -t x true",
    )  # fmt: skip
    assert site.wait(job) == "FAILED"
    told = site.read(f"limit-{job}").splitlines()
    node = site.job(job)["nodelist"]
    assert re.fullmatch(
        rf"slurmstepd-{node}: error: \*\*\* STEP {job}\.0 ON {node} CANCELLED AT "
        r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d DUE TO TIME LIMIT \*\*\*",
        told[0],
    )
    assert told[1:3] == [f"srun: error: {node}: task 0: Terminated", "code 143"]
    assert told[3].startswith("srun: error: Invalid --time specification")
    rows = site.out("sacct", "-P", "-n", "-o", "JobID,State,ExitCode", "-j", job).splitlines()
    assert rows[2:] == [f"{job}.0|TIMEOUT|0:15", f"{job}.1|COMPLETED|0:0"]


def test_a_job_has_one_variable_of_its_memory(site: SlurmSite) -> None:
    script = site.write(
        "memory.sh",
        "#!/bin/bash\n#SBATCH -o mem-%j\nenv | grep ^SLURM_MEM_\nsrun env | grep ^SLURM_MEM_\n"
        "if [ $1 ]; then sbatch -W -o inner-$SLURM_JOB_ID $1 memory.sh; fi\n",
    )
    job = site.submit("-c", "2", "--mem-per-cpu", "100", script, "--mem=64")
    assert site.wait(job) == "COMPLETED"
    assert site.read(f"mem-{job}").splitlines()[:2] == ["SLURM_MEM_PER_CPU=100"] * 2
    assert set(site.read(f"inner-{job}").split()) == {"SLURM_MEM_PER_NODE=64"}
    job = site.submit("--mem", "64", script, "--mem-per-cpu=100")
    assert site.wait(job) == "COMPLETED"
    assert site.read(f"mem-{job}").splitlines()[:2] == ["SLURM_MEM_PER_NODE=64"] * 2
    assert set(site.read(f"inner-{job}").split()) == {"SLURM_MEM_PER_CPU=100"}


def test_the_limit_of_srun_outside_of_a_job_is_its_jobs(site: SlurmSite) -> None:
    [number] = site.out("srun", "-t", "7", "sh", "-c", "echo $SLURM_JOB_ID").split()
    assert site.job(number)["time_limit_s"] == 420


def test_variables_of_a_user_count_for_the_job_that_srun_makes(site: SlurmSite) -> None:
    """Sites have users export SLURM_ACCOUNT beside SBATCH_ACCOUNT."""
    said = {"SLURM_ACCOUNT": "chem", "SLURM_TIMELIMIT": "7", "SLURM_NTASKS": "2"}
    tasks = site.out("srun", "-t", "8", "sh", "-c", "echo $SLURM_JOB_ID", **said).split()
    assert len(tasks) == 2
    job = site.job(tasks[0])
    assert (job["account"], job["tasks"], job["time_limit_s"]) == ("chem", 2, 480)


@pytest.mark.slow
def test_scontrol_shows_the_steps_that_run(site: SlurmSite) -> None:
    step = "srun -n1 -J first sleep 600 & srun -n1 sleep 601 &"
    job = site.submit("-n", "2", "-o", "shown-%j", "--wrap", f"{step} wait")

    def shown(name: str) -> list[str]:
        done = site.run("scontrol", "-o", "show", "step", name)
        return sorted(line.split()[0] for line in done.stdout.splitlines())

    every = [f"StepId={job}.{name}" for name in ("0", "1", "batch")]
    wait_until(lambda: shown(job) == every)
    assert [shown(f"{job}.{name}") for name in ("0", "1", "batch")] == [[one] for one in every]
    told = site.out("squeue", "-h", f"--steps={job}.0", "-o", "%j %N").split()
    line = site.out("scontrol", "-o", "show", "step", f"{job}.0")
    assert f" State=RUNNING Partition=main NodeList={told[1]} Nodes=1 CPUs=1 Tasks=1" in line
    assert f" Name={told[0]} " in line
    none = site.run("scontrol", "show", "step", f"{job}.7")
    assert (none.returncode, none.stdout) == (1, f"Job step {job}.7 not found\n")
    unknown = site.run("scontrol", "show", "step", "99999.0")
    told = "slurm_get_job_steps error: Invalid job id specified\n"
    assert (unknown.returncode, unknown.stderr) == (1, told)
    site.out("scancel", job)


def test_oversubscribe_changes_nothing(site: SlurmSite) -> None:
    job = site.submit("-s", "-o", "shared-%j", "--wrap", "srun --oversubscribe echo step")
    assert site.wait(job) == "COMPLETED"
    assert site.read(f"shared-{job}") == "step\n"


def test_an_array_of_nothing_is_a_job(site: SlurmSite) -> None:
    lines = "#!/bin/sh\n#SBATCH --array=\n#SBATCH -o no-array-%j\necho x\n"
    script = site.write("no-array.sh", lines)
    job = site.submit(script)
    assert site.wait(job) == "COMPLETED"
    assert site.read(f"no-array-{job}") == "x\n"
