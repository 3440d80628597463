# mypy: ignore-errors
"""dask-jobqueue's PBSCluster: futures on two workers, which are jobs; one is deleted; the end."""

import re
import subprocess
import sys
import time
from pathlib import Path

from dask.distributed import Client
from dask_jobqueue import PBSCluster


def until(condition):
    end_s = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end_s, "a condition has not come true"
        time.sleep(0.5)


def jobs():
    told = subprocess.run(["qstat"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^\S+\.rmsd", told, re.MULTILINE))


def where(number):
    import os

    return number * number, os.environ["PBS_JOBID"], os.environ["PBS_JOBNAME"]


def main():
    cluster = PBSCluster(
        queue="main", account="lab", cores=2, processes=1, memory="600MB", walltime="00:10:00",
        interface="lo", job_name="dask-w", log_directory="logs", local_directory=str(Path.cwd()),
        python=sys.executable, job_extra_directives=["-j oe"],
        scheduler_options={"dashboard": False},
    )  # fmt: skip
    client = Client(cluster)
    cluster.scale(jobs=2)
    client.wait_for_workers(2, timeout=120)
    workers = jobs()
    assert len(workers) == 2, workers
    results = client.gather(client.map(where, range(40)))
    assert [one[0] for one in results] == [i * i for i in range(40)]
    assert {one[1:] for one in results} <= {(worker, "dask-w") for worker in workers}
    cluster.scale(jobs=1)
    until(lambda: len(jobs()) == 1)
    client.close()
    cluster.close()
    until(lambda: not jobs())
    assert {path.name for path in Path("logs").iterdir()} == {f"{one}.OU" for one in workers}


if __name__ == "__main__":
    main()
    print("PBSCluster passes", flush=True)
