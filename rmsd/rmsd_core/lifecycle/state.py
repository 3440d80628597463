"""The state of a core: its jobs, and the parts that plan for them.

A function that changes a job has these duties:

- Change the phase by `move` alone. After any other change of what is stored, call `changed`.
- Set `disturbed` if a decision depends on the change; a pass follows then. Set `sort_anew` if the
  change may make a waiting job possible or impossible on the available nodes.
- Change `expected_end_us` by `expect`, `expect_anew` and `note_expected_end` alone, `prediction_us`
  by `note_prediction`, and `tried` by the functions of `trials`. Call `planner.forget` when a job
  gives back what it holds, or when that counts as free from now on.
- Call `planner.dequeue` before `note_prediction` of a queued job, and `enqueue` after it.
- Tell `holdings` if nodes are taken from an attempt without a `move` after it.
- Tell `deadlines` of every job that comes, and if its limit or its deadline changes.
- Tell `dependents` of every start and every end of a job.
- A job that the base scheduler has still to start is in the planner's queue, in `set_aside` or held
  back by `planner.limits`, even while its trial runs. Any other job is in none of these.
  `waiting.wait` puts a job there, and `waiting.unqueue` takes it out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from rmsd_core.jobs.attempt import Attempt
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import (
    TRANSITIONS,
    Event,
    IllegalTransition,
    Phase,
    Trial,
)
from rmsd_core.jobs.request import Request
from rmsd_core.lifecycle.array_index import ArrayIndex
from rmsd_core.lifecycle.deadlines import Deadlines
from rmsd_core.lifecycle.dependents import Dependents
from rmsd_core.lifecycle.effects import Decision, Effects, MarkHeld, Stop
from rmsd_core.lifecycle.inputs import Refused
from rmsd_core.lifecycle.predictions import Predictions
from rmsd_core.lifecycle.preemptible import Preemptible
from rmsd_core.lifecycle.trials import Trials
from rmsd_core.lifecycle.usage import Holdings
from rmsd_core.lifecycle.user_nodes import UserNodes
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.machine.capacity import Capacity
from rmsd_core.machine.nodes import Nodes
from rmsd_core.machine.partitions import Partition, refusals
from rmsd_core.planning.planner import Planner
from rmsd_core.planning.start_windows import NodeWindows, Windows
from rmsd_core.recipes.recipe import Recipe
from rmsd_core.vocabulary import Cause, HeldBy


@dataclass(slots=True)
class Sorting:
    """A look at all waiting jobs, in several calls of the core: who could run on the available
    nodes.

    left: the jobs that are still to be looked at, the last one first. possible: what was found of
    requests, while `machine` is that of the capacity.
    """

    left: list[Job] = field(default_factory=list)
    possible: dict[Request, bool] = field(default_factory=dict)
    machine: int | None = None


@dataclass(slots=True)
class Predicting:
    """A round of predictions for waiting jobs of users whose history has grown, in several calls of
    the core.

    due: the users whose jobs ended since the round began; the next round is theirs. users: those
    whose turn is still to come in this round, the last one first. user, left: the user whose turn
    it is, and the jobs that are still to be predicted, the last one first.
    """

    due: dict[str, None] = field(default_factory=dict)
    users: list[str] = field(default_factory=list)
    user: str = ""
    left: list[Job] = field(default_factory=list)

    @property
    def is_under_way(self) -> bool:
        """Return whether the round is not over."""
        return bool(self.left or self.users)

    @property
    def is_due(self) -> bool:
        """Return whether there is a round, or is to be one."""
        return self.is_under_way or bool(self.due)

    def users_to_do(self) -> tuple[str, ...]:
        """Return the users some of whose jobs are still to be predicted."""
        return tuple(
            {
                **dict.fromkeys([self.user] * bool(self.left)),
                **dict.fromkeys(reversed(self.users)),
                **self.due,
            }
        )


@dataclass(slots=True)
class AdvanceReservations:
    """The advance reservations that are not over, by name.

    begun: those that are active. version: a number that changes with them. latest: a heap of the
        times after which a job of a reservation could no longer end inside it, with the numbers of
        the jobs. most_latest: with so many they are found anew.
    made, made_of: the windows that they leave on nodes, and of which version and machine. told: the
        windows that reasons are given by, until the next call; None: they are still to be made.
    """

    by_name: dict[str, AdvanceReservation] = field(default_factory=dict)
    begun: set[str] = field(default_factory=set)
    version: int = 0
    latest: list[tuple[int, int]] = field(default_factory=list)
    most_latest: int = 0
    made: NodeWindows | None = None
    made_of: tuple[int, int] = (-1, -1)
    told: Windows | None = None


@dataclass(slots=True)
class CoreState:
    """The state of a core, which the functions of this room change.

    jobs: those that are not over, by id. set_aside: the waiting ones that no set of available nodes
        can hold, that are late, or that cannot start inside their advance reservation now; they are
        in no queue. dependents: the ineligible ones, which are
        in neither.
    deadlines: those jobs that wait and have a deadline.
    arrays: those jobs that are arrays, which are in neither as well.
    holdings: what attempts hold of nodes. own: the nodes that jobs keep for their users.
    reservations: what is set aside for some time.
    nodes: those that the core knows. partitions: by name; none if all nodes are one. divided_us:
        when they were set.
    drain_after: how many launches in a row fail on a node before it is drained; None: it never is.
        refused_by: the jobs that each node has refused, by id.
    now_us: of the present call of the core, or the latest one. So are these: decisions; refused;
        changed_jobs: the jobs whose rows have changed, by id, including those that are over.
        predicted_ids: those of them of which the prediction alone has changed.
    preempted: the jobs whose trials this pass has killed, and how long these ran; the queue stays
        as it is while the pass walks over it (`predicting.note_preempted`).
    preemptible: the running jobs that jobs of higher tiers, or of other QOS, may preempt; None:
        there are no rules for that.
    disturbed: since the last pass something has changed that a decision depends on.
    sort_anew: nodes may have come for jobs that are set aside, or gone for other jobs, and no call
        has begun to look at these. sorting: what is left of such a look.
    settled: how many conditions were settled in this call; `eligibility.settle` bounds them.
    predicting: the waiting jobs that are to be predicted again.
    """

    recipe: Recipe
    capacity: Capacity
    planner: Planner
    trials: Trials | None
    predictions: Predictions
    nodes: Nodes
    drain_after: int | None = None
    partitions: dict[str, Partition] = field(default_factory=dict)
    divided_us: int = 0
    refused_by: defaultdict[str, dict[int, Job]] = field(default_factory=lambda: defaultdict(dict))
    jobs: dict[int, Job] = field(default_factory=dict)
    set_aside: dict[int, Job] = field(default_factory=dict)
    dependents: Dependents = field(default_factory=Dependents)
    deadlines: Deadlines = field(default_factory=Deadlines)
    arrays: ArrayIndex = field(default_factory=lambda: ArrayIndex(0))
    holdings: Holdings = field(default_factory=Holdings)
    reservations: AdvanceReservations = field(default_factory=AdvanceReservations)
    next_seq: int = 1
    now_us: int = 0
    decisions: list[Decision] = field(default_factory=list)
    changed_jobs: dict[int, Job] = field(default_factory=dict)
    predicted_ids: set[int] = field(default_factory=set)
    preempted: list[tuple[Job, int]] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    preemptible: Preemptible | None = None
    disturbed: bool = False
    sort_anew: bool = False
    sorting: Sorting = field(default_factory=Sorting)
    settled: int = 0
    predicting: Predicting = field(default_factory=Predicting)
    own: UserNodes = field(init=False)
    # Indexes for inputs about nodes, made at most once a call: thousands of nodes may be lost at
    # once. They hold until the pass: before it, nothing is claimed, and nothing starts on lost
    # nodes.
    _holders_by_node: dict[str, list[Job]] | None = None
    _claimants: list[Job] | None = None

    def __post_init__(self) -> None:
        self.own = UserNodes(self.planner, self.preemptible)

    def begin(self, now_us: int) -> None:
        """Begin a call at `now_us`."""
        self.now_us = now_us
        self.settled = 0
        self.decisions, self.changed_jobs, self.refused = [], {}, []
        self.predicted_ids = set()
        self._holders_by_node = self._claimants = None
        self.reservations.told = None
        self.dependents.over.clear()

    def effects(self, next_us: int | None) -> Effects:
        """Return what this call has decided. `next_us`: when the next one is due."""
        decisions, changed = tuple(self.decisions), tuple(self.changed_jobs)
        predicted, refused = frozenset(self.predicted_ids), tuple(self.refused)
        return Effects(decisions, changed, refused, next_us, predicted)

    @property
    def is_looking(self) -> bool:
        """Return whether waiting jobs are still to be looked at before a pass."""
        return bool(self.sorting.left) or self.predicting.is_under_way

    @property
    def looks_again(self) -> bool:
        """Return whether waiting jobs are to be looked at in the next call."""
        if self.own.again and self.disturbed:
            return True
        return self.sort_anew or bool(self.sorting.left) or self.predicting.is_due

    def decide(self, decision: Decision) -> None:
        self.decisions.append(decision)

    def take_back(self, is_stale: Callable[[Decision], bool]) -> None:
        """Take back decisions of this call that an input has overtaken. The log has what was asked
        before what was decided, as if the decisions were about what the input has left."""
        self.decisions[:] = [one for one in self.decisions if not is_stale(one)]

    def order_end(self, job: Job, attempt: Attempt, cause: Cause) -> None:
        """Order the nodes that hold something of the attempt to end it."""
        nodes = tuple([piece.node for piece in attempt.holding()])
        self.decide(Stop(job.id, job.attempt, nodes, cause))

    def changed(self, job: Job) -> None:
        """Note that the row of the job has changed."""
        self.changed_jobs[job.id] = job
        self.predicted_ids.discard(job.id)

    def mark_held(self, job: Job, held_by: HeldBy | None) -> None:
        """Have the job held once it waits again, or no longer so."""
        if job.requeue_hold is not held_by:
            job.requeue_hold = held_by
            self.changed(job)
            self.decide(MarkHeld(job.id, held_by))

    def predicted(self, job: Job) -> None:
        """Note that the prediction of the job has changed. There may be a thousand of these in a
        call, so they are told apart from jobs of which all may have changed."""
        if job.id not in self.changed_jobs:
            self.changed_jobs[job.id] = job
            self.predicted_ids.add(job.id)

    def add(self, job: Job) -> None:
        """Take a new job into the state, in the phase that it has."""
        self.jobs[job.id] = job
        if self.predictions.following is not None:
            self.predictions.following.moved(job)

    def move(self, job: Job, event: Event, phase: Phase) -> None:
        """Move the job to `phase` at `event`.

        Raises:
            IllegalTransition: the table has no such way from the present phase.
        """
        if type(phase) not in TRANSITIONS[type(job.phase)].get(event, ()):
            raise IllegalTransition(f"job {job.id}: {event}: {job.phase} -> {phase}")
        before, job.phase = job.phase, phase
        self.changed(job)
        self.holdings.changed(job)
        if job.deadline_us is not None:
            self.deadlines.look_at(job)
        if job.task is not None:
            self._task_moved(job, before)
        if self.predictions.running is not None:
            self.predictions.running.moved(job)
        if self.predictions.following is not None:
            self.predictions.following.moved(job)
        if self.planner.fair_shares is not None:
            self.planner.fair_shares.moved(job, before, self.now_us)
        if self.planner.urgent is not None:
            self.planner.urgent.moved(job, self.now_us)
        if self.planner.limits.in_force:
            self.planner.limits.moved(job)
        if self.preemptible is not None:
            self.preemptible.moved(job)

    def expect(self, job: Job, end_us: int) -> None:
        """Have the planner expect the job to give back at `end_us` what it holds or has claimed.
        The planner has expected no end of the job so far."""
        job.expected_end_us = end_us
        self.planner.expect(job)
        if job.by_user and (attempt := job.phase.attempt) is not None and attempt.kept is not None:
            self.own.expected(job)
            self.disturbed = self.disturbed or self.own.again

    def expect_anew(self, job: Job, end_us: int) -> None:
        """Have the planner expect another end of the job than before."""
        self.planner.forget(job)
        self.expect(job, end_us)

    @staticmethod
    def note_expected_end(job: Job, end_us: int | None) -> None:
        """Note the expected end of a job of which the planner does not, or not yet, expect any:
        the job holds nothing, its place counts as free, or it is being restored."""
        job.expected_end_us = end_us

    @staticmethod
    def note_prediction(job: Job, prediction_us: int) -> None:
        """Note the predicted run time of a job that is in no queue, or whose place there does not
        depend on the prediction."""
        job.prediction_us = prediction_us

    def _task_moved(self, task: Job, before: Phase) -> None:
        assert task.task is not None
        parent = self.arrays.live[task.task.array_id]
        if self.arrays.moved(task, before):
            self.changed(parent)
        if parent.array is not None and parent.array.begun:
            self.dependents.started(parent)

    def nodes_changed(self) -> None:
        """Note that the set of nodes that take work has changed."""
        self.disturbed = self.sort_anew = True

    def is_late(self, job: Job) -> bool:
        """Return whether a job that waits can no longer keep its deadline: it must not start. One
        on trial has started in time, and may go on."""
        if job.deadline_us is None or self.deadlines.rest:
            return False
        if isinstance(job.phase, Trial):
            return False
        return job.latest_start_us < self.now_us

    def why_closed(self, job: Job) -> str | None:
        """Return Slurm's word for the reason that no partition takes the job now; None if one
        does."""
        reasons = refusals(self.partitions, job) if not job.request.open else {}
        return next(iter(reasons.values()), None)

    # ------------------------------------------------------------ who holds what

    def holders(self) -> Iterator[Job]:
        """Yield the jobs whose attempts hold something."""
        return (job for job in self.jobs.values() if job.open_nodes)

    def holders_on(self, node: str) -> list[Job]:
        """Return the jobs whose attempts hold something on a node that is lost, or is leaving."""
        if self._holders_by_node is None:
            self._holders_by_node = defaultdict(list)
            for job in self.holders():
                for name in job.open_nodes:
                    self._holders_by_node[name].append(job)
        return [job for job in self._holders_by_node.get(node, ()) if node in job.open_nodes]

    def claimants_on(self, node: str) -> list[Job]:
        """Return the jobs that have claimed something on a node."""
        if self._claimants is None:
            self._claimants = [job for job in self.jobs.values() if job.claim is not None]
        return [
            job
            for job in self._claimants
            if (claim := job.claim) is not None and any(node == one.node for one in claim.place)
        ]
