# mypy: ignore-errors
"""executorlib: functions as jobs with dependencies, a failure and a refusal; workers that are jobs;
and workers that are steps of a job. Its jobs go through pysqa, whose queries are tried as well."""

import subprocess
import sys
from pathlib import Path

from executorlib import SlurmClusterExecutor
from pysqa import QueueAdapter

JOB = {"cores": 1, "partition": "main", "run_time_max": 300}
STEPS = """
import os
from executorlib import SlurmJobExecutor

def place(value):
    import os
    return value, os.environ["SLURM_PROCID"], os.environ["SLURM_STEP_ID"]

if __name__ == "__main__":
    with SlurmJobExecutor(max_cores=2) as steps:
        found = [one.result() for one in [steps.submit(place, value) for value in range(4)]]
    assert [value for value, _, _ in found] == [0, 1, 2, 3], found
    assert {task for _, task, _ in found} == {"0"}, found
    assert len({step for _, _, step in found}) == 4, found
    with SlurmJobExecutor(max_workers=2, block_allocation=True) as workers:
        assert list(workers.map(pow, (2, 3, 4), (2, 2, 2))) == [4, 9, 16]
    print("steps pass", flush=True)
"""


def add(one, other):
    return one + other


def fail():
    raise ValueError("a failure")


def whoami():
    import os

    return os.environ["SLURM_JOB_ID"]


def cluster():
    with SlurmClusterExecutor(resource_dict=JOB, cache_directory="cache") as jobs:
        first = jobs.submit(add, 1, 2)
        second = jobs.submit(add, first, 4)
        third = jobs.submit(fail)
        fourth = jobs.submit(whoami)
        assert second.result() == 7
        assert "a failure" in str(third.exception())
        assert fourth.result().isdigit()
    with SlurmClusterExecutor(
        resource_dict={**JOB, "partition": "nosuch"}, cache_directory="refused"
    ) as jobs:
        assert "returned non-zero exit status 1" in str(jobs.submit(add, 1, 2).exception())
    with SlurmClusterExecutor(
        resource_dict=JOB, max_workers=2, block_allocation=True, hostname_localhost=True
    ) as workers:
        assert list(workers.map(add, (1, 2, 3), (4, 5, 6))) == [5, 7, 9]


def adapter():
    queue = QueueAdapter(queue_type="SLURM")
    kept = {"cores": 1, "partition": "main", "working_directory": str(Path("queue").absolute())}
    one = queue.submit_job(job_name="one", command="sleep 600", **kept)
    two = queue.submit_job(
        job_name="two", command="true", dependency_list=[str(one)], memory_max=1,
        run_time_max=120, **kept,
    )  # fmt: skip
    while queue.get_status_of_job(process_id=one) != "running":
        pass
    assert queue.get_status_of_job(process_id=two) == "pending"
    rows = queue.get_status_of_my_jobs().set_index("jobid")
    assert rows.loc[one, "jobname"].strip() == "one"
    assert rows.loc[one, "working_directory"].endswith("/queue")
    queue.delete_job(process_id=one)
    queue.delete_job(process_id=two)
    while queue.get_status_of_job(process_id=one):
        pass


def steps():
    Path("steps.py").write_text(STEPS)
    Path("steps.sh").write_text(
        "#!/bin/bash\n#SBATCH -n 2 -c 1 --mem-per-cpu=500M -t 5 -o steps.out\n"
        f"{sys.executable} steps.py\n"
    )
    done = subprocess.run(["sbatch", "--wait", "steps.sh"], check=False)
    said = Path("steps.out").read_text()
    assert (done.returncode, "steps pass" in said) == (0, True), said


if __name__ == "__main__":
    cluster()
    adapter()
    steps()
    print("executorlib passes", flush=True)
