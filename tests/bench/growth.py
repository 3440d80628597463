"""The growth of a simulation's cost with the number of jobs.

The longer traces are a shorter one several times over, so that load and queue stay the same. The
queues of independent traces of one load differ more than anything that is measured here.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from rmsd_lab.workloads.sample import sample_trace
from rmsd_lab.workloads.swf import TraceJob, format_swf
from tests.bench.measure import BIN, Figures, median_wall_s

_JOBS = 10_000
_TIMES = (1, 2, 4, 8)
_PROCESSORS = 100
_LOAD = 0.9


def bench() -> Figures:
    """Measure the time per job by the number of jobs: where it stays, the cost is near-linear."""
    figures: Figures = {}
    jobs = sample_trace(_JOBS, _PROCESSORS, seed=1, load=_LOAD)
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.swf"
        for recipe in ("easy++", "conservative"):
            for times in _TIMES:
                with trace.open("w") as out:
                    header = {"MaxProcs": str(_PROCESSORS)}
                    out.writelines(format_swf(_repeated(jobs, times), header))
                taken_s = median_wall_s([BIN / "rmsd", "simulate", trace, "--recipe", recipe], 3)
                number = _JOBS * times
                figures[f"{number:,} jobs, load {_LOAD}, {recipe}"] = (
                    f"{taken_s:.2f} s, {1e6 * taken_s / number:.0f} us/job"
                )
    return figures


def _repeated(jobs: Sequence[TraceJob], times: int) -> list[TraceJob]:
    """Repeat the jobs, each time after the last arrival of the time before."""
    period_s = jobs[-1].submit_s + 1
    return [
        job._replace(number=at * len(jobs) + job.number, submit_s=at * period_s + job.submit_s)
        for at in range(times)
        for job in jobs
    ]
