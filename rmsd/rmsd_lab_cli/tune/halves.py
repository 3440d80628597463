"""Two halves of a history, on which recipes are run: a trace's, or a daemon's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.recipe import Recipe
from rmsd_lab.measures.thresholds import with_thresholds
from rmsd_lab.schedule import Scheduled
from rmsd_lab.simulation.simulation import simulate
from rmsd_lab.simulation.what_if import PastJob, what_if
from rmsd_lab_cli.recipe_option import why_not_on
from rmsd_lab_cli.tune.evidence import TunedRun
from rmsd_lab_cli.what_if.past import Past
from rmsd_lab_cli.workload import Workload

Progress = Callable[[int], None]


class Halves(Protocol):
    """A history in two halves, by the arrivals of jobs."""

    @property
    def name(self) -> str: ...
    @property
    def jobs(self) -> tuple[int, int]:
        """Return how many jobs are counted in either half."""

    def why_not(self, recipe: Recipe) -> str | None:
        """Return why a recipe cannot be run on this history; None if it can."""

    def first(self, recipe: Recipe, progress: Progress) -> TunedRun:
        """Run a recipe on the first half."""

    def other(self, recipe: Recipe, progress: Progress) -> TunedRun:
        """Run a recipe on the other half. It has learnt from the first."""


class TraceHalves:
    """The halves of a trace. A recipe comes to the other half by way of the first: with the queue
    that it has left there, and all that it has learnt."""

    def __init__(self, workload: Workload) -> None:
        self._workload = workload
        self._middle = len(workload.jobs) // 2

    @property
    def name(self) -> str:
        return self._workload.trace

    @property
    def jobs(self) -> tuple[int, int]:
        return self._middle, len(self._workload.jobs) - self._middle

    def why_not(self, recipe: Recipe) -> str | None:
        return why_not_on(recipe, self._workload)

    def first(self, recipe: Recipe, progress: Progress) -> TunedRun:
        return self._run(recipe, self._middle, 0, progress)

    def other(self, recipe: Recipe, progress: Progress) -> TunedRun:
        return self._run(recipe, len(self._workload.jobs), self._middle, progress)

    def _run(self, recipe: Recipe, until: int, since: int, progress: Progress) -> TunedRun:
        jobs, processors = self._workload.jobs[:until], self._workload.processors
        given = with_thresholds(recipe, jobs, processors)
        counted = simulate(jobs, processors, given, progress).jobs[since:]
        waits_s = [job.wait_us / SECOND_US for job in counted]
        return TunedRun(waits_s, [job.bounded_slowdown for job in counted], *_price(counted))


class PastHalves:
    """The halves of a daemon's history. Recipes take over at the beginning of either half, after
    what really happened until then, and have learnt from that."""

    def __init__(self, past: Past, name: str) -> None:
        self._past = past
        self.name = name
        arrivals_us = sorted(job.submit_us for job in past.counted)
        # One microsecond later, so that jobs that came together are in the first half together.
        middle_us = arrivals_us[len(arrivals_us) // 2 - 1] + 1 if arrivals_us else past.now_us
        self._middle_us = middle_us
        self._first = _in_order(job for job in past.counted if job.submit_us < middle_us)
        self._other = _in_order(job for job in past.counted if job.submit_us >= middle_us)

    @property
    def jobs(self) -> tuple[int, int]:
        return len(self._first), len(self._other)

    def why_not(self, recipe: Recipe) -> str | None:  # noqa: ARG002 - a daemon knows its users
        return None

    def first(self, recipe: Recipe, progress: Progress) -> TunedRun:
        jobs = [job for job in self._past.jobs if job.submit_us < self._middle_us]
        times_us = self._past.since_us, self._middle_us
        return self._run(recipe, jobs, self._first, times_us, progress)

    def other(self, recipe: Recipe, progress: Progress) -> TunedRun:
        times_us = self._middle_us, self._past.now_us
        return self._run(recipe, self._past.jobs, self._other, times_us, progress)

    def _run(
        self,
        recipe: Recipe,
        jobs: Sequence[PastJob],
        counted: Sequence[PastJob],
        times_us: tuple[int, int],
        progress: Progress,
    ) -> TunedRun:
        since_us, until_us = times_us
        course = what_if(jobs, self._past.cluster, recipe, since_us, until_us, progress)
        waits_us = course.waits_us(counted, until_us)
        slowdowns = list(map(PastJob.bounded_slowdown, counted, waits_us))
        ran = [course.jobs[job.number] for job in counted if job.number in course.jobs]
        return TunedRun([wait_us / SECOND_US for wait_us in waits_us], slowdowns, *_price(ran))


def _in_order(jobs: Iterable[PastJob]) -> list[PastJob]:
    return sorted(jobs, key=lambda job: (job.submit_us, job.number))


def _price(jobs: Sequence[Scheduled]) -> tuple[float, float]:
    """Return the kills for a job, and the share of the processor time that killed runs took."""
    kills = sum(max(0, job.attempts - 1) for job in jobs)
    lost = sum(job.size * max(0, job.lost_us) for job in jobs)
    held = sum(job.size * max(0, job.run_us) for job in jobs) + lost
    return kills / max(1, len(jobs)), lost / held if held else 0.0
