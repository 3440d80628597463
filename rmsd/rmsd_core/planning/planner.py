"""The planner: it decides which waiting jobs start now.

The core changes jobs and capacity through the `start` that it passes to the planner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rmsd_core.jobs.accounts import Policies
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Allocation
from rmsd_core.machine.capacity import Capacity, Release
from rmsd_core.machine.partitions import Partition
from rmsd_core.model_time import NEVER_US
from rmsd_core.planning.bounds import Bounds
from rmsd_core.planning.custom import CustomPass
from rmsd_core.planning.easy import EasyPass
from rmsd_core.planning.fair_shares import ChangedUsage, UsageOfJob
from rmsd_core.planning.held_pieces import HeldPieces
from rmsd_core.planning.plan import PlanPass
from rmsd_core.planning.planner_memory import (
    NOTHING_USED_YET,
    PlannerMemory,
    UserUsage,
    VirtualJob,
)
from rmsd_core.planning.planner_state import PlannerState, StartJob
from rmsd_core.planning.priorities import Parts
from rmsd_core.planning.start_windows import Windows
from rmsd_core.planning.urgency import UrgentJobs
from rmsd_core.recipes.extensions import PLANNERS
from rmsd_core.recipes.recipe import Recipe, Switching


class Planner:
    """Queue, release list and pass of one recipe over one capacity.

    order: the name of the queue's present order; it changes under dynP.
    base: the kind of pass; `base.wake_us` is the earliest planned start in the future, an event.
    enqueue, dequeue: a job waits, or does not any more (KeyError if it did not).
    expect: the job holds its allocation until `job.expected_end_us`. forget: undo `expect`; call it
        before `expected_end_us` changes. shrink: the job has given back a part.
    promised: the jobs that passes have promised a start for the first time, or promoted; the core
        empties it once it has recorded them.
    fair_shares, priorities: of the order "priority"; None in others.
    urgent: finds the jobs that become urgent; None if none do.
    limits: of accounts and QOS. joinable: the jobs that share nodes with jobs of their user alone.
    begin_pass: a pass begins, with the trials. is_spent: it has started as many jobs as it may.
    spend_start: it goes on with a trial. count_start: another start has been decided.
    ended: a job has terminated. most: the starts and the looks of a pass at most.
    """

    def __init__(
        self,
        recipe: Recipe,
        capacity: Capacity,
        slip_us: int = 0,
        cores: Callable[[], int] = lambda: 0,
        most: tuple[int, int] = (NEVER_US, NEVER_US),
    ) -> None:
        self._recipe = recipe
        most_starts, most_looks = most
        self._state = PlannerState(recipe, capacity, slip_us, most_starts, most_looks)
        self.base = _pass_of(self._state)
        self.order = "arrival" if recipe.order == "dynp" else recipe.order
        self._last_used: Mapping[str, UserUsage] = {}
        self._last_used_in_all = NOTHING_USED_YET
        self._last_used_in: Mapping[str, Mapping[str, UserUsage]] = {}
        self._last_virtual: Mapping[int, VirtualJob] = {}
        # Bind these directly: they are called for every job and every pass.
        self.expect = self._state.expect
        self.forget = self._state.forget
        self.shrink = self._state.shrink
        self.count_start, self.is_refused = self._state.count_start, self._state.is_refused
        self.promised, self.arrived = self._state.promised, self._state.arrived
        self.fair_shares, self.priorities = self._state.fair_shares, self._state.priorities
        self.urgent = UrgentJobs(recipe.urgency, cores, most_starts) if recipe.has_urgent else None
        self.limits, self.joinable = self._state.limits, self._state.joinable
        self.begin_pass, self.is_spent = self._state.begin_pass, self._state.is_spent
        self.spend_start = self._state.spend_start
        self._goes_on = False  # the latest pass was cut
        self.ended = self.base.ended
        queue = self.base if isinstance(self.base, PlanPass) else self._state
        self.enqueue, self.dequeue, self.hold_back = queue.enqueue, queue.dequeue, queue.hold_back

    # ------------------------------------------------------------ the queue

    def heads(self, now_us: int) -> list[Job]:
        """Return the first job of the queue, or of each partition."""
        return self._state.heads(now_us)

    def set_partitions(self, partitions: Mapping[str, Partition]) -> bool:
        """Sort the queue by these partitions from now on. Return whether jobs have other priorities
        then."""
        return self._state.set_partitions(partitions)

    def set_levels(self, levels: Mapping[str, int]) -> None:
        """Sort the queue by these levels of QOS from now on."""
        self._state.set_levels(levels)

    def set_priorities(self, policies: Policies) -> None:
        """Compute priorities by these accounts and QOS from now on."""
        self._state.set_priorities(policies)

    def rank_new(self, now_us: int) -> None:
        """Rank the jobs that have joined the queue, so that the next pass need not rank many."""
        self._state.queue.rank_new(now_us)
        self._state.backfill.rank_new(now_us)

    def waiting(self, now_us: int) -> list[Job]:
        """Return the jobs that wait, in queue order."""
        return list(self._state.queue.jobs(now_us))

    def only_waiting(self, now_us: int) -> Job | None:
        """Return the only job that waits; None if others do, or none does."""
        return self._state.heads(now_us)[0] if len(self._state.queue) == 1 else None

    def any_within(self, free: int) -> bool:
        """Return whether a job of at most so many processors waits."""
        return self._state.queue.any_within(free)

    def candidates(self, bounds: Bounds, now_us: int) -> Iterator[Job]:
        """Yield the jobs that meet `bounds`, in queue order. The queue must not change
        meanwhile."""
        return self._state.queue.candidates(bounds, now_us)

    def lend(self) -> list[list[Job]]:
        """Return the jobs that wait: see `Queue.lend`."""
        return self._state.queue.lend()

    def index_anew(self, job: Job) -> None:
        """Note that a job in the queue runs now. It keeps its place there."""
        self._state.index_anew(job)

    def place_behind(self, heads: Sequence[Job], job: Job, now_us: int) -> Allocation | None:
        """Return where a pass of the EASY family would backfill a job that has not arrived, behind
        the heads that wait; None if it would not, and under other recipes."""
        base = self.base
        return base.place_behind(heads, job, now_us) if isinstance(base, EasyPass) else None

    def place(self, job: Job, now_us: int) -> Allocation | None:
        """Return a place on which the job may start now, whatever the queue; None: there is
        none."""
        return self._state.place(job, now_us)

    @property
    def windows(self) -> Windows | None:
        """Return when and where jobs may start beside advance reservations; None if there are
        none."""
        return self._state.windows

    @windows.setter
    def windows(self, windows: Windows | None) -> None:
        self._state.windows = windows

    def rank(self, job: Job, now_us: int) -> Any:
        """Return what the order of the queue is by: the smallest comes first. The job need not
        wait."""
        return self._state.queue.rank(job, now_us)

    def set_trials(self, leave: Callable[[Job], None]) -> None:
        """Have passes tell this of a job that waits for no trial any more, since a limit holds it
        back."""
        self._state.leave_trials = leave

    @property
    def is_cut(self) -> bool:
        """Return whether the latest pass had to end before it was over."""
        return self._state.is_cut

    @property
    def continues(self) -> bool:
        """Return whether the next pass goes on with one that was cut."""
        return self._goes_on

    @property
    def is_looking(self) -> bool:
        """Return whether something is to be done in calls before the next pass."""
        is_settling = self.urgent is not None and self.urgent.virtual.is_cut
        return is_settling or self.limits.is_looking

    @property
    def goes_on(self) -> bool:
        """Return whether the next call is due at once."""
        return self.is_cut or self.is_looking or self.limits.is_joining

    def priority(self, job: Job, now_us: int) -> tuple[Parts, UsageOfJob] | None:
        """Return what `Core.priority` does."""
        if self.priorities is None or self.fair_shares is None:
            return None
        return self.priorities.parts(job, now_us), self.fair_shares.lately_used(job, now_us)

    def owned(self) -> list[object]:
        """Return the many objects of the planner beside the jobs, in any order."""
        return [] if self.urgent is None else self.urgent.owned()

    def take_changed_usage(self) -> ChangedUsage:
        """Return what `Core.take_changed_usage` does."""
        return ChangedUsage() if self.fair_shares is None else self.fair_shares.take_changed()

    def take_changed_virtual(self) -> dict[int, VirtualJob | None]:
        """Return what `Core.take_changed_virtual` does."""
        if self.urgent is None:
            gone, self._last_virtual = self._last_virtual, {}
            return dict.fromkeys(gone)
        virtual = self.urgent.virtual
        changed = {job_id: virtual.facts.get(job_id) for job_id in virtual.changed}
        virtual.changed.clear()
        return changed

    # ------------------------------------------------------------ what runs

    def releases(self) -> list[Release]:
        """Return what is held, by expected end; not to be changed."""
        return self._state.releases

    def kept_releases(self) -> Iterable[Release] | None:
        """Return what is kept of `releases` for the shadows of heads, as of now; None: nothing."""
        return self._state.kept_releases()

    @property
    def held_pieces(self) -> HeldPieces:
        """Return what the jobs of `releases` give back."""
        return self._state.held_pieces

    # ------------------------------------------------------------ over a restart

    def memory(self, now_us: int) -> PlannerMemory:
        """Return what must be known again after a restart, beside the jobs."""
        memory = self.base.memory(now_us)
        order = self.order if self._recipe.order == "dynp" else ""
        memory = replace(memory, order=order, starts=self._state.starts)
        if self.urgent is not None:
            virtual = self.urgent.virtual
            memory = replace(memory, virtual=virtual.facts, longest_us=virtual.ended_longest_us)
        memory = replace(
            memory,
            used=self._last_used,
            used_in_all=self._last_used_in_all,
            used_in=self._last_used_in,
        )
        return memory if self.fair_shares is None else self.fair_shares.remember(memory)

    def restore(self, memory: PlannerMemory, jobs: Mapping[int, Job]) -> None:
        """Continue from `memory`, before any job waits; `jobs` are the live ones, by id."""
        self._state.starts = memory.starts
        if self._recipe.order == "dynp" and memory.order:
            self._state.reorder(memory.order, 0)
            self.order = memory.order
        # A recipe without fair shares keeps the usage for one that has them.
        self._last_used, self._last_used_in_all = memory.used, memory.used_in_all
        self._last_used_in = memory.used_in
        if self.fair_shares is not None:
            self.fair_shares.restore(memory, jobs.values())
        if self.urgent is not None:
            self.urgent.restore(memory, jobs)
        else:
            self._last_virtual = memory.virtual
        self.base.restore(memory, jobs)

    # ------------------------------------------------------------ the pass

    def run(
        self, now_us: int, start: StartJob, rest: tuple[int, int] = (0, 0), *, undisturbed: bool
    ) -> None:
        """Run one scheduling pass, after `begin_pass`. `undisturbed`: nothing but the time has
        changed since the last one. `rest`: how many jobs wait beside those in the queue, and the
        sum of their predictions; orders that switch go by it."""
        # Jobs that are still to join would change the mean, and with it perhaps the order by which
        # those that have joined are not too early: each pass could undo what the last one did.
        if self.switches and not self._goes_on and not self.limits.is_joining:
            self._switch(self._recipe.switching, now_us, *rest)
        self.base.run(now_us, start, undisturbed=undisturbed)
        self._goes_on = self.is_cut
        if not self.is_cut:
            self.arrived.clear()

    @property
    def switches(self) -> bool:
        """Return whether passes choose the order of the queue."""
        return self._recipe.order == "dynp"

    def _switch(self, switching: Switching, now_us: int, more: int, more_us: int) -> None:
        """Choose the order by the mean prediction of the waiting jobs (dynP, section 5)."""
        number = len(self._state.queue) + more
        if number < switching.min_queue:
            return
        waiting_us = self._state.waiting_us + more_us
        if waiting_us <= switching.lower_us * number:
            order = "shortest"
        elif waiting_us <= switching.upper_us * number:
            order = "arrival"
        else:
            order = "longest"
        if order != self.order:
            self._state.reorder(order, now_us)
            self.order = order


def _pass_of(state: PlannerState) -> EasyPass | PlanPass | CustomPass:
    recipe = state.recipe
    if recipe.has_planner:
        return CustomPass(state, PLANNERS[recipe.planner].make(recipe))
    return EasyPass(state) if recipe.reserve in ("nobody", "head") else PlanPass(state)
