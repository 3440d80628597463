# mypy: ignore-errors
"""simple-slurm: jobs by a here-document and by a file, a dependency on an array, srun, its command
line, its view of the queue as comma-separated values, signals and cancels."""

import datetime
import subprocess
import sys
from pathlib import Path

from simple_slurm import Slurm


def out(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def state(job):
    return out("sacct", "-X", "-n", "-P", "-o", "State", "-j", str(job)).split()


def until(job, *states):
    while (found := state(job)) != list(states):
        pass
    return found


def main():
    array = Slurm(
        array=range(3, 6), cpus_per_task=1, job_name="name", output=f"{Slurm.JOB_ARRAY_MASTER_ID}_"
        f"{Slurm.JOB_ARRAY_ID}.out", time=datetime.timedelta(minutes=2), mem="100M",
        partition="main", mail_type="NONE",
    )  # fmt: skip
    array.add_cmd("echo one")
    first = array.sbatch("echo task " + Slurm.SLURM_ARRAY_TASK_ID, verbose=False)
    after = Slurm(parsable=True, dependency={"afterok": first}, output="after.out", mem="100M")
    after.set_time("00:02:00").set_comment("simple")
    second = after.sbatch("echo after $SLURM_JOB_ID", job_file="after.sh", convert=False)
    until(second, "COMPLETED")
    until(first, "COMPLETED", "COMPLETED", "COMPLETED")
    assert Path(f"{first}_4.out").read_text() == "one\ntask 4\n"
    assert Path("after.out").read_text() == f"after {second}\n"

    failing = Slurm("--time", 2, "--output", "/dev/null").sbatch("exit 3")
    until(failing, "FAILED")
    assert Slurm(mem="100M", time=2, quiet=True, ntasks=2).srun("printf x") in (0, None)
    done = subprocess.run(
        [Path(sys.executable).parent / "simple_slurm", "--time", "2", "--output", "cli.out",
         "echo by the command line"], capture_output=True, text=True, check=True,
    )  # fmt: skip
    until(done.stdout.split()[-1], "COMPLETED")
    assert Path("cli.out").read_text() == "by the command line\n"

    slurm = Slurm(job_name="sleepers", output="/dev/null", time=5)
    sleepers = [slurm.sbatch("sleep 600", verbose=False) for _ in range(3)]
    for job in sleepers:
        until(job, "RUNNING")
    slurm.squeue.update_squeue()
    assert set(sleepers) == set(slurm.squeue.jobs), slurm.squeue.jobs
    assert slurm.squeue.jobs[sleepers[0]]["ST"] == "R"
    assert set(slurm.squeue.get_filtered_jobs("sleep")) == set(sleepers)
    slurm.scancel.cancel_job(sleepers[0])
    until(sleepers[0], "CANCELLED", "by", out("id", "-u").strip())
    slurm.scancel.signal_job(sleepers[1])
    slurm.scancel.signal_job(sleepers[1])
    slurm.scancel.cancel_all()
    while out("squeue", "--me", "-h"):
        pass
    try:
        Slurm(partition="nosuch").sbatch("true")
    except AssertionError:
        return
    raise AssertionError("the submit was not refused")


if __name__ == "__main__":
    main()
    print("simple-slurm passes", flush=True)
