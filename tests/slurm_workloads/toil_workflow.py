# mypy: ignore-errors
"""Toil's batch system slurm: a workflow with a job that fails and one that is killed, which are
tried again; a workflow that fails; and a job that comes to the end of its time."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path


def leaf(job, number):
    job.log(os.environ["SLURM_JOB_ID"])
    return number * number


def fails_once(_job, marker):
    if not Path(marker).exists():
        Path(marker).touch()
        raise RuntimeError("the first try fails")
    return os.environ["SLURM_CPUS_PER_TASK"]


def killed_once(_job, marker):
    if not Path(marker).exists():
        Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "lives"


def fails(_job):
    raise RuntimeError("each try fails")


def sleeps(_job):
    time.sleep(600)


SMALL = {"memory": "300M", "disk": "10M"}


def root(job, folder):
    parts = [job.addChildJobFn(leaf, number, cores=1, **SMALL).rv() for number in range(3)]
    two = job.addChildJobFn(fails_once, f"{folder}/failed", cores=2, **SMALL).rv()
    lives = job.addChildJobFn(killed_once, f"{folder}/killed", cores=1, **SMALL).rv()
    return job.addFollowOnJobFn(total, parts, cores=1, **SMALL).rv(), two, lives


def total(_job, parts):
    return sum(parts)


def workflow(name, folder):
    """Be the leader of a workflow."""
    from toil.common import Toil
    from toil.job import Job

    options = Job.Runner.getDefaultArgumentParser().parse_args(sys.argv[3:])
    first = {"root": root, "fails": fails, "sleeps": sleeps}[name]
    with Toil(options) as toil:
        words = (folder,) if first is root else ()
        print(toil.start(Job.wrapJobFn(first, *words, cores=1, **SMALL)))


def run(name, *options):
    """Return the exit code of a workflow, and what its leader says."""
    words = ("--batchSystem", "slurm", "--statePollingWait", "1", *options)
    done = subprocess.run(
        [sys.executable, "toil_workflow.py", name, str(Path.cwd()), f"./store-{name}", *words],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def main():
    shutil.copy(__file__, ".")  # Toil loads no workflow from a folder with an __init__.py
    code, out, err = run("root", "--retryCount", "2")
    assert (code, out.strip()) == (0, "(5, '2', 'lives')"), (code, out, err)
    assert "Exit reason: FAILED" in err, err
    assert "Job failed with exit value 137" in err, err
    code, _, err = run("fails", "--retryCount", "1")
    assert code != 0
    assert err.count("Exit reason: FAILED") == 2, err
    code, _, err = run("sleeps", "--retryCount", "0", "--slurmTime", "1:00")
    assert code != 0
    assert "Exit reason: TIMELIMIT" in err, err


if __name__ == "__main__":
    if len(sys.argv) > 1:
        workflow(sys.argv[1], sys.argv[2])
    else:
        main()
        print("Toil passes", flush=True)
