"""The models from which a study can draw its jobs and their estimates."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple

from rmsd_lab.workloads.dynp_sets import NODES, SET_1, SET_2, dynp_set
from rmsd_lab.workloads.models.estimates import (
    longest_estimate_s,
    own_heads,
    with_mode_estimates,
    with_shuffled_estimates,
)
from rmsd_lab.workloads.models.lublin import BATCH, INTERACTIVE, lublin_jobs
from rmsd_lab.workloads.models.modes import ModeParameters
from rmsd_lab.workloads.sample import sample_trace
from rmsd_lab.workloads.swf import TraceJob
from rmsd_lab.workloads.workload import with_exact_estimates, with_random_estimates

Jobs = list[TraceJob]

FITTED = "fitted"
"""The model that a trace is needed for, and that meets a load by itself."""


class Model(NamedTuple):
    """A model that makes jobs.

    needs, takes: the keys of a `[[traces]]` table that must be there, and those that may.
    draw: number of jobs, processors, seed -> jobs in arrival order.
    processors: of the machine, where the model says it.
    """

    needs: tuple[str, ...]
    takes: tuple[str, ...] = ()
    draw: Callable[[int, int, int], Jobs] | None = None
    processors: int | None = None


MODELS: dict[str, Model] = {
    "sample": Model(("jobs", "procs"), draw=sample_trace),
    "lublin": Model(
        ("jobs", "procs"),
        draw=lambda jobs, procs, seed: [
            job for job, _ in lublin_jobs(jobs, procs, (BATCH, INTERACTIVE), seed)
        ],
    ),
    FITTED: Model(("file", "weeks"), ("procs", "jobs")),
    "dynp-1": Model((), draw=lambda _, __, seed: dynp_set(SET_1, seed), processors=NODES),
    "dynp-2": Model((), draw=lambda _, __, seed: dynp_set(SET_2, seed), processors=NODES),
}
"""The models of `rmsd generate`."""

RECORDED_KEYS = Model(("file",), ("jobs", "procs"))
"""The keys of a trace that is run as it was recorded."""

ESTIMATES = ("user", "exact", "shuffled", "f", "modes")
"""The estimates of `rmsd estimates`: the users'; the run times; the users', dealt out again; the
random f-model; the mode model."""


def with_estimates(
    jobs: Jobs, kind: str, seed: int, badness: float | None, max_estimate_s: int | None
) -> Jobs:
    """Return the jobs with estimates of a kind. The draws are independent of other draws of this
    seed.

    Raises:
        ValueError: the mode model has no longest estimate, or parameters that cannot be.
    """
    if kind == "exact":
        return with_exact_estimates(jobs)
    own_seed = random.Random(seed).getrandbits(32)
    if kind == "shuffled":
        return with_shuffled_estimates(jobs, own_seed)
    if kind == "f":
        return with_random_estimates(jobs, badness or 0.0, own_seed)
    if kind == "modes":
        return list(with_mode_estimates(jobs, _modes(jobs, max_estimate_s), own_seed).jobs)
    return jobs


def _modes(jobs: Jobs, max_estimate_s: int | None) -> ModeParameters:
    """Return the mode model's parameters: the longest of the trace's own estimates, and how many
    jobs ask for it. If the jobs have no estimates, the longest is `max_estimate_s`."""
    if any(job.estimate_s != max(1, job.run_s) for job in jobs):
        longest_s = max_estimate_s or longest_estimate_s(jobs)
        return ModeParameters(longest_s, own_heads(jobs, 0, longest_s))
    if max_estimate_s is None:
        raise ValueError("the jobs have no estimates; say the longest with `max_estimate_s`")
    return ModeParameters(max_estimate_s)
