"""The memory that jobs need: a long trace as a whole, and each job that waits."""

from __future__ import annotations

import random
import tempfile
import tracemalloc
from pathlib import Path

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import processors
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import NodeUp, Submit
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from tests.bench.measure import BIN, Figures, generated, peak_rss_mib

_TRACE_JOBS = 250_000
_WAITING = 100_000
_PROCESSORS = 256


def bench() -> Figures:
    with tempfile.TemporaryDirectory() as folder:
        trace = generated(_TRACE_JOBS, Path(folder))
        peak_mib = peak_rss_mib([BIN / "rmsd", "simulate", trace, "--recipe", "easy"])
    figures = {
        f"{_TRACE_JOBS:,} generated jobs, easy, peak of the process": (
            f"{peak_mib:.0f} MiB (target: 1,500 MB)"
        )
    }
    for recipe in ("easy++", "timed-easy++"):
        figures[f"a waiting job, of {_WAITING:,} distinct ones, {recipe}"] = (
            f"{_bytes_per_waiting_job(recipe):.0f} bytes (target: 1,000)"
        )
    return figures


def _bytes_per_waiting_job(recipe: str) -> float:
    """Measure what the core keeps for waiting jobs, while one job holds the whole machine."""
    rng = random.Random(1)
    core = Core(parse_recipe(recipe), "counted")
    core.handle(0, [NodeUp("machine", _PROCESSORS, 0), Submit(_job(0, _PROCESSORS, 10**6))])
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    for at in range(1, _WAITING + 1):
        job = _job(at, rng.randint(1, _PROCESSORS), rng.randint(100, 90_000))
        core.handle(at, [Submit(job)])
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    if len(core.jobs) != _WAITING + 1:
        raise RuntimeError(f"{len(core.jobs)} jobs are there, {_WAITING + 1} were submitted")
    return (after - before) / _WAITING


def _job(at: int, size: int, estimate_s: int) -> Job:
    return Job(
        id=at,
        user=f"user{at % 50}",
        submit_us=at,
        request=processors(size),
        estimate_us=estimate_s * SECOND_US,
    )
