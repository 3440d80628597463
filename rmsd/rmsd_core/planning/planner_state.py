"""The state of a planner: the queue, the running jobs with their expected ends, and the
promises."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import chain

from rmsd_core.jobs.accounts import Policies
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Expired, OnTrial, Preempted, Waiting
from rmsd_core.jobs.request import Allocation
from rmsd_core.machine.capacity import Capacity, Release, Shadow
from rmsd_core.machine.partitions import Partition
from rmsd_core.model_time import NEVER_US
from rmsd_core.planning.fair_shares import FairShares
from rmsd_core.planning.held_pieces import HeldPieces
from rmsd_core.planning.kept_releases import KeptReleases
from rmsd_core.planning.limits import LimitIndex
from rmsd_core.planning.partitioned_queue import PartitionedQueue
from rmsd_core.planning.priorities import Priorities
from rmsd_core.planning.queue import LengthOf, Queue, longer
from rmsd_core.planning.queue_kinds import PassTime, QueueKinds, fit_length
from rmsd_core.planning.start_windows import Windows, request_now, shadow
from rmsd_core.planning.urgent_first import is_urgent
from rmsd_core.recipes.recipe import Recipe

StartJob = Callable[[Job, Allocation, Job | None], None]
"""A function that starts a job on an allocation. The last argument is the job with a reservation
that the job passes, or None."""


def holds_nothing(job: Job) -> bool:
    """Return whether the job, which is in the queue, has neither a trial that runs nor a claim, so
    that it can start wherever it fits."""
    phase = job.phase
    return type(phase) is Waiting or (type(phase) is Preempted and phase.claim is None)


def in_trial(job: Job, now_us: int) -> bool:
    """Return whether the job is inside its trial run, or is about to begin it: the base scheduler
    cannot start it then (Timed, 2.1)."""
    phase = job.phase
    if type(phase) is OnTrial or type(phase) is Expired:
        return phase.end_us > now_us
    return job.claim is not None


def trial_over_us(job: Job, now_us: int, recipe: Recipe) -> int:
    """Return when the trial of a job in the queue is over, before which the base cannot start it; 0
    if it has none. A trial that waits for its claim ends no sooner than if it began now."""
    phase = job.phase
    if type(phase) is OnTrial or type(phase) is Expired:
        return phase.end_us
    if (claim := job.claim) is None:
        return 0
    return now_us + recipe.trial_us if claim.kind == "trial" else now_us


def held_by_trial(job: Job) -> Allocation:
    """Return the allocation on which the expired trial of the job still runs; the trial can be
    committed there in place."""
    phase = job.phase
    return phase.attempt.allocation if type(phase) is OnTrial or type(phase) is Expired else ()


def _leave_none(_: Job) -> None:
    """Do nothing: the recipe has no trials."""


MOST_HELD_BACK = 2000
"""The jobs that a pass takes out of the queue at most, since they would pass a limit of accounts or
QOS: it takes some 10 microseconds for each. A user may have 100,000 that waited for processors, of
which five may run."""


class PlannerState:
    """Queue and release list of one recipe over one capacity.

    queue: the waiting jobs in the recipe's order; backfill: the same in backfill order.
    partitioned: the queue, if there have been partitions; else None.
    time: of the present pass.
    slip_us: how far a standing reservation may be postponed instead of being void.
    releases: what is held, by expected end. held_pieces: what these jobs give back.
    fit_length: the length by which a backfilled job must end before the reservation.
    starts: how many starts have been decided.
    waiting_us: the sum of the predictions of the waiting jobs.
    promised: the jobs that a pass has promised a start for the first time, or promoted; some of
        them may have started in the same pass.
    arrived: the ids of the jobs that no pass has looked at since they arrived.
    fair_shares, priorities: of the order "priority"; None in others.
    held_changes: how often a job began or ceased to hold something, or changed what it holds.
    windows: when and where jobs may start beside advance reservations; None if there are none.
    limits: of accounts and QOS. leave_trials: tells the trials of a job that waits for none now.
    may_hold_back: how many more a pass may take out. starts_left: how many more it may start, of
        `most_starts`; looks_left: how many more looks it may plan with, of `most_looks`. Looks at
        nodes for places end it as well, once it has started a job.
        is_cut: it had to end before it was over.
    changes: the jobs that began (True) or ceased (False) to hold something, in order; None if the
        pass keeps no profile.
    """

    def __init__(
        self,
        recipe: Recipe,
        capacity: Capacity,
        slip_us: int,
        most_starts: int = NEVER_US,
        most_looks: int = NEVER_US,
    ) -> None:
        self.recipe = recipe
        self.capacity = capacity
        self.slip_us = slip_us
        self.most_starts, self.most_looks = most_starts, most_looks
        self.releases: list[Release] = []
        self.held_pieces = HeldPieces()
        # The releases for heads, by predictions and by estimates; the latter within a pass.
        self._kept, self._kept_by_estimate = KeptReleases(capacity), KeptReleases(capacity)
        self.time = PassTime()
        self.fit_length = fit_length(recipe, self.time)
        self.starts = 0
        self.waiting_us = 0
        self.promised: dict[Job, None] = {}
        self.arrived: set[int] = set()
        self.held_changes = 0
        self.changes: list[tuple[Job, bool]] | None = None
        self.fair_shares: FairShares | None = None
        self.priorities: Priorities | None = None
        if recipe.order == "priority":
            by_account = recipe.weights.by == "account"
            self.fair_shares = FairShares(recipe.weights.half_life_us, by_account=by_account)
            self.priorities = Priorities(recipe.weights, self.fair_shares)
        self._queues = QueueKinds(recipe, self.fit_length, self.priorities)
        self.limits = LimitIndex(self._queues.of_held_back)
        self.leave_trials: Callable[[Job], None] = _leave_none
        self.may_hold_back, self.starts_left = MOST_HELD_BACK, most_starts
        self.looks_left, self._looks_before = most_looks, 0
        self.is_cut = False
        self.windows: Windows | None = None
        self.partitioned: PartitionedQueue | None = None
        self._tiers: dict[str, int] = {}
        self._levels: dict[str, int] = {}
        urgency = recipe.urgency
        self._urgent_by_estimates = recipe.has_urgent and urgency.believes == "estimate"
        self.queue = self.backfill = self._queues.in_order(self._queues.order)
        if self._queues.backfills_apart:
            self.backfill = self._queues.in_backfill_order()

    def set_partitions(self, partitions: Mapping[str, Partition]) -> bool:
        """Replace the partitions. No job moves to another queue, since each is in that of the
        partition that it names. So a queue that is once divided remains so: when there are no
        partitions any more, jobs still name some. Return whether jobs have other priorities; then
        those in the queue are sorted anew."""
        self._tiers.clear()
        self._tiers.update({one.name: one.tier for one in partitions.values()})
        if self.priorities is not None and self.priorities.set_partition_points(
            {one.name: one.priority for one in partitions.values() if one.priority}
        ):
            self._sort_anew(chain.from_iterable(self.queue.lend()), divides=True)
            return True
        if not partitions or self.partitioned is not None:
            return False
        queues = self._queues
        queue = self._divided(partial(queues.in_order, queues.order), self.queue)
        if self.backfill is self.queue:
            self.backfill = queue
        else:
            self.backfill = self._divided(queues.in_backfill_order, self.backfill)
        self.queue = self.partitioned = queue
        return False

    def set_levels(self, levels: Mapping[str, int]) -> None:
        """Have the jobs of QOS with a higher level come first from now on. The queue is then
        divided, as if there were partitions, and remains so."""
        if levels == self._levels:
            return
        jobs = chain.from_iterable(self.queue.lend())
        self._levels = dict(levels)
        self._sort_anew(jobs, divides=True)

    def set_priorities(self, policies: Policies) -> None:
        """Divide the fair shares by these accounts from now on, and give the jobs of these QOS
        their points."""
        if self.fair_shares is None or self.priorities is None:
            return
        points = {one.name: one.priority for one in policies.qos if one.priority}
        are_others = self.priorities.set_qos_points(points)
        if self.fair_shares.set_accounts(policies.accounts) or are_others:
            jobs = chain.from_iterable(self.queue.lend())
            self._sort_anew(jobs, divides=self.partitioned is not None)

    def _sort_anew(self, jobs: Iterable[Job], *, divides: bool) -> None:
        """Put the waiting jobs into new queues. divides: by partitions and levels."""
        queues = self._queues
        in_order = partial(queues.in_order, queues.order)
        before = self.queue
        self.partitioned = self._divided(in_order) if divides else None
        self.queue = in_order() if self.partitioned is None else self.partitioned
        if self.backfill is before:
            self.backfill = self.queue
        elif divides:
            self.backfill = self._divided(queues.in_backfill_order)
        else:
            self.backfill = queues.in_backfill_order()
        for job in jobs:
            self.queue.add(job)
            if self.backfill is not self.queue:
                self.backfill.add(job)

    def _divided(
        self, make: Callable[[], Queue], undivided: Queue | None = None
    ) -> PartitionedQueue:
        free_in = self.capacity.free_in
        return PartitionedQueue(make, self._tiers, self._levels, free_in, undivided)

    @property
    def partition_count(self) -> int:
        """Return the number of partitions in which jobs wait; 1 if there are none."""
        return 1 if self.partitioned is None else self.partitioned.count

    def heads(self, now_us: int) -> list[Job]:
        """Return the first job of the queue, or of each partition."""
        if self.partitioned is not None:
            return self.partitioned.heads(now_us)
        first = self.queue.first(now_us)
        return [] if first is None else [first]

    def reorder(self, name: str, now_us: int) -> None:
        """Sort the queue in the order called `name` from now on."""
        self._queues.order = name
        queue = self._queues.in_order(name)
        if self.partitioned is not None:
            queue = self.partitioned = self._divided(partial(self._queues.in_order, name))
        for job in self.queue.jobs(now_us):
            queue.add(job)
        if self.backfill is self.queue:
            self.backfill = queue
        self.queue = queue
        self.limits.rank_anew(lambda job: queue.rank(job, now_us), now_us)

    def enqueue(self, job: Job) -> None:
        self.waiting_us += job.prediction_us
        self.queue.add(job)
        if self.backfill is not self.queue:
            self.backfill.add(job)

    def dequeue(self, job: Job) -> None:
        """Remove a job from the queue. Raises KeyError if the job does not wait here."""
        self.queue.remove(job)
        self.waiting_us -= job.prediction_us
        if self.backfill is not self.queue:
            self.backfill.remove(job)

    def index_anew(self, job: Job) -> None:
        """Note that a job in the queue runs now. It keeps its place there."""
        for queue in dict.fromkeys((self.queue, self.backfill)):
            queue.remove(job)
            queue.add(job)

    def is_refused(self, job: Job, now_us: int) -> bool:
        """Return whether the job would pass a limit, or take what jobs before it wait for that are
        still to join the queue."""
        limits = self.limits
        return limits.in_force and (
            limits.refusal(job) is not None or limits.comes_too_early(job, self.queue, now_us)
        )

    def hold_back(self, job: Job) -> None:
        """Hold back a job in the queue that is refused."""
        self.dequeue(job)
        self.leave_trials(job)
        self.limits.hold_back(job)

    def begin_pass(self) -> None:
        """Let a pass hold back and start as many jobs as one may."""
        self.may_hold_back, self.is_cut = MOST_HELD_BACK, False
        self.starts_left, self.looks_left = self.most_starts, self.most_looks
        self._looks_before = self.capacity.looks
        self._kept_by_estimate.drop()

    def cuts(self) -> bool:
        """Return whether the pass ends here, and the next one goes on, instead of holding back one
        job more."""
        self.may_hold_back -= 1
        self.is_cut = self.may_hold_back < 0
        return self.is_cut

    def spend_start(self) -> None:
        """Note that the pass starts a job, or goes on with its trial."""
        self.starts_left -= 1

    def is_spent(self, more: int = 0) -> bool:
        """Return whether the pass ends here, and the next one goes on, instead of starting or
        planning others. more: how many it is about to start."""
        has_started = self.starts_left < self.most_starts  # the next pass looks again
        looks = self.capacity.looks - self._looks_before if has_started else 0
        if self.starts_left <= more or self.looks_left <= 0 or looks > self.most_looks:
            self.is_cut = True
        return self.is_cut

    def place(self, job: Job, now_us: int) -> Allocation | None:
        """Return a place on which the job may start now, or None. Nothing is taken yet."""
        request = request_now(self.windows, job, now_us)
        return None if request is None else self.capacity.place(request)

    def shadow(
        self, head: Job, releases: Iterable[Release], now_us: int, not_before_us: int
    ) -> Shadow:
        """Return the reservation of a head that rests on `releases`."""
        return shadow(
            self.windows,
            self.capacity,
            head,
            releases,
            now_us,
            not_before_us,
            self.recipe.extra,
        )

    def expect(self, job: Job) -> None:
        """Note that `job` holds its allocation until `job.expected_end_us`."""
        end_us = job.expected_end_us
        assert end_us is not None
        release = end_us, job.seq, job
        insort(self.releases, release)
        self._kept.note(release, is_held=True)
        if self._kept_by_estimate.is_gathered:
            self._kept_by_estimate.note(self._by_estimate(release), is_held=True)
        self.held_pieces.note(job)
        self.held_changes += 1
        if self.changes is not None:
            self.changes.append((job, True))

    def forget(self, job: Job) -> None:
        """Undo `expect`, before `job.expected_end_us` changes."""
        at = bisect_left(self.releases, (job.expected_end_us, job.seq))
        self._kept.note(self.releases.pop(at), is_held=False)
        self._kept_by_estimate.drop()
        self.held_pieces.drop(job)
        self.held_changes += 1
        if self.changes is not None:
            self.changes.append((job, False))

    def shrink(self, job: Job) -> None:
        """Note that `job` has given back part of what it holds."""
        assert job.expected_end_us is not None
        release = job.expected_end_us, job.seq, job
        self._kept.note(release, is_held=False)
        self._kept.note(release, is_held=True)
        self._kept_by_estimate.drop()
        self.held_pieces.note(job)
        self.held_changes += 1
        if self.changes is not None:
            self.changes += (job, False), (job, True)

    def reserve(self, job: Job, now_us: int, start_us: int) -> None:
        """Note that `job` is promised a start for the first time, by the predictions in force.
        Nothing is promised to a job that no available nodes can hold."""
        if start_us >= NEVER_US:
            return
        job.remembered.reserved_at_us = now_us
        record = job.record
        record.reserved_rank = self.starts
        record.reserved_us = start_us
        self.promised[job] = None
        if self.recipe.promise == "estimate":
            releases = self.releases_by_estimate()
            not_before_us = trial_over_us(job, now_us, self.recipe)
            shadow = self.capacity.shadow(job.request, releases, now_us, not_before_us)
            record.reserved_us = shadow.time_us

    def has_waited(self, job: Job, now_us: int) -> bool:
        """Return whether the job was in the queue before this pass. A live daemon hears of a submit
        a moment after it."""
        number = job.id if job.task is None else job.task.array_id
        return job.eligible_us < now_us and number not in self.arrived

    def is_judged_by_estimates(self, head: Job) -> bool:
        """Return whether the head's reservation rests on the users' estimates: it is urgent, and
        the recipe says so."""
        return self._urgent_by_estimates and is_urgent(head)

    def gathered_for(self, head: Job) -> Iterable[Release]:
        """Return the releases that the head's reservation rests on, gathered. They are right until
        something else begins or ends."""
        if self.is_judged_by_estimates(head):
            return self._kept_by_estimate.current(self.releases_by_estimate)
        return self._kept.current(lambda: self.releases)

    def kept_releases(self) -> Iterable[Release] | None:
        """Return what is kept of the releases, as of now; None: nothing."""
        return self._kept.current(lambda: self.releases) if self._kept.is_gathered else None

    def forget_estimates(self) -> None:
        """Have the releases by estimates gathered anew: limits may have changed."""
        self._kept_by_estimate.drop()

    def length_beside(self, head: Job) -> LengthOf:
        """Return the length by which a backfilled job must end before the head's reservation."""
        return longer if self.is_judged_by_estimates(head) else self.fit_length

    def releases_by_estimate(self) -> list[Release]:
        """Return the release list by the users' estimates (double booking, thesis 4.3)."""
        return sorted([self._by_estimate(release) for release in self.releases])

    def _by_estimate(self, release: Release) -> Release:
        end_us, seq, job = release
        return end_us + self._underestimate_us(job), seq, job

    @staticmethod
    def _underestimate_us(job: Job) -> int:
        """Return how much later than predicted the job ends by its estimate; 0 for a trial."""
        return 0 if job.is_trial else max(0, job.estimate_us - job.prediction_us)

    def count_start(self, job: Job) -> None:
        job.remembered.rank = self.starts
        self.starts += 1
        self.spend_start()
