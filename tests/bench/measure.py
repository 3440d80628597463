"""What the benchmarks share: timing commands, percentiles, a client of a daemon."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

Figures = dict[str, str]
"""What was measured -> the figure with its unit, for people."""

BIN = Path(sys.executable).parent


def wall_s(command: Sequence[str | Path], env: dict[str, str] | None = None) -> float:
    begun = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=env)
    return time.perf_counter() - begun


def median_wall_s(
    command: Sequence[str | Path], times: int, env: dict[str, str] | None = None
) -> float:
    return median(wall_s(command, env) for _ in range(times))


def percentile(values: Sequence[float], percent: int) -> float:
    ascending = sorted(values)
    return ascending[max(0, -(-percent * len(ascending) // 100) - 1)]
