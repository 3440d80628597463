"""The core: it takes inputs and returns effects. No I/O, no clock; the drivers own both."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, Literal

from rmsd_core.jobs.accounts import NO_POLICIES, Policies
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Request
from rmsd_core.lifecycle import (
    advance,
    applying,
    eligibility,
    joining,
    late,
    node_news,
    predicting,
    reasons,
    reboots,
    restoring,
    sanity,
    sorting,
    speculation,
    starting,
    tasks,
    timers,
    unfolding,
    updates,
    waiting,
)
from rmsd_core.lifecycle.array_index import ArrayIndex
from rmsd_core.lifecycle.effects import Effects, Switch
from rmsd_core.lifecycle.inputs import AddReservation, Input, NodeDead, Submit, Update
from rmsd_core.lifecycle.predictions import Predictions
from rmsd_core.lifecycle.preemption import Preempting
from rmsd_core.lifecycle.present import present_of
from rmsd_core.lifecycle.refusals import DRAIN_AFTER
from rmsd_core.lifecycle.state import CoreState
from rmsd_core.lifecycle.trials import Trials
from rmsd_core.lifecycle.usage import Usage
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.machine.capacity import Capacity
from rmsd_core.machine.counted import CountedCapacity
from rmsd_core.machine.node_capacity import NodeCapacity
from rmsd_core.machine.nodes import Node, Nodes
from rmsd_core.machine.partitions import Partition
from rmsd_core.model_time import NEVER_US
from rmsd_core.planning.expected import ExpectedStarts
from rmsd_core.planning.expected_starts import DEPTH, Projection
from rmsd_core.planning.fair_shares import ChangedUsage, FairShares, UsageOfJob
from rmsd_core.planning.planner import Planner
from rmsd_core.planning.planner_memory import PlannerMemory, VirtualJob
from rmsd_core.planning.portions import Portions
from rmsd_core.planning.present import Present
from rmsd_core.planning.priorities import Parts
from rmsd_core.planning.why import Why, held_up, why
from rmsd_core.recipes.recipe import Recipe

CapacityKind = Literal["nodes", "counted"]

_PROJECTIONS = 3
"""The most projections that are begun for one answer."""


class Core:
    """The state of a cluster and its queue, changed by `handle` alone.

    Jobs leave `jobs` with their `End`. `slip_us`: how far a reservation may be postponed before it
    is void. Live, a kill or a report can make it a moment late; in simulation it is 0.
    `most_starts`, `most_looks`: the jobs that a pass starts at most, and the looks that it plans
    with; the next one goes on at the same instant. `drain_after`: see `CoreState`. `has_applied`:
    whether the latest call of `handle` has applied its inputs; an error that it has raised then is
    one of the pass.
    """

    def __init__(
        self,
        recipe: Recipe,
        capacity: CapacityKind = "nodes",
        *,
        slip_us: int = 0,
        most_starts: int = NEVER_US,
        most_looks: int = NEVER_US,
        drain_after: int | None = DRAIN_AFTER,
        partitions: Sequence[Partition] = (),
        policies: Policies = NO_POLICIES,
    ) -> None:
        self.recipe = recipe
        self.passes, self.has_applied = 0, False
        self._capacity: Capacity = CountedCapacity() if capacity == "counted" else NodeCapacity()
        self._nodes = Nodes(self._capacity)
        most = most_starts, most_looks
        self._planner = Planner(recipe, self._capacity, slip_us, self._nodes.cores, most)
        self._base, self._order = self._planner.base, self._planner.order
        self._corrects = recipe.corrects
        self._state = CoreState(
            recipe,
            self._capacity,
            self._planner,
            Trials(self._capacity, recipe) if recipe.disposes else None,
            Predictions(recipe),
            self._nodes,
            drain_after,
            arrays=ArrayIndex(unfolding.ahead(recipe)),
        )
        waiting.set_partitions(self._state, partitions)
        waiting.put_policies(self._state, policies)
        if self._state.trials is not None:
            self._planner.set_trials(self._state.trials.leave)
        self._preempting = Preempting(is_bounded=most_looks < NEVER_US)
        self._start = partial(starting.start, self._state)
        self._unclaimed: list[Job] = []  # a restore has dropped their claims; until the next call
        self._looks_again = False  # True from the restore of conditions until the next call
        self._heads: list[Job] | None = None  # the queue's, if looked up since the last call

    # ------------------------------------------------------------ questions

    @property
    def jobs(self) -> dict[int, Job]:
        """Return the jobs that are not over, by id."""
        return self._state.jobs

    def job(self, job_id: int) -> Job:
        """Return a job that is not over, or that the latest call has changed.

        Raises:
            KeyError: the job is neither.
        """
        return self._state.jobs.get(job_id) or self._state.changed_jobs[job_id]

    def arrays(self) -> Collection[Job]:
        """Return the live arrays."""
        return self._state.arrays.live.values()

    def waiting_task(self, job_id: int) -> Job | None:
        """Return a task of a live array that is no job of its own, as if it were one; None if the
        number is of no such task."""
        parent = self._state.arrays.of_task(job_id)
        return None if parent is None else tasks.waiting_task(parent, job_id)

    def owned(self) -> list[object]:
        """Return the many objects of the core. While these are kept, it is freed quickly."""
        return [*self._state.jobs.values(), *self._planner.owned()]

    @property
    def next_seq(self) -> int:
        """Return the arrival number of the next job."""
        return self._state.next_seq

    def pass_over_seqs(self, next_seq: int) -> None:
        """Give no job that comes an arrival number below `next_seq`."""
        self._state.next_seq = max(self._state.next_seq, next_seq)

    def take_changed_usage(self) -> ChangedUsage:
        """Return whose usage in `memory` has changed since the last call of this."""
        return self._planner.take_changed_usage()

    def take_changed_virtual(self) -> dict[int, VirtualJob | None]:
        """Return those jobs of the virtual EASY in `memory`, by id, that have changed since the
        last call of this; None: it has the job no more."""
        return self._planner.take_changed_virtual()

    @property
    def nodes(self) -> dict[str, Node]:
        return self._nodes.by_name

    @property
    def partitions(self) -> Mapping[str, Partition]:
        """Return the partitions by name; none if all nodes are one."""
        return self._state.partitions

    @property
    def policies(self) -> Policies:
        """Return the accounts, QOS and licenses in force."""
        return self._planner.limits.policies

    @property
    def reservations(self) -> Mapping[str, AdvanceReservation]:
        """Return the advance reservations that are not over, by name."""
        return self._state.reservations.by_name

    def why_not_reserved(self, item: AddReservation) -> str | None:
        """Return in words why the advance reservation cannot be made now; None if it can."""
        return advance.refusal(self._state, item)

    def reservable(self, item: AddReservation) -> list[str]:
        """Return the nodes that the advance reservation could have, whatever nodes it names."""
        return advance.reservable(self._state, item)

    def may_be_inside(self, job: Job) -> bool:
        """Return whether the advance reservation of a job is there, and admits it."""
        own = self.reservations.get(job.reservation)
        return own is not None and self._planner.limits.admits(own, job)

    def never_inside(self, job: Job) -> str | None:
        """Return in words why a job can never start inside its reservation; None if it can."""
        return advance.never_inside(self._state, job)

    def reaches_into(self, job: Job, item: Update) -> bool:
        """Return whether a job that runs would reach into an advance reservation with its new
        limit, or beyond the end of its own."""
        return updates.reaches_into(self._state, job, item)

    @property
    def capacity(self) -> Capacity:
        """Return what the machine has, and what is free of it."""
        return self._capacity

    @property
    def order(self) -> str:
        """Return the name of the order in which the queue is sorted now."""
        return self._planner.order

    def never_fits(self, request: Request) -> str | None:
        """Return why the request can never run here; None if it can, or while no node is known."""
        return self._capacity.never_fits(request) if self.nodes else None

    def reason(self, job: Job) -> str:
        """Return Slurm's word for why a job waits, "Claimed" if that is for trials to be killed;
        "Trial", "TrialExpired" or "Speculation" if it runs as one, "None" otherwise."""
        return reasons.reason(self._state, job, self._first_jobs)

    def _first_jobs(self) -> list[Job]:
        """Return the heads of the queue, which are kept: under LXF a look-up walks over it."""
        if self._heads is None:
            self._heads = self._planner.heads(self._state.now_us)
        return self._heads

    def is_held_back(self, job: Job) -> bool:
        """Return whether a limit of accounts or QOS keeps the job from starting now."""
        return self._planner.limits.refusal(job) is not None

    def projection(
        self, now_us: int, depth: int = DEPTH, new: Job | None = None, begin_us: int | None = None
    ) -> Portions[Projection]:
        """Return when the first `depth` waiting jobs are expected to start, as of `now_us`. Others
        can be placed later. `new`, `begin_us`: see `present_of`. If the machine changes meanwhile,
        it is begun anew, some times."""
        for _ in range(_PROJECTIONS):
            present = yield from self._present(now_us, new, begin_us)
            projection = Projection(present)
            yield from projection.begin(depth)
            if projection.is_of_the_machine:
                break
        return projection

    def why(self, job: Job, starts: ExpectedStarts) -> Portions[Why]:
        """Return what a waiting job waits for; `starts` is of the present."""
        present = yield from self._present(starts.now_us)
        return (yield from why(present, starts, job))

    def priority(self, job: Job, now_us: int) -> tuple[Parts, UsageOfJob] | None:
        """Return the parts of a job's priority, and the usage that its fair share comes from; None
        if the recipe has another order."""
        return self._planner.priority(job, max(now_us, self._state.now_us))

    def rank(self, job: Job) -> Any:
        """Return what the order of the queue is by: the smallest comes first."""
        return self._planner.rank(job, self._state.now_us)

    def held_up(self, job: Job, starts: ExpectedStarts) -> Portions[list[Job]]:
        """Return the jobs that wait for a running job, by start; `starts` is of the present."""
        present = yield from self._present(starts.now_us)
        return (yield from held_up(present, starts, job))

    def _present(
        self, now_us: int, new: Job | None = None, begin_us: int | None = None
    ) -> Portions[Present]:
        return present_of(self._state, now_us, self._base.planned, new, begin_us)

    def licenses_of(self, job: Job) -> list[tuple[str, int, int]]:
        """Return the licenses that the job asks for: the name, how many jobs have, and how many
        there are."""
        return self._planner.limits.licenses_of(job)

    @property
    def fair_shares(self) -> FairShares | None:
        """Return what users have used lately, and their shares; None unless the order is
        `priority`."""
        return self._planner.fair_shares

    def holders(self) -> list[Job]:
        """Return the jobs that hold processors."""
        return [self._state.jobs[job_id] for job_id in self._state.holdings.jobs()]

    def used_on(self, node: str) -> Usage:
        """Return what a node has given out."""
        return self._state.holdings.on(node)

    def left(self) -> list[str]:
        """Return the nodes that are leaving and hold nothing any more."""
        return [name for name in sorted(self._nodes.leaving) if not self.used_on(name).jobs]

    def memory(self) -> PlannerMemory:
        """Return what `restore` needs beside the jobs."""
        return restoring.memory_of(self._state)

    def sanity_check(self) -> None:
        """Check that the core does not contradict itself, by a walk over its whole state.

        Raises:
            Insane: it does.
        """
        sanity.check(self._state, self.nodes.values())

    # ------------------------------------------------------------ the one way in

    def handle(self, now_us: int, inputs: Sequence[Input]) -> Effects:
        """Apply all inputs of the instant `now_us`, run one pass if anything changed that a
        decision depends on, and return the decisions. `now_us` must not go back. Stale inputs (of a
        job that is over, of an old attempt) have no effect."""
        state = self._state
        self._heads, self.has_applied = None, False
        state.begin(now_us)
        urgent = self._planner.urgent
        if urgent is not None:
            urgent.virtual.advance(now_us)
        if self._unclaimed:
            restoring.decide_unclaims(state, self._unclaimed)
            self._unclaimed = []
        if self._looks_again:  # before anything is settled
            eligibility.look_again(state)
            self._looks_again = False
        late.end_late(state)
        if state.reservations.by_name:
            advance.pass_time(state)
            sorting.set_late_aside(state)
        arrivals = inputs
        if len(inputs) > 1:
            arrivals = self._apply_all_but_arrivals(inputs)
        elif inputs and type(inputs[0]) is not Submit:
            arrivals = ()
            applying.apply(state, inputs[0])
        if state.predicting.is_due:
            predicting.renew(state)
        if state.trials is not None:
            starting.note_left(state, state.trials)
            timers.expire_trials(state, state.trials)
        if state.preemptible is not None:
            timers.look_at_preemptible(state, state.preemptible)
        if self._corrects:
            timers.expire_predictions(state)
        if state.dependents or state.arrays.finished:
            eligibility.settle(state)
        if self._planner.fair_shares is not None:
            self._planner.fair_shares.sweep(now_us)
        for arrival in arrivals:
            assert type(arrival) is Submit
            eligibility.arrive(state, waiting.enter(state, arrival))
        late.end_late(state)  # jobs may have come, or wait again
        reboots.begin(state)
        if state.sort_anew or state.sorting.left or self._planner.limits.is_eased:
            sorting.renew(state)
        if urgent is not None:
            urgent.virtual.settle()
        self.has_applied = True
        # A pass could start late jobs, or others before some that nodes or licenses have come for.
        if not (state.deadlines.is_due(now_us) or state.is_looking or self._planner.is_looking):
            self._run_pass_if_due(now_us)
        return state.effects(self._next_us(now_us))

    def _next_us(self, now_us: int) -> int | None:
        """Return the model time of the next call."""
        state, wake_us = self._state, self._base.wake_us
        if self._corrects or state.trials is not None or state.dependents or state.deadlines:
            wake_us = timers.next_us(state, wake_us, corrects=self._corrects)
        if state.reservations.by_name:
            wake_us = advance.next_us(state, wake_us)
        goes_on = state.looks_again or self._planner.goes_on or self._preempting.is_due
        is_past = wake_us is not None and wake_us < now_us
        return now_us if goes_on or is_past else wake_us

    def _apply_all_but_arrivals(self, inputs: Sequence[Input]) -> Sequence[Input]:
        """Apply inputs in the order of their kinds, and return the arrivals, which come last."""
        # Mark lost nodes first: a job that ends in this batch could otherwise start a claim on one.
        for item in inputs:
            if type(item) is NodeDead:
                node_news.lose(self._state, item.name)
            elif node_news.takes_less(item, self._state):
                starting.unclaim(self._state, item.name)
        for item in sorted(inputs, key=attrgetter("phase")):
            if type(item) is not Submit:
                applying.apply(self._state, item)
        return [item for item in inputs if type(item) is Submit]

    def _run_pass_if_due(self, now_us: int) -> None:
        """Run a pass if something has changed that decisions depend on, or a start is planned."""
        if self._preempting.go_on(self._state):
            return
        self._base.look_again(now_us)
        state, planner, planned_us = self._state, self._planner, self._base.wake_us
        if not state.disturbed and (planned_us is None or planned_us > now_us):
            return
        undisturbed, state.disturbed = not state.disturbed, False
        self.passes += 1
        planner.windows = advance.windows(state)
        undisturbed = not (state.arrays.live and unfolding.unfold(state)) and undisturbed
        if planner.urgent is not None and waiting.make_urgent(state, planner.urgent):
            undisturbed = False
        undisturbed = not joining.begin_pass(state) and undisturbed
        if state.trials is not None:
            starting.start_trials(state, state.trials)
        if not planner.is_cut:
            rest = unfolding.rest_of(state) if planner.switches else (0, 0)
            planner.run(now_us, self._start, rest, undisturbed=undisturbed)
        if not planner.is_cut and state.preemptible is not None and state.trials is not None:
            self._preempting.begin(state, state.preemptible, state.trials)
        predicting.note_preempted(state)
        if not planner.is_cut and state.trials is not None and self.recipe.speculates:
            speculation.speculate(state, state.trials)
        if planner.is_cut:
            state.disturbed = True
        if planner.order != self._order:
            self._order = planner.order
            state.decide(Switch(planner.order))
        if planner.promised:
            waiting.note_promises(state)

    # ------------------------------------------------------------ restart

    def restore(
        self,
        nodes: Iterable[Node],
        jobs: Iterable[Job],
        history: Iterable[tuple[str, int, int, int, int]],
        memory: PlannerMemory | None = None,
        *,
        reservations: Iterable[AdvanceReservation] = (),
        of_backup: bool = False,
    ) -> None:
        """Take up where a core left off. `of_backup`: jobs may have started since.

        Nodes that were not down come back as suspect until their agents are heard. `jobs` are the
        live ones, as they were; `history` has (user, seq, run_us, estimate_us, size) of terminated
        jobs, at least those that `prediction.runs_needed` names.
        """
        for node in nodes:
            self._nodes.restore(node)
        state = self._state
        state.deadlines.rest = of_backup
        state.reservations.by_name = {one.name: one for one in reservations}
        for run in history:
            state.predictions.learn(*run)
            state.next_seq = max(state.next_seq, run[1] + 1)
        self._unclaimed = restoring.restore(state, jobs, memory or PlannerMemory())
        self._looks_again = bool(state.dependents or state.arrays.live)
        self._order = self._planner.order
