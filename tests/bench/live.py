"""Real jobs through a real daemon: how soon the first instruction runs, how many a second end."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from rmsd_client.api import Client
from tests.bench.measure import Figures, percentile
from tests.bench.private_daemon import private_daemon

_JOBS = 1000
_IDLE_JOBS = 60
_TRUE = "#!/bin/sh\ntrue\n"


def _spec(script: str, folder: str) -> dict[str, Any]:
    return {
        "script": script,
        "workdir": folder,
        "stdout": "/dev/null",
        "env": {"PATH": os.environ["PATH"]},
    }


def bench_latency() -> Figures:
    """Measure the time from a client's submit to the first instruction of the script. The script
    opens a pipe that this process waits on; one job runs at a time on an idle system."""
    taken_s = []
    with tempfile.TemporaryDirectory() as folder, private_daemon([]) as client:
        pipe = Path(folder) / "pipe"
        os.mkfifo(pipe)
        for _ in range(_IDLE_JOBS):
            begun = time.perf_counter()
            [job] = client.submit([_spec(f"#!/bin/sh\n: > {pipe}\n", folder)])
            with pipe.open("rb"):
                taken_s.append(time.perf_counter() - begun)
            client.wait(job["job_id"])
    return {
        "submit to first instruction, idle, median": f"{1e3 * median(taken_s):.1f} ms",
        "... 95th percentile": f"{1e3 * percentile(taken_s, 95):.1f} ms",
    }


def bench_throughput() -> Figures:
    """Run 1,000 jobs, one request each, until the last one is over, as real processes; and as many
    bare spawns of the same script for comparison."""
    with tempfile.TemporaryDirectory() as folder:
        with private_daemon([]) as client:
            begun = time.perf_counter()
            ids = [client.submit([_spec(_TRUE, folder)])[0]["job_id"] for _ in range(_JOBS)]
            submitted_s = time.perf_counter() - begun
            _wait_for_all(client, ids)
            taken_s = time.perf_counter() - begun
        bare_s = _spawn_bare(Path(folder))
    return {
        "1,000 jobs submitted, one request each": f"{_JOBS / submitted_s:.0f} submits/s",
        "submitted, run as processes and finished": f"{_JOBS / taken_s:.0f} jobs/s",
        "the same script spawned one after another, bare": f"{_JOBS / bare_s:.0f} spawns/s",
        "ratio": f"{bare_s / taken_s:.2f}",
    }


def _wait_for_all(client: Client, ids: list[int]) -> None:
    client.wait(ids[-1])  # the likeliest to be the last to end
    while live := client.jobs():
        client.wait(live[-1]["job_id"])
    for job in client.jobs(states="all", limit=len(ids)):
        if job["state"] != "COMPLETED":
            raise RuntimeError(f"job {job['job_id']} is {job['state']}: {job['message']}")


def _spawn_bare(folder: Path) -> float:
    script = folder / "true.sh"
    script.write_text(_TRUE)
    script.chmod(0o700)
    begun = time.perf_counter()
    for _ in range(_JOBS):
        subprocess.run([script], check=True, start_new_session=True)
    return time.perf_counter() - begun
