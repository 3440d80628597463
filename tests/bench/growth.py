"""How the cost of a simulation grows with the number of jobs, at a fixed load."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.bench.measure import BIN, Figures, generated, median_wall_s

_JOBS = (10_000, 20_000, 40_000, 80_000)
_LOAD = 0.9


def bench() -> Figures:
    """Near-linear is where the time per job stays."""
    figures: Figures = {}
    with tempfile.TemporaryDirectory() as folder:
        traces = {jobs: generated(jobs, Path(folder), _LOAD) for jobs in _JOBS}
        for recipe in ("easy++", "conservative"):
            for jobs, trace in traces.items():
                taken_s = median_wall_s([BIN / "rmsd", "simulate", trace, "--recipe", recipe], 3)
                figures[f"{jobs:,} generated jobs, load {_LOAD}, {recipe}"] = (
                    f"{taken_s:.2f} s, {1e6 * taken_s / jobs:.0f} us/job"
                )
    return figures
