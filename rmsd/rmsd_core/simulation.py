"""The core on a virtual clock: a trace in, a schedule out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from heapq import heappop, heappush

from rmsd_core.core import Core
from rmsd_core.effects import Start
from rmsd_core.inputs import Exited, Input, NodeUp, Submit
from rmsd_core.job import SECOND_US, Job, Outcome, Request, processors
from rmsd_core.recipe import Recipe
from rmsd_core.schedule import Schedule, Scheduled
from rmsd_core.swf import TraceJob
from rmsd_core.vocabulary import Cause

_MACHINE = "machine"
_DONE = Outcome(Cause.EXIT, 0)

Progress = Callable[[int], None]
"""Called now and then with the number of jobs that have ended."""


def simulate(
    trace: Sequence[TraceJob],
    processor_count: int,
    recipe: Recipe,
    progress: Progress | None = None,
) -> Schedule:
    """Run `trace` (in arrival order, every job takes part) through the core.

    The schedule is in arrival order. Run times are known to this driver alone: a job that the core
    starts exits that much later, and that is all the core learns.
    """
    core = Core(recipe, "counted")
    core.handle(0, [NodeUp(_MACHINE, processor_count, 0)])
    request_of: Callable[[int], Request] = cache(processors)
    jobs = [
        Job(
            id=at,
            user=job.user,
            submit_us=job.submit_s * SECOND_US,
            request=request_of(job.size),
            estimate_us=job.estimate_s * SECOND_US,
        )
        for at, job in enumerate(trace)
    ]
    ends: list[tuple[int, int]] = []  # (end, position), so that ties are in arrival order
    schedule: list[Scheduled | None] = [None] * len(jobs)
    arrived = ended = 0
    wake_us: int | None = None
    while arrived < len(jobs) or ends:
        now_us = _next_instant(
            jobs[arrived].submit_us if arrived < len(jobs) else None, ends, wake_us
        )
        inputs: list[Input] = []
        while ends and ends[0][0] == now_us:
            job = jobs[heappop(ends)[1]]
            inputs.append(Exited(job.id, job.attempt, _MACHINE, now_us, _DONE))
            schedule[job.id] = Scheduled(
                trace[job.id].number,
                job.submit_us,
                job.start_us,
                now_us,
                now_us - job.start_us,
                job.size,
                job.backfilled,
            )
            ended += 1
            if progress is not None and ended % 1000 == 0:
                progress(ended)
        while arrived < len(jobs) and jobs[arrived].submit_us == now_us:
            inputs.append(Submit(jobs[arrived]))
            arrived += 1
        effects = core.handle(now_us, inputs)
        for decision in effects.decisions:
            if type(decision) is Start:
                at = decision.job.id
                heappush(ends, (now_us + trace[at].run_s * SECOND_US, at))
        wake_us = effects.wake_us
    return Schedule([job for job in schedule if job is not None], processor_count)


def _next_instant(arrival_us: int | None, ends: list[tuple[int, int]], wake_us: int | None) -> int:
    instants = [instant for instant in (arrival_us, wake_us) if instant is not None]
    if ends:
        instants.append(ends[0][0])
    return min(instants)
