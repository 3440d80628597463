"""`python -m tests.slurm_diff.rates [JOBS]`: how fast Slurm's commands are under a real Slurm and
under rmsd, in one run on one machine: a long queue shown, one submit, and many in a row."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable

from tests.slurm_diff import lab, ours
from tests.slurm_diff.site import Site
from tests.waiting import wait_until

ARRAYS, TASKS = 9, 1000  # Slurm's own limit is 10,000 jobs in all.
_TIMES = 5


def _least_s(act: Callable[[], object]) -> float:
    """Return the shortest of some runs [s]."""
    found = []
    for _ in range(_TIMES):
        began = time.monotonic()
        act()
        found.append(time.monotonic() - began)
    return min(found)


def _checked(site: Site, *words: str) -> str:
    done = site.run(*words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def measured(site: Site, jobs: int) -> dict[str, float]:
    """Return the figures of a site."""
    figures = {}
    for _ in range(ARRAYS):
        _checked(site, "sbatch", "-H", "-a", f"0-{TASKS - 1}", "--wrap", "true")
    listed = _checked(site, "squeue", "-h", "-r")
    assert listed.count("\n") == ARRAYS * TASKS
    figures["squeue_s"] = _least_s(lambda: _checked(site, "squeue", "-r"))
    _checked(site, "scancel", "-u", "root")
    wait_until(lambda: not site.run("squeue", "-h").stdout, within_s=120.0)
    figures["sbatch_s"] = _least_s(
        lambda: _checked(site, "sbatch", "-o", "/dev/null", "--wrap", "true")
    )
    figures["python_s"] = _least_s(lambda: _checked(site, sys.executable, "-c", "pass"))
    began = time.monotonic()
    for _ in range(jobs):
        _checked(site, "sbatch", "-o", "/dev/null", "--wrap", "true")
    figures["submits_per_s"] = jobs / (time.monotonic() - began)
    wait_until(lambda: not site.run("squeue", "-h").stdout, within_s=600.0)
    figures["finished_per_s"] = jobs / (time.monotonic() - began)
    return figures


def main() -> int:
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    kernel = subprocess.run(["uname", "-rm"], capture_output=True, text=True, check=True).stdout
    print(f"{kernel.strip()}, {jobs} submits, {ARRAYS * TASKS} jobs in the queue", flush=True)
    for name, running in (("Slurm", lab.running), ("rmsd", ours.running)):
        with running() as site:
            figures = measured(site, jobs)
        line = ", ".join(f"{key} {value:.4g}" for key, value in figures.items())
        print(f"{name}: {line}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
