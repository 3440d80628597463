"""The cost of a restart: what a job loses, besides waiting, when its trial is killed."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from statistics import median

from rmsd_client.api import Client
from tests.bench.measure import Figures, percentile
from tests.bench.private_daemon import private_daemon

_TIMES = 20
_OPTIONS = ("--no-local-node", "--emulate", "1x2", "--recipe", "timed-easy,trial=1")
_MS = 1000  # microseconds
_HOUR_S = 3600.0


def bench() -> Figures:
    """Measure the kill and the launch of a trial. The kill lasts from its decision, when a job is
    submitted that gets the place, until that job starts there. The launch lasts from the decision
    to start the killed job again until the first instruction of its script."""
    kills_ms, launches_ms = [], []
    with tempfile.TemporaryDirectory() as folder, private_daemon(_OPTIONS) as client:
        # One core stays busy, so that a job on two cores has to wait.
        _submit(client, folder, "exec sleep 3000", _HOUR_S, restartable=False)
        for at in range(_TIMES):
            kill_ms, launch_ms = _once(client, Path(folder), at)
            kills_ms.append(kill_ms)
            launches_ms.append(launch_ms)
        client.cancel_all([job["job_id"] for job in client.jobs()])
    costs_ms = [sum(both) for both in zip(kills_ms, launches_ms, strict=True)]
    return {
        what: f"{median(values):.1f} ms, 95th percentile {percentile(values, 95):.1f} ms"
        for what, values in (
            ("a kill, from its decision to the next start there, median", kills_ms),
            ("a launch, from the second start to the first instruction", launches_ms),
            ("together: what --restart-cost of rmsd simulate charges", costs_ms),
        )
    }


def _submit(client: Client, folder: str, script: str, limit_s: float, **spec: object) -> int:
    job = {
        "script": f"#!/bin/sh\n{script}\n",
        "workdir": folder,
        "stdout": "/dev/null",
        "time_limit_s": limit_s,
        **spec,
    }
    return int(client.submit([job])[0]["job_id"])


def _once(client: Client, folder: Path, at: int) -> tuple[float, float]:
    """Have one trial killed, and return how long kill and launch took [ms]."""
    first = folder / f"first-{at}"
    script = f'[ "$RMS_ATTEMPT" = 1 ] && exec sleep 600; date +%s%N > {first}'
    # The head would be put off by this job, which is too long: the base does not start it.
    head = _submit(client, str(folder), "true", 60, tasks=2)
    tried = _submit(client, str(folder), script, 2 * _HOUR_S)
    while client.job(tried)["reason"] != "TrialExpired":
        time.sleep(0.01)
    other = client.wait(_submit(client, str(folder), "true", 60))
    client.cancel(head)
    job = client.wait(tried)
    if job["attempt"] != 2:
        raise RuntimeError(f"job {tried} was started {job['attempt']} times, and not twice")
    began_us = int(first.read_text()) / 1000
    return (other["start_us"] - other["submit_us"]) / _MS, (began_us - job["start_us"]) / _MS
