"""Choosing and changing the jobs of a trace before they are simulated or replayed."""

from __future__ import annotations

import heapq
import math
import random
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, Self, TypeVar

from rmsd_lab.workloads.swf import MOST, TraceJob


def with_exact_estimates(jobs: Sequence[TraceJob]) -> list[TraceJob]:
    """Return the jobs with every estimate replaced by max(1, run time)."""
    return [job._replace(estimate_s=max(1, job.run_s)) for job in jobs]


def with_missing_estimates_filled(jobs: Sequence[TraceJob]) -> list[TraceJob]:
    """Return the jobs with the longest run time of all as the estimate of those that have none, as
    under the limit of a queue. An estimate that is the run time to the second counts as none: the
    parser takes the run time where a trace has no estimate, and no scheduler may know that."""
    longest_s = max((job.run_s for job in jobs), default=0)
    return [
        job._replace(estimate_s=longest_s) if job.estimate_s == max(1, job.run_s) else job
        for job in jobs
    ]


def cut_at_estimate(jobs: Sequence[TraceJob]) -> list[TraceJob]:
    """Return the jobs with run times cut at the estimate (kill at estimate)."""
    return [job._replace(run_s=min(job.run_s, job.estimate_s)) for job in jobs]


def with_estimates_times(jobs: Sequence[TraceJob], factor: float) -> list[TraceJob]:
    """Return the jobs with every estimate multiplied, in whole seconds, at least 1 s. Applied to
    exact estimates, this is the deterministic f-model with F = f + 1 = `factor` (thesis 3.1).

    Raises:
        ValueError: `factor` is not above 0, or above MOST.
    """
    if not 0 < factor <= MOST:
        raise ValueError(f"a factor must be above zero and at most {MOST:,}, not {factor:g}")
    return [
        job._replace(estimate_s=max(1, math.floor(job.estimate_s * factor + 0.5))) for job in jobs
    ]


def with_multiple_estimates(jobs: Sequence[TraceJob], badness: float) -> list[TraceJob]:
    """Return the jobs with estimates of the deterministic f-model: (f + 1) * run, exactly (thesis
    3.1). `badness` is f.

    Raises:
        ValueError: `badness` is negative, or not below MOST.
    """
    _refuse_badness(badness)
    return with_estimates_times(with_exact_estimates(jobs), 1 + badness)


def with_random_estimates(jobs: Sequence[TraceJob], badness: float, seed: int) -> list[TraceJob]:
    """Return the jobs with estimates of the random f-model, drawn uniformly from [run, (f + 1) *
    run] (thesis 3.1).

    `badness` is f. Whole seconds, at least 1 s.

    Raises:
        ValueError: `badness` is negative, or not below MOST.
    """
    _refuse_badness(badness)
    rng = random.Random(seed)
    return [
        job._replace(estimate_s=max(1, math.floor(job.run_s * (1 + badness * rng.random()) + 0.5)))
        for job in jobs
    ]


def _refuse_badness(badness: float) -> None:
    if not 0 <= badness < MOST:
        raise ValueError(f"a badness must be at least zero and below {MOST:,}, not {badness:g}")


def refuse_beyond(jobs: Iterable[TraceJob]) -> None:
    """Raise ValueError if an estimate is longer than MOST, which no reader accepts."""
    for job in jobs:
        if job.estimate_s > MOST:
            raise ValueError(
                f"job {job.number} would have an estimate of {job.estimate_s:.3g} s, out of range "
                f"(the most is {MOST:,} s)"
            )


def with_estimates_up_to(jobs: Sequence[TraceJob], longest_s: int) -> list[TraceJob]:
    """Return the jobs with estimates and run times cut at the longest that users may ask for. After
    the f-model, this makes the truncated f-model (thesis 3.8).

    Raises:
        ValueError: `longest_s` is below 1.
    """
    if longest_s < 1:
        raise ValueError(f"the longest estimate must be at least 1 s, not {longest_s}")
    return [
        job._replace(run_s=min(job.run_s, longest_s), estimate_s=min(job.estimate_s, longest_s))
        for job in jobs
    ]


def exempted(jobs: Sequence[TraceJob], share: float, seed: int) -> frozenset[int]:
    """Return the numbers of a random `share` of the jobs, 0 to 1: these may not be restarted and so
    get no trial. (Timed takes every job to be restartable; its section 5 asks for more realism.)

    For one seed a larger share has all that a smaller one has.

    Raises:
        ValueError: `share` is not from 0 to 1.
    """
    if not 0 <= share <= 1:
        raise ValueError(f"a share is from 0 to 1, not {share}")
    numbers = [job.number for job in jobs]
    random.Random(seed).shuffle(numbers)
    return frozenset(numbers[: round(share * len(numbers))])


class OfferedLoad:
    """Processor seconds asked for per processor second between the first and the last arrival, of
    jobs that are added one by one, in any order."""

    def __init__(self) -> None:
        self.work_s = 0
        self.first_s = 0
        self.last_s = -1

    def add(self, job: TraceJob) -> None:
        if self.last_s < self.first_s:
            self.first_s = self.last_s = job.submit_s
        self.first_s = min(self.first_s, job.submit_s)
        self.last_s = max(self.last_s, job.submit_s)
        self.work_s += job.size * job.run_s

    def on(self, processors: int) -> float:
        """Return the load that the jobs offer to so many processors. Raises ValueError if all jobs
        arrive at once."""
        span_s = self.last_s - self.first_s
        if span_s <= 0:
            raise ValueError("the load of jobs that all arrive at once is not defined")
        return self.work_s / (processors * span_s)


