"""The reasons why a waiting job waits, and the jobs that wait for a running one: facts without
words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rmsd_core.jobs.job import Job
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.machine.capacity import Profile
from rmsd_core.model_time import NEVER_US
from rmsd_core.planning.assumed_ends import assumed_end_us, profile_of
from rmsd_core.planning.expected import Expected, ExpectedStarts
from rmsd_core.planning.expected_starts import shadow_in_portions
from rmsd_core.planning.line import in_portions
from rmsd_core.planning.portions import PORTION, Portions
from rmsd_core.planning.present import HORIZON_US, Present, WaitingTasks, last_of
from rmsd_core.planning.start_windows import closing, request_now
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
    closing: the advance reservations that keep the job from starting now: that inside which it
        runs, or those that it would reach into by its limit, the first to begin first.
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
    closing: list[AdvanceReservation]


def why(present: Present, starts: ExpectedStarts, job: Job) -> Portions[Why]:
    """Return why a job waits. The job may be that of a core that was rebuilt since."""
    profile = yield from profile_of(present, present.releases)
    of_partition = [one for one in present.heads if one.request.partition == job.request.partition]
    first = of_partition[0] if of_partition else None
    follows = present.recipe.reserve in ("nobody", "head")
    head = first if follows and first is not None and first.id != job.id else None
    head_us, beside = None, 0
    if head is not None:
        head_us, beside = yield from _shadow(present, head)
    expected = None if job.claim else starts.expected.get(job.id)
    free = max(0, present.capacity.free)
    request = request_now(present.windows, job, present.now_us)
    fits = request is not None and profile.space_at(request, present.now_us, 1) is not None
    holders: list[Job] = []
    if not job.claim:
        holders = yield from _holders(present, profile, expected)
    before = yield from _before(present, starts, job.id, expected)
    place, waiting = yield from _place(present, job)
    return Why(
        place=place,
        waiting=waiting,
        free=free,
        fits=fits,
        in_turn=present.recipe.in_turn,
        head=head,
        head_us=head_us,
        beside=beside,
        holders=holders,
        before=before,
        closing=[*closing(present.windows, present.capacity, job, present.now_us)],
    )


def held_up(present: Present, starts: ExpectedStarts, job: Job) -> Portions[list[Job]]:
    """Return the jobs that wait for the running `job` to end, the first to start first."""
    ends_us = job.expected_end_us
    if ends_us is None:
        return []
    profile = yield from profile_of(present, present.releases)
    nodes = profile.numbers_of(profile.space_of(job.releasing()))
    ends_us = assumed_end_us(job, ends_us, present.now_us)

    def waits_for_it(expected: Expected) -> bool:
        return ends_us <= expected.start_us and _is_there(expected, nodes)

    found = yield from _expected_jobs(present, starts, waits_for_it)
    return sorted(found, key=lambda one: starts.expected[one.id].start_us)


def _before(
    present: Present, starts: ExpectedStarts, job_id: int, expected: Expected | None
) -> Portions[list[Job]]:
    """Return the waiting jobs that are expected to run there before the job, the last to end
    first."""
    if expected is None:
        return []
    found = yield from _expected_jobs(present, starts, lambda other: _makes_way(other, expected))
    others = [one for one in found if one.id != job_id]
    return sorted(others, key=lambda one: starts.expected[one.id].end_us, reverse=True)


def _expected_jobs(
    present: Present, starts: ExpectedStarts, is_meant: Callable[[Expected], bool]
) -> Portions[list[Job]]:
    """Return the jobs in the queue of whose expected starts `is_meant` is true."""
    found = []
    for at, (job_id, expected) in enumerate(list(starts.expected.items()), 1):
        if is_meant(expected) and (job := present.waiting_job(job_id)) is not None:
            found.append(job)
        if not at % PORTION:
            yield
    return found


def _place(present: Present, job: Job) -> Portions[tuple[int, int]]:
    """Return the place of the job among what waits, 0 if it has none, and how much waits."""
    before = waiting = 0
    is_there = False
    mine = present.jobs.get(job.id)
    rank = None if mine is None else present.rank(mine)
    for some in in_portions(present):
        for one in some:
            if isinstance(one, WaitingTasks):
                count = one.count
            else:
                count = int(one.state is JobState.PENDING and present.may_start(one))
            waiting += count
            if one is mine:
                is_there = count > 0
            elif rank is not None and count and present.rank(last_of(one)) < rank:
                before += count
        yield
    return before + 1 if is_there else 0, waiting


def _shadow(present: Present, head: Job) -> Portions[tuple[int | None, int]]:
    gathered = present.capacity.gathered(present.releases, present.pieces)
    shadow = yield from shadow_in_portions(present, head, gathered, present.recipe.extra)
    known = shadow.time_us < NEVER_US and shadow.time_us - present.now_us < HORIZON_US
    return (shadow.time_us if known else None), max(0, shadow.extra)


def _holders(present: Present, profile: Profile, expected: Expected | None) -> Portions[list[Job]]:
    now_us, found = present.now_us, []
    for at, (end_us, _, job) in enumerate(reversed(present.releases), 1):
        if expected is None:
            if end_us < now_us + HORIZON_US:
                break
            found.append(job)
        elif assumed_end_us(job, end_us, now_us) <= expected.start_us:
            nodes = profile.numbers_of(profile.space_of(present.pieces[job]))
            if _is_there(expected, nodes):
                found.append(job)
        if not at % PORTION:
            yield
    return found


def _makes_way(other: Expected, expected: Expected) -> bool:
    """Return whether a waiting job is expected to have been there before."""
    if other.end_us > expected.start_us or other.basis == "claim":
        return False
    return _is_there(expected, other.nodes)


def _is_there(expected: Expected, nodes: int) -> bool:
    """Return whether the job is expected on any of the nodes, or anywhere in the one pool."""
    return not expected.nodes or expected.nodes & nodes != 0
