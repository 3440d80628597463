"""The reasons why a waiting job waits, and the jobs that wait for a running one: facts without
words."""

from __future__ import annotations

from dataclasses import dataclass

from rmsd_core.jobs.job import Job
from rmsd_core.machine.capacity import Profile
from rmsd_core.model_time import NEVER_US
from rmsd_core.planning.expected_starts import (
    Expected,
    ExpectedStarts,
    assumed_end_us,
    shadow_of,
)
from rmsd_core.planning.present import HORIZON_US, Present, WaitingTasks
from rmsd_core.vocabulary import JobState


@dataclass(frozen=True, slots=True)
class Why:
    """The reasons that keep a waiting job from starting.

    place: the job's place in the queue, counted from 1; 0: the job is not in the queue. Tasks of
        arrays that will join the queue before the job count, too.
    waiting: the number of waiting jobs, and of such tasks.
    free: the cores that are free on available nodes. fits: whether the job would start now if no
        other job waited.
    in_turn: whether the recipe lets no job pass the first one of the queue.
    head: the first job of the queue, if that is another job and the recipe has no reservation but
        its. head_us: its expected start [us]; None: not known. beside: the number of cores that are
        left beside it then, at most.
    holders: the jobs that run where the job will, or have claimed it, and are expected to end by
        its start; for a job without an expected start, the running jobs without an end in sight.
        before: the waiting jobs that are expected to run there before it. In both the last to end
        is first; both are empty for a job that has itself claimed its place.
    """

    place: int
    waiting: int
    free: int
    fits: bool
    in_turn: bool
    head: Job | None
    head_us: int | None
    beside: int
    holders: list[Job]
    before: list[Job]


def why(present: Present, starts: ExpectedStarts, job: Job) -> Why:
    """Return why a job waits. The job may be that of a core that was rebuilt since."""
    profile = present.capacity.profile(present.releases, present.now_us)
    queue = [one for one in present.queue if one.state is JobState.PENDING]
    of_partition = [one for one in present.heads if one.request.partition == job.request.partition]
    first = of_partition[0] if of_partition else None
    follows = present.recipe.reserve in ("nobody", "head")
    head = first if follows and first is not None and first.id != job.id else None
    head_us, beside = _shadow(present, head) if head is not None else (None, 0)
    by_id = {one.id: one for one in queue}
    place, waiting = _place(present, job)
    expected = starts.expected.get(job.id)
    before = []
    if expected is not None and not job.claim:
        before = [
            by_id[job_id]
            for job_id, other in starts.expected.items()
            if job_id != job.id and job_id in by_id and _makes_way(other, expected)
        ]
    before.sort(key=lambda one: starts.expected[one.id].end_us, reverse=True)
    return Why(
        place=place,
        waiting=waiting,
        free=max(0, present.capacity.free),
        fits=profile.space_at(job.request, present.now_us, 1) is not None,
        in_turn=present.recipe.in_turn,
        head=head,
        head_us=head_us,
        beside=beside,
        holders=[] if job.claim else _holders(present, profile, expected),
        before=before,
    )


def held_up(present: Present, starts: ExpectedStarts, job: Job) -> list[Job]:
    """Return the jobs that wait for the running `job` to end, the first to start first."""
    profile = present.capacity.profile(present.releases, present.now_us)
    return [
        one
        for one in present.queue
        if one.state is JobState.PENDING
        and (expected := starts.expected.get(one.id)) is not None
        and _ends_for(profile, job, expected, present.now_us)
    ]


def _place(present: Present, job: Job) -> tuple[int, int]:
    """Return the place of the job among what waits, 0 if it has none, and how much waits."""
    place = waiting = 0
    for one in present.line:
        if isinstance(one, WaitingTasks):
            waiting += one.count
        elif one.state is JobState.PENDING:
            waiting += 1
            if one.id == job.id:
                place = waiting
    return place, waiting


def _shadow(present: Present, head: Job) -> tuple[int | None, int]:
    shadow = shadow_of(present, head)
    known = shadow.time_us < NEVER_US and shadow.time_us - present.now_us < HORIZON_US
    return (shadow.time_us if known else None), max(0, shadow.extra)


def _holders(present: Present, profile: Profile, expected: Expected | None) -> list[Job]:
    if expected is None:
        far_us = present.now_us + HORIZON_US
        return [job for end_us, _, job in reversed(present.releases) if end_us >= far_us]
    running = (job for _, _, job in reversed(present.releases))
    return [job for job in running if _ends_for(profile, job, expected, present.now_us)]


def _ends_for(profile: Profile, job: Job, expected: Expected, now_us: int) -> bool:
    """Return whether the running job is expected to make way for what starts then and there."""
    end_us = job.expected_end_us
    if end_us is None or assumed_end_us(job, end_us, now_us) > expected.start_us:
        return False
    nodes = profile.nodes_of(profile.space_of(job.releasing()))
    return not expected.nodes or expected.nodes & nodes != 0


def _makes_way(other: Expected, expected: Expected) -> bool:
    """Return whether a waiting job is expected to have been there before."""
    if other.end_us > expected.start_us or other.basis == "claim":
        return False
    return not expected.nodes or expected.nodes & other.nodes != 0
