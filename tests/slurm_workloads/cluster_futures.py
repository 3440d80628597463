# mypy: ignore-errors
"""clusterfutures: functions as jobs, one that raises, one that dies and is found by squeue, and one
that is cancelled."""

import os
import subprocess
import sys

import cfut
from cfut import slurm
from cfut.util import CommandError

LINES = ["#SBATCH --mem=200M", "#SBATCH --time=5", "#SBATCH --partition=main"]


def work(number):
    return number**2, os.environ["SLURM_PROCID"]


def fail():
    raise ValueError("a failure")


def die():
    os._exit(3)


def rest():
    import time

    time.sleep(600)


def main():
    with cfut.SlurmExecutor(keep_logs=True, additional_setup_lines=LINES) as executor:
        assert list(executor.map(work, range(3))) == [(0, "0"), (1, "0"), (4, "0")]
        raised = executor.submit(fail).exception()
        assert "ValueError: a failure" in str(raised), raised
        dead, resting = executor.submit(die), executor.submit(rest)
        jobs = [job for job, (future, _) in executor.jobs.items() if future in (dead, resting)]
        assert slurm.jobs_finished([str(jobs[1])]) == set()
        subprocess.run(["scancel", str(jobs[1])], check=True)
        assert isinstance(dead.exception(), cfut.JobDied), dead.exception()
        while slurm.jobs_finished([str(job) for job in jobs]) != {str(job) for job in jobs}:
            pass
        executor.jobs.clear()  # the future of a cancelled job never ends
    try:
        slurm.submit([sys.executable, "-c", ""], additional_setup_lines=["#SBATCH -p nosuch"])
    except CommandError as error:
        told = str(error)
    assert "invalid partition specified: nosuch" in told, told


if __name__ == "__main__":
    main()
    print("clusterfutures passes", flush=True)