def offered_load(jobs: Sequence[TraceJob], processors: int) -> float:
    """Return the `OfferedLoad` of all these jobs."""
    load = OfferedLoad()
    for job in jobs:
        load.add(job)
    return load.on(processors)


def stretching(offered: float, load: float) -> float:
    """Return the factor for interarrival times that turns the load `offered` into `load`.

    Raises:
        ValueError: `load` is not positive and finite.
    """
    if not 0 < load < math.inf:
        raise ValueError(f"a load must be above zero and finite, not {load}")
    return offered / load


def stretched_s(submit_s: int, first_s: int, factor: float) -> int:
    """Return a submit time that is `factor` times as far from the first, rounded to the second.

    Raises:
        ValueError: it is out of range.
    """
    return _moved_s(first_s, (submit_s - first_s) * factor)


def _moved_s(first_s: int, distance_s: float) -> int:
    if not distance_s <= MOST:
        raise ValueError(
            f"submit times would be out of range (the most is {MOST:,} s, not {distance_s:g})"
        )
    return first_s + round(distance_s)


def scaled_to_load(jobs: Sequence[TraceJob], processors: int, load: float) -> list[TraceJob]:
    """Return the same jobs with all interarrival times multiplied so that `offered_load` is `load`.

    Submit times are rounded to whole seconds; order is kept.

    Raises:
        ValueError: `load` is not positive and finite, or so small that submit times would be out
            of range, or all jobs arrive at once.
    """
    factor = stretching(offered_load(jobs, processors), load)
    first_s = jobs[0].submit_s
    return [job._replace(submit_s=stretched_s(job.submit_s, first_s, factor)) for job in jobs]


def divided(jobs: Sequence[TraceJob], divisor: float) -> list[TraceJob]:
    """Return the jobs with arrival times, counted from the first, divided by `divisor` and rounded
    to whole seconds. Above 1 the load grows (Selective, 4.2; dynP 3, whose shrinking factor is 1 /
    `divisor`).

    Raises:
        ValueError: `divisor` is not positive and finite.
    """
    if not 0 < divisor < math.inf:
        raise ValueError(f"a divisor must be above zero and finite, not {divisor}")
    first_s = jobs[0].submit_s if jobs else 0
    return [job._replace(submit_s=divided_s(job.submit_s, first_s, divisor)) for job in jobs]


def divided_s(submit_s: int, first_s: int, divisor: float) -> int:
    """Return a submit time whose distance from the first is divided, rounded to the second.

    Raises:
        ValueError: it is out of range.
    """
    return _moved_s(first_s, (submit_s - first_s) / divisor)


def predecessors(jobs: Sequence[TraceJob]) -> list[int]:
    """Return, for each job, the position of the job that it follows in a closed loop (SWF field
    17); -1 if field 17 names no earlier job.

    Raises:
        ValueError: a number occurs twice, so that it names no job.
    """
    positions: dict[int, int] = {}
    follows = []
    for at, job in enumerate(jobs):
        follows.append(positions.get(job.preceding, -1) if job.preceding > 0 else -1)
        if job.number in positions:
            raise ValueError(f"two jobs have the number {job.number}")
        positions[job.number] = at
    return follows


class MovableJob(Protocol):
    """A job of which the submit time can be changed: a `TraceJob`, or one with all 18 fields."""

    @property
    def submit_s(self) -> int: ...

    def _replace(self, *, submit_s: int) -> Self: ...


J = TypeVar("J", bound=MovableJob)


def shaken(jobs: Iterable[TraceJob], seed: int, most_s: int = 30) -> list[TraceJob]:
    """Return the jobs after input shaking; see `shaking`."""
    return list(shaking(jobs, seed, most_s))


def shaking(jobs: Iterable[J], seed: int, most_s: int = 30) -> Iterator[J]:
    """Yield the jobs after input shaking: every arrival is moved by whole seconds drawn uniformly
    from [-most_s, most_s]. The jobs are in arrival order again (submit, then the order before).
    They must come in arrival order; only those are held that a later job may overtake. A job whose
    submit time is not known stays as it is.

    The effect of chance on a result shows in its spread over many seeds: a metric that a few
    seconds move says nothing (thesis 6.4; Tsafrir, Ouaknine and Feitelson, "Reducing Performance
    Evaluation Sensitivity and Variability by Input Shaking", MASCOTS 2007). The thesis moves one
    run time by up to a minute; half of that is the default here. Nothing arrives before 0.

    Raises:
        ValueError: `most_s` is negative.
    """
    if most_s < 0:
        raise ValueError(f"jobs are shaken by at least 0 s, not {most_s}")
    rng = random.Random(seed)
    held: list[tuple[int, int, J]] = []
    for at, job in enumerate(jobs):
        if job.submit_s < 0:
            yield job
            continue
        moved_s = max(0, job.submit_s + rng.randint(-most_s, most_s))
        while held and held[0][0] < job.submit_s - most_s:
            yield heapq.heappop(held)[2]
        heapq.heappush(held, (moved_s, at, job._replace(submit_s=moved_s)))
    while held:
        yield heapq.heappop(held)[2]
