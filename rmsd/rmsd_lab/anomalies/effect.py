"""The effect of a part of a workload on the averages: by itself, and left out (thesis 6.5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.recipe import Recipe
from rmsd_lab.measures.metrics import mean
from rmsd_lab.schedule import Scheduled
from rmsd_lab.simulation.simulation import simulate
from rmsd_lab.simulation.virtual import Progress
from rmsd_lab.workloads.swf import TraceJob


class Averages(NamedTuple):
    """The averages of a set of jobs. A mean is None if the set is empty."""

    jobs: int
    wait_s: float | None
    bounded_slowdown: float | None


class Effect(NamedTuple):
    """The averages with and without a part of the jobs.

    everyone, part, others: of one simulation of all jobs, and of two disjoint groups of them.
    without: of a simulation of the others alone.
    """

    everyone: Averages
    part: Averages
    others: Averages
    without: Averages


def averages(jobs: Sequence[Scheduled]) -> Averages:
    return Averages(
        len(jobs),
        mean(job.wait_us / SECOND_US for job in jobs),
        mean(job.bounded_slowdown for job in jobs),
    )


def effect_of(
    is_part: Callable[[TraceJob], bool],
    trace: Sequence[TraceJob],
    processors: int,
    recipe: Recipe,
    progress: Progress | None = None,
) -> Effect:
    """Simulate the trace with and without a part of its jobs, and return what the part changes.

    `trace` is in arrival order, and every job of it can take part.
    """
    schedule = simulate(trace, processors, recipe, progress).jobs
    belongs = [is_part(job) for job in trace]
    part, others = split(schedule, belongs)
    rest = [job for job, inside in zip(trace, belongs, strict=True) if not inside]
    without = simulate(rest, processors, recipe, progress).jobs
    return Effect(averages(schedule), averages(part), averages(others), averages(without))


def split(
    schedule: Sequence[Scheduled], belongs: Sequence[bool]
) -> tuple[list[Scheduled], list[Scheduled]]:
    """Return the jobs that belong to the part, and the other jobs."""
    pairs = list(zip(schedule, belongs, strict=True))
    return [job for job, inside in pairs if inside], [job for job, inside in pairs if not inside]
