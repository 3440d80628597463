"""The time of a killed daemon to come back with many jobs: to its first answer, to its first start
of a job."""

from __future__ import annotations

import contextlib
import os
import statistics
import time
from datetime import UTC, datetime
from typing import Any

import psutil

from rmsd_client.errors import ClientError
from tests.live import Daemon
from tests.waiting import wait_until

_BATCH = 500
_NODES = "10x4"
_HOLD = "while [ ! -e go ]; do sleep 0.05; done\nrm -f go\n"


def run(jobs: int, kills: int) -> dict[str, Any]:
    """Measure starts with `jobs` jobs over and as many waiting; return the figures of every start,
    in s."""
    began = datetime.now(UTC)
    daemon = Daemon("--no-local-node", "--emulate", _NODES)
    # An installed rmsd has its modules compiled. Here the first start compiles them.
    daemon.env.pop("PYTHONDONTWRITEBYTECODE", None)
    try:
        daemon.start()
        _submit(daemon, jobs, run_s=0.0)
        wait_until_all_over(daemon)
        cores = sum(node["cores"] for node in daemon.client.nodes())
        holder = daemon.submit(_HOLD + "true", time_limit_s=7200)
        daemon.wait_for(holder, "RUNNING")
        _submit(daemon, cores - 1, run_s=7200.0)
        waiting = [daemon.submit(f": >began-{i}\n{_HOLD}", time_limit_s=7200) for i in range(kills)]
        _submit(daemon, jobs - kills, run_s=7200.0)
        answers_s, starts_s, cpu_s = [], [], []
        for number, _ in enumerate(waiting):
            daemon.kill()
            (daemon.work / "go").touch()  # a job ends meanwhile: the next one can start
            wait_until(lambda: not (daemon.work / "go").exists())
            at_s = time.time()
            daemon.spawn()
            answers_s.append(_first_answer(daemon) - at_s)
            cpu_s.append(sum(psutil.Process(daemon.pid).cpu_times()[:2]))
            mark = daemon.work / f"began-{number}"
            wait_until(mark.exists)
            starts_s.append(mark.stat().st_mtime - at_s)
            counts = daemon.client.status()["jobs"]
        size = (daemon.state / "rmsd.db").stat().st_size
        daemon.stop()
        return {
            "began": began.isoformat(timespec="seconds"),
            "ended": datetime.now(UTC).isoformat(timespec="seconds"),
            "jobs_over": jobs,
            "jobs_waiting": counts["PENDING"],
            "database_mib": round(size / 2**20),
            "kills": kills,
            "first_answer_s": _figures(answers_s),
            "first_start_s": _figures(starts_s),
            "cpu_until_answer_s": _figures(cpu_s),
            "load_average": round(os.getloadavg()[0], 1),
        }
    finally:
        daemon.spoiled = True  # to decide all of it again would take longer than the measurement
        daemon.close()


def _submit(daemon: Daemon, jobs: int, run_s: float) -> None:
    spec = {"emulate": {"run_s": run_s}, "time_limit_s": 7200}
    for first in range(0, jobs, _BATCH):
        daemon.client.submit([spec] * min(_BATCH, jobs - first))


def wait_until_all_over(daemon: Daemon) -> None:
    while daemon.client.status()["jobs"].keys() & {"PENDING", "CONFIGURING", "RUNNING"}:
        time.sleep(0.2)


def _first_answer(daemon: Daemon) -> float:
    """Return when the daemon that was just started answers (UTC, s)."""
    daemon.client.retry_for_s = 0.0
    while True:
        with contextlib.suppress(ClientError):
            if daemon.client.status()["pid"] == daemon.pid:
                daemon.client.retry_for_s = 60.0
                return time.time()
        time.sleep(0.005)


def _figures(values: list[float]) -> dict[str, float]:
    figures = {"median": statistics.median(values), "max": max(values)}
    return {name: round(value, 3) for name, value in figures.items()}
