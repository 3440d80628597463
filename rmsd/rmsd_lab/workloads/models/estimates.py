"""New estimates for the jobs of a trace. Those that are a function of the run time alone (exact,
multiplied, the f-models) are in `rmsd_lab.workloads.workload`."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from rmsd_lab.workloads.models.assignment import gathered, lifted, shuffled
from rmsd_lab.workloads.models.mode_times import HEADS
from rmsd_lab.workloads.models.modes import Mode, ModeParameters, estimates_of, mode_series
from rmsd_lab.workloads.models.sessions import sessions
from rmsd_lab.workloads.swf import TraceJob

KILLED = 0.10
"""The share of jobs that the Phi-model has reach their estimate; its authors' value."""

_FAILING_S = 90
_FAILING_FACTOR = 10
"""Shorter jobs failed on startup: their estimates are too long by a factor of about 10."""

_RARE = 1e-4
"""A longest estimate that fewer of the jobs have is a typing error rather than a limit."""


class Estimated(NamedTuple):
    """Jobs with new estimates.

    beyond: jobs that run longer than the longest estimate, which is what they have.
    lifted: estimates that were raised to the longest, so that no other job runs longer than its
        own.
    """

    jobs: list[TraceJob]
    beyond: int
    lifted: int


def with_phi_estimates(
    jobs: Sequence[TraceJob], killed: float, max_s: int, seed: int
) -> list[TraceJob]:
    """Return the jobs with estimates of the Phi-model (Mu'alem and Feitelson 2001, Zhang et al.;
    thesis 1.2.2). A share `killed` (Phi, 0 to 1) has its run time for an estimate. The others have
    run / u with u uniform in (0, 1], ten times as much if the run time is below 90 s, and at most
    `max_s`.

    Whole seconds, at least 1 s, never below the run time.

    Raises:
        ValueError: `killed` is not from 0 to 1, or `max_s` is below 1.
    """
    if not 0 <= killed <= 1:
        raise ValueError(f"Phi is a share from 0 to 1, not {killed}")
    if max_s < 1:
        raise ValueError(f"the longest estimate must be at least 1 s, not {max_s}")
    rng = random.Random(seed)
    changed = []
    for job in jobs:
        estimate_s = float(job.run_s)
        if rng.random() >= killed:
            estimate_s /= 1 - rng.random()
            if job.run_s < _FAILING_S:
                estimate_s *= _FAILING_FACTOR
        whole_s = max(1, job.run_s, min(max_s, math.floor(estimate_s + 0.5)))
        changed.append(job._replace(estimate_s=whole_s))
    return changed


def with_shuffled_estimates(
    jobs: Sequence[TraceJob], seed: int, in_sessions: bool = False
) -> list[TraceJob]:
    """Return the jobs with their own estimates dealt out again at random (thesis 5.12.2). Run times
    and estimates keep their distributions and lose their connection. One tie is left: no estimate
    is below the run time, or below the old estimate if that was shorter.

    in_sessions: as in `with_mode_estimates`.
    """
    needs_s = [min(job.run_s, job.estimate_s) for job in jobs]
    return _dealt(jobs, needs_s, [job.estimate_s for job in jobs], seed, in_sessions)


def with_mode_estimates(
    jobs: Sequence[TraceJob], parameters: ModeParameters, seed: int, in_sessions: bool = False
) -> Estimated:
    """Return the jobs with estimates of the mode model (thesis, chapter 5), dealt out by the random
    shuffle (5.12.2).

    No estimate is below the run time, or below the longest for jobs that run beyond it. If the
    model has too few long estimates for that, its shortest are raised to the longest. Their number
    says how far the model is from the trace; giving the share of the longest helps.

    in_sessions: the jobs of a session have the same estimate, as far as may be. An extension: the
        thesis names this repetition as what its model lacks, and leaves it open (5.12.4).

    Raises:
        ValueError: parameters that cannot be, or no jobs.
    """
    modes = mode_series(len(jobs), parameters, seed)
    longest_s = parameters.max_s
    needs_s = [min(job.run_s, longest_s) for job in jobs]
    estimates_s, raised = lifted(needs_s, estimates_of(modes, len(jobs)), longest_s)
    changed = _dealt(jobs, needs_s, estimates_s, seed, in_sessions)
    beyond = sum(job.run_s > longest_s for job in jobs)
    return Estimated(changed, beyond, raised)


def longest_estimate_s(jobs: Sequence[TraceJob]) -> int:
    """Return the longest estimate that at least one job in 10,000 has [s]. This is the site's
    limit, as far as its users show it.

    Raises:
        ValueError: there are no jobs.
    """
    if not jobs:
        raise ValueError("there are no jobs")
    counts = Counter(job.estimate_s for job in jobs)
    return max(time_s for time_s, count in counts.items() if count >= _RARE * len(jobs))


def own_heads(jobs: Sequence[TraceJob], number: int, max_s: int) -> tuple[Mode, ...]:
    """Return a trace's own popular estimates for `ModeParameters.given`. They are the longest,
    `max_s`, with its share if any job has it, and the `number` most popular of the others.
    Estimates beyond `max_s` count as `max_s`."""
    counts = Counter(min(job.estimate_s, max_s) for job in jobs)
    of_max = counts.pop(max_s, 0)
    popular = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    chosen = [(max_s, of_max)] * bool(of_max) + popular[: min(number, HEADS - 1)]
    return tuple(Mode(time_s, 100 * count / len(jobs)) for time_s, count in chosen)


def _dealt(
    jobs: Sequence[TraceJob],
    needs_s: Sequence[int],
    estimates_s: Sequence[int],
    seed: int,
    in_sessions: bool,
) -> list[TraceJob]:
    dealt = shuffled(needs_s, estimates_s, seed)
    if in_sessions:
        dealt = gathered(needs_s, dealt, sessions(jobs), seed)
    return [
        job._replace(estimate_s=max(1, estimate_s))
        for job, estimate_s in zip(jobs, dealt, strict=True)
    ]
