"""The expected starts of the waiting jobs, for callers.

If the planner has a reservation, it is the expected start: the head's shadow time (EASY), or the
plan of the recipes that keep one. A head that will take the place of running jobs starts then. For
the other jobs it is a projection: running jobs end by their
predictions, and no other job comes. The waiting jobs are placed in queue order, each at its
earliest place; the tasks of an array that are in no queue yet are placed behind those that are. A
job without a limit is assumed to run for a day, and a day more whenever that is over. No decision
depends on any of this, and computing it changes nothing.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from itertools import islice, repeat
from typing import NamedTuple

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Allocation, Request
from rmsd_core.machine.capacity import Profile, Release, Shadow, Space
from rmsd_core.model_time import NEVER_US
from rmsd_core.planning.assumed_ends import (
    ASSUMED_US,
    assumed_end_us,
    assumed_releases,
    endless,
    expected_length_us,
    profile_of,
)
from rmsd_core.planning.expected import Basis, Expected, ExpectedStarts
from rmsd_core.planning.line import in_order_of_plan
from rmsd_core.planning.planner_state import held_by_trial, in_trial, trial_over_us
from rmsd_core.planning.portions import PORTION, Portions
from rmsd_core.planning.present import HORIZON_US, Present, WaitingTasks, last_of
from rmsd_core.planning.start_windows import (
    earliest_in_steps,
    request_now,
    shadow,
    shadow_in_steps,
)
from rmsd_core.recipes.recipe import Extra
from rmsd_core.vocabulary import JobState

DEPTH = 200
"""The number of jobs of the queue that are placed at once; those behind them are placed later, some
at a time."""


class _Late(NamedTuple):
    """Tasks that the limit of their array keeps out of the queue. The first of the `left` tasks
    joins it at `joins_us`."""

    joins_us: int
    seq: int
    left: int
    tasks: WaitingTasks


class Projection:
    """The queue as it finds its places behind what runs, some jobs at a time.

    It is placed in portions, when the core may have moved on: the jobs are placed as the queue
    was, until the machine changes. A task of an array that is in
    no queue counts as a job here. A task that the limit of its array keeps waiting is placed late:
    it comes before the first job whose start is after the end of the task that makes way for it.

    starts: what is expected so far. A waiting job without a start there has no known one.
    """

    def __init__(self, present: Present) -> None:
        self.starts = ExpectedStarts(present.now_us)
        self._present = present
        self._profile: Profile  # made by `begin`
        self._turns_us: dict[str | None, int] = {}  # used if no job passes another
        self._planned_alone: set[int] = set()  # jobs with the plan's start until they are placed
        # The ends of the trials of tasks in no queue, by array; and a heap of the ends of the tasks
        # that count for its limit.
        self._trials_us: defaultdict[int, deque[int]] = defaultdict(deque)
        self._ends_us: defaultdict[int, list[int]] = defaultdict(list)
        self._late: list[_Late] = []  # a heap
        # the earliest start that is left to jobs of a request and a length: time is only taken
        self._left_us: dict[tuple[Request, int], int] = {}
        self._shadows_us: dict[int, int] = {}
        self._line: Sequence[Job | WaitingTasks] = ()
        self._next = 0
        self._placed = 0  # the number of placed tasks of the array at `_next`

    def begin(self, depth: int) -> Portions[None]:
        """Place the first `depth` jobs. Call this before `placing`."""
        untried = list(islice(_one_by_one(self._present.untried), depth))
        yield from self._look_at_running()
        self._expect_claims()
        yield from self._expect_preempting()
        self._expect_backfilled()
        for one in untried:
            yield from self._expect_trial(one)
            yield
        self._line = yield from in_order_of_plan(self._present)
        yield from self.placing(depth)
        yield from self._look_behind()

    def _look_at_running(self) -> Portions[None]:
        """Find what is free as running jobs end, and the reservations of the heads."""
        present = self._present
        yield
        releases = assumed_releases(present)
        self._profile = yield from profile_of(present, releases)
        for at, (end_us, _, job) in enumerate(releases, 1):
            if endless(job):
                self.starts.assumed_us = end_us
                break
            if not at % PORTION:
                yield
        if present.recipe.reserve == "head":
            yield
            gathered = present.capacity.gathered(present.releases, present.pieces)
            yield
            for head in present.heads:
                found = yield from shadow_in_portions(present, head, gathered)
                self._shadows_us[head.id] = found.time_us

    @property
    def is_of_the_machine(self) -> bool:
        """Return whether the machine is what it was: otherwise no more jobs are placed."""
        return self._present.is_of_the_machine

    def placing(self, most: int | None = None) -> Portions[bool]:
        """Place more jobs, `most` of them (None: all). Return whether others can be placed after
        them."""
        left = most
        while left != 0 and self._has_more and self.is_of_the_machine:
            yield from self._place_next()
            yield
            left = None if left is None else left - 1
        return self._has_more and self.is_of_the_machine

    @property
    def _has_more(self) -> bool:
        return self._next < len(self._line) or bool(self._late)

    def _place_next(self) -> Portions[None]:
        one = self._line[self._next] if self._next < len(self._line) else None
        if one is None:
            yield from self._place_late()
        elif isinstance(one, WaitingTasks):
            yield from self._place_task_of(one)
        elif (yield from self._place_job(one)):
            self._next += 1

    def start_of(self, job: Job, not_before_us: int) -> Portions[Expected | None]:
        """Return the start of a job that comes when all jobs of the queue have their places, and
        may start at `not_before_us` at the earliest; None: there is no place for it. Nothing is
        taken."""
        length_us = expected_length_us(job)
        begin_us = max(not_before_us, self.starts.now_us)
        found = yield from self._earliest(job, length_us, begin_us)
        if found is None or found[0] - self.starts.now_us >= HORIZON_US:
            return None
        start_us, space = found
        basis: Basis = "assumption" if start_us >= self.starts.assumed_us else "projection"
        nodes, allocation = self._profile.numbers_of(space), self._allocation(job, found)
        return Expected(start_us, length_us, basis, nodes, allocation)

    def _allocation(self, job: Job, found: tuple[int, Space]) -> Allocation | None:
        """Return the nodes by name; None if all is one pool, in which a place is known only now."""
        start_us, space = found
        if not self._profile.numbers_of(space) and start_us > self.starts.now_us:
            return None
        return self._profile.allocation(job.request, space)

    def _expect_claims(self) -> None:
        now_us = self._present.now_us
        for job in self._present.claiming:
            assert job.expected_end_us is not None
            length_us = max(0, assumed_end_us(job, job.expected_end_us, now_us) - now_us)
            self.starts.expected[job.id] = Expected(now_us, length_us, "claim")

    def _expect_preempting(self) -> Portions[None]:
        """Expect the heads that take the place of running jobs, whose ends are as early."""
        for job, start_us in self._present.preempting.items():
            length_us = expected_length_us(job)
            found = yield from self._earliest(job, length_us, start_us)
            if found is not None:
                self._expect(job, found, length_us, "preemption")
                self._note_turn(job, found[0])

    def _expect_backfilled(self) -> None:
        """Expect the new job at once if it would be backfilled past the queue."""
        job, place = self._present.new, self._present.new_place
        if job is not None and place is not None:
            found = self.starts.now_us, self._profile.space_of(place)
            self._expect(job, found, expected_length_us(job), "projection")

    def _expect_trial(self, one: Job | WaitingTasks) -> Portions[None]:
        """Place a trial as soon as it fits, whatever is reserved (Timed, 2)."""
        job = last_of(one)
        length_us = min(expected_length_us(job), self._present.recipe.trial_us)
        windows, within_us = self._present.windows, (self._present.now_us, NEVER_US)
        found = yield from earliest_in_steps(windows, self._profile, job, length_us, within_us)
        if found is None:
            return
        if isinstance(one, WaitingTasks):
            self._take(job, found, length_us)
            self._trials_us[one.array_id].append(found[0] + length_us)
        else:
            self._expect(job, found, length_us, "trial")

    def _place_task_of(self, tasks: WaitingTasks) -> Portions[None]:
        """Place the next task of an array that is in no queue, and put those off that are beyond
        the limit of the array."""
        if self._placed < tasks.slots:
            if not (yield from self._place_task(tasks, self._present.now_us)):
                yield from self._place_late()
                return
            self._placed += 1
        if self._placed == tasks.slots:
            self._next += 1
            self._placed = 0
            ends_us = self._ends_us[tasks.array_id]
            ends_us += [self._end_us(job) for job in tasks.active]
            heapify(ends_us)
            self._put_off(tasks, tasks.count - tasks.slots)

    def _put_off(self, tasks: WaitingTasks, left: int) -> None:
        """Let the next task of the array join the queue as the next one that counts ends."""
        ends_us = self._ends_us[tasks.array_id]
        if left and ends_us:
            heappush(self._late, _Late(heappop(ends_us), tasks.last.seq, left, tasks))

    def _place_late(self) -> Portions[None]:
        """Place the first of the late tasks, or one that comes before it. Thousands may come one
        before the other."""
        behind: list[_Late] = []
        while True:
            late = heappop(self._late)
            if (yield from self._place_task(late.tasks, late.joins_us)):
                break
            behind.append(late)
        self._put_off(late.tasks, late.left - 1)
        for one in behind:
            heappush(self._late, one)

    def _place_task(self, tasks: WaitingTasks, joins_us: int) -> Portions[bool]:
        """Place a task that joins the queue at `joins_us`. Return whether no late task comes first:
        the task is not placed then."""
        job, present = tasks.last, self._present
        trials_us = self._trials_us[tasks.array_id]
        tried_us = trials_us[0] if trials_us else 0
        found = None
        end_us = tried_us
        if not tried_us or job.prediction_us > present.recipe.trial_us:
            length_us = expected_length_us(job)
            turn_us = self._turns_us.get(job.request.partition, present.now_us)
            found = yield from self._earliest(job, length_us, max(turn_us, joins_us, tried_us))
            if found is None:
                return True
            if self._late and self._late[0].joins_us <= found[0]:
                return False
            yield
            self._take(job, found, length_us)
            self._note_turn(job, found[0])
            end_us = found[0] + length_us
        if trials_us:
            trials_us.popleft()
        if tasks.limit is not None:
            heappush(self._ends_us[tasks.array_id], end_us)
        return True

    def _end_us(self, job: Job) -> int:
        """Return the expected end of a task that counts for the limit of its array."""
        now_us = self._present.now_us
        expected = self.starts.expected.get(job.id)
        if expected is not None:
            return expected.end_us
        if job.expected_end_us is None:
            return now_us
        return max(now_us, assumed_end_us(job, job.expected_end_us, now_us))

    def _place_job(self, job: Job) -> Portions[bool]:
        """Place a job of the queue. Return whether no late task came first. Until the place is
        found, callers see what was expected of the job before."""
        starts, present = self.starts, self._present
        if job is present.new and present.new_place is not None:
            return True  # the job has its place already
        if job in present.preempting and job.id in starts.expected:
            return True
        trial = None if job.id in self._planned_alone else starts.expected.get(job.id)
        waits = job.state is JobState.PENDING and trial is None
        if not waits and job.prediction_us <= present.recipe.trial_us:
            self._forget_plan(job)
            return True  # the job fits into its trial
        turn_us = self._turns_us.get(job.request.partition, present.now_us)
        found, basis = yield from self._place(job, turn_us, trial)
        if found is not None and self._late and self._late[0].joins_us <= found[0]:
            yield from self._place_late()
            return False
        yield
        self._forget_plan(job)
        if found is None:
            if waits:
                starts.nowhere.add(job.id)
            return True
        if waits:
            self._expect(job, found, expected_length_us(job), basis)
        else:
            self._take(job, found, expected_length_us(job))
        self._note_turn(job, found[0])
        return True

    def _forget_plan(self, job: Job) -> None:
        """Forget that the job was not placed, and the start that the plan has for it."""
        if job.id in self._planned_alone:
            self._planned_alone.remove(job.id)
            del self.starts.expected[job.id]
        self.starts.left_out.discard(job.id)

    def _note_turn(self, job: Job, start_us: int) -> None:
        """Note what the start of a job means for those behind it."""
        if self._present.recipe.in_turn:
            self._turns_us[job.request.partition] = start_us
        if endless(job):
            self.starts.assumed_us = min(self.starts.assumed_us, start_us + ASSUMED_US)

    def _look_behind(self) -> Portions[None]:
        """Take the starts of the jobs that are not placed yet from the plan, if the plan has
        them. If a job that has not arrived is among them, only its start is asked for."""
        starts, new = self.starts, self._present.new
        for at in range(self._next, len(self._line)):
            job = self._line[at]
            if not at % PORTION:
                yield
            if isinstance(job, WaitingTasks) or (new is not None and job is not new):
                continue
            if job.state is not JobState.PENDING or job.id in starts.expected:
                continue
            if (planned_us := self._present.planned_us(job)) is None:
                starts.left_out.add(job.id)
                continue
            start_us = max(planned_us, starts.now_us)
            starts.expected[job.id] = Expected(start_us, expected_length_us(job), "reservation")
            self._planned_alone.add(job.id)

    def _place(
        self, job: Job, turn_us: int, trial: Expected | None
    ) -> Portions[tuple[tuple[int, Space] | None, Basis]]:
        starts, profile, present = self.starts, self._profile, self._present
        now_us, recipe = present.now_us, present.recipe
        length_us = expected_length_us(job)
        not_before_us = max(turn_us, trial_over_us(job, now_us, recipe))
        basis: Basis = "projection"
        if trial is not None:  # the trial comes first
            not_before_us = max(turn_us, trial.end_us)
        elif (planned_us := present.planned_us(job)) is not None:
            not_before_us, basis = max(planned_us, not_before_us), "reservation"
            request = request_now(present.windows, job, not_before_us)
            space = None if request is None else profile.space_at(request, not_before_us, length_us)
            if space is not None:
                return (not_before_us, space), basis
            yield
        elif (shadow_us := self._shadows_us.get(job.id)) is not None:
            starts.head = job
            if shadow_us - now_us < HORIZON_US:
                # EASY's start for the head. The head fits there unless a job is overdue, which the
                # shadow counts as about to end (simulation rules, "EASY").
                not_before_us, basis = shadow_us, "reservation"
        if basis == "projection" and trial is None and (held := held_by_trial(job)):
            space = profile.space_of(held)
            if not in_trial(job, now_us) and profile.holds(space, not_before_us, length_us):
                return (not_before_us, space), basis
        return (yield from self._earliest(job, length_us, not_before_us)), basis

    def _take(self, job: Job, found: tuple[int, Space], length_us: int) -> None:
        self._profile.take(found[1], found[0], length_us)
        if (windows := self._present.windows) is not None:
            windows.take(job, found[0])

    def _earliest(
        self, job: Job, length_us: int, not_before_us: int
    ) -> Portions[tuple[int, Space] | None]:
        """Return the earliest start that holds the request, and its space there. The search begins
        where one for the same request has ended: 100,000 equal jobs are placed in a second or
        two."""
        if (windows := self._present.windows) is not None:
            within_us = not_before_us, NEVER_US
            return (yield from earliest_in_steps(windows, self._profile, job, length_us, within_us))
        request = job.request
        alike = request, length_us
        left_us = self._left_us.get(alike, self._present.now_us)
        begin_us = max(not_before_us, left_us)
        found = yield from self._profile.earliest_in_steps(request, length_us, begin_us)
        if found is not None and not_before_us <= left_us:
            self._left_us[alike] = found[0]
        return found

    def _expect(self, job: Job, found: tuple[int, Space], length_us: int, basis: Basis) -> None:
        start_us, space = found
        starts = self.starts
        allocation = self._allocation(job, found) if job is self._present.new else None
        self._take(job, found, length_us)
        if basis in ("projection", "trial") and start_us >= starts.assumed_us:
            basis = "assumption"
        if start_us - starts.now_us < HORIZON_US:
            nodes = self._profile.numbers_of(space)
            starts.expected[job.id] = Expected(start_us, length_us, basis, nodes, allocation)


def _one_by_one(waiting: Iterable[Job | WaitingTasks]) -> Iterator[Job | WaitingTasks]:
    """Yield the jobs, and arrays as often as they have tasks that may join the queue now."""
    for one in waiting:
        yield from repeat(one, one.slots if isinstance(one, WaitingTasks) else 1)


def shadow_of(present: Present, head: Job) -> Shadow:
    """Return the reservation that EASY has for the first job of the queue."""
    recipe, now_us, capacity = present.recipe, present.now_us, present.capacity
    not_before_us = trial_over_us(head, now_us, recipe)
    releases = capacity.gathered(present.releases, present.pieces)
    return shadow(present.windows, capacity, head, releases, now_us, not_before_us, recipe.extra)


def shadow_in_portions(
    present: Present, head: Job, gathered: Iterable[Release], extra: Extra | None = None
) -> Portions[Shadow]:
    """Do what `shadow_of` does, in portions. gathered: the releases of the present, as
    `Capacity.gathered` returns them. extra: None if only the time is asked for."""
    from_us = max(present.now_us, trial_over_us(head, present.now_us, present.recipe))
    windows, capacity = present.windows, present.capacity
    return (yield from shadow_in_steps(windows, capacity, head, gathered, from_us, extra))
