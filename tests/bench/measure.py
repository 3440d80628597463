"""The code that the benchmarks share: timing and weighing commands, percentiles, traces."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

Figures = dict[str, str]
"""The figures with their units, as text, by what was measured."""

BIN = Path(sys.executable).parent


def wall_s(command: Sequence[str | Path], env: dict[str, str] | None = None) -> float:
    begun = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=env)
    return time.perf_counter() - begun


def median_wall_s(
    command: Sequence[str | Path], times: int, env: dict[str, str] | None = None
) -> float:
    return median(wall_s(command, env) for _ in range(times))


def peak_rss_mib(command: Sequence[str | Path]) -> float:
    """Return the most memory that the process of `command` has held at a time."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return usage.ru_maxrss / 1024


def generated(jobs: int, folder: Path) -> Path:
    """Return a trace of `rmsd generate` for 100 processors, in a file of `folder`."""
    trace = folder / f"{jobs}-jobs.swf"
    command = [str(BIN / "rmsd"), "generate", "--jobs", str(jobs), "--procs", "100"]
    with trace.open("w") as out:
        subprocess.run(command, check=True, stdout=out)
    return trace


def percentile(values: Sequence[float], percent: int) -> float:
    ascending = sorted(values)
    return ascending[max(0, -(-percent * len(ascending) // 100) - 1)]
