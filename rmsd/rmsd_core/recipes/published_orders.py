"""Orders of other papers: F1 to F4, SAF, WFP3 and UNICEF.

Throughout, r is the predicted run time [s], n the size, w the wait [s], and s the time of the
submit [s]. With predict=estimate r is the user's estimate, as in the papers.

- F1 to F4 (D. Carastan-Santos, R. de Camargo, "Obtaining Dynamic Scheduling Policies with
  Simulation and Machine Learning", SC'17): functions that a regression found in simulated
  schedules; the smallest comes first. s is counted from time 0 of the trace, and is at least 1. A
  live cluster counts from the year 1970: its logarithm of s hardly grows, and large jobs starve.
- SAF (smallest area first; e.g. J. Lelong et al., "Tuning EASY-Backfilling Queues", JSSPP 2017):
  the smallest r * n comes first. Large jobs starve.
- WFP3 (W. Tang et al., "Fault-aware, Utility-based Job Scheduling on Blue Gene/P Systems", Cluster
  2009): the largest (w / r)^3 * n comes first. The cube root, w / r * n^(1/3), has the same order,
  and grows evenly with the wait.
- UNICEF (the same paper): the largest w / (log2(n) * r) comes first. The logarithm is 0 for a job
  of one processor, which Blue Gene/P does not have; such a job counts as one of two.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from rmsd_core.jobs.job import Job

_S = 1_000_000


def _fitted(
    of_run_s: Callable[[float], float], of_size: Callable[[int], float], weight: float
) -> Callable[[Job], tuple[float, int]]:
    """Return the key of a function of SC'17: `of_run_s` times `of_size`, and `weight` times the
    logarithm of the submit time."""

    def key(job: Job) -> tuple[float, int]:
        logarithm = math.log10(max(1.0, job.eligible_us / _S))
        return of_run_s(job.prediction_us / _S) * of_size(job.size) + weight * logarithm, job.seq

    return key


f1 = _fitted(math.log10, float, 870)
f2 = _fitted(math.sqrt, float, 25_600)
f3 = _fitted(float, float, 6_860_000)
f4 = _fitted(float, math.sqrt, 530_000)


def smallest_area(job: Job) -> tuple[int, int]:
    """Return the key of SAF."""
    return job.prediction_us * job.size, job.seq


def wfp3(job: Job, now_us: int) -> float:
    """Return the cube root of the priority under WFP3."""
    return (now_us - job.eligible_us) * wfp3_growth(job)


def wfp3_growth(job: Job) -> float:
    """Return how much that grows in a microsecond."""
    return math.cbrt(job.size) / job.prediction_us


def unicef(job: Job, now_us: int) -> float:
    """Return the priority under UNICEF."""
    return (now_us - job.eligible_us) * unicef_growth(job)


def unicef_growth(job: Job) -> float:
    """Return how much that grows in a microsecond."""
    return 1 / (math.log2(max(2, job.size)) * job.prediction_us)
