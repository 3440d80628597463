"""The core: inputs in, effects out. No I/O, no clock; the drivers own both."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Literal, TypeGuard

from rmsd_core.job import Allocation, Job, Outcome, Request
from rmsd_core.lifecycle.effects import (
    Claim,
    Commit,
    Correct,
    Decision,
    Effects,
    End,
    Promise,
    Repredict,
    Requeue,
    Start,
    Stop,
    Switch,
    Unclaim,
)
from rmsd_core.lifecycle.inputs import (
    Cancel,
    Drain,
    Exited,
    Input,
    Launched,
    NodeDead,
    NodeGone,
    NodeLeaving,
    NodeSuspect,
    NodeUp,
    Resume,
    Submit,
)
from rmsd_core.lifecycle.trials import Trials
from rmsd_core.machine.capacity import Capacity
from rmsd_core.machine.counted import CountedCapacity
from rmsd_core.machine.node_capacity import NodeCapacity
from rmsd_core.machine.nodes import Node, Nodes
from rmsd_core.model_time import SECOND_US
from rmsd_core.planning.expected_starts import Outlook, Present, look_ahead
from rmsd_core.planning.planner import Planner
from rmsd_core.planning.planner_memory import PlannerMemory
from rmsd_core.planning.why import Why, held_up, why
from rmsd_core.recipes.correction import corrected_us
from rmsd_core.recipes.parts import PREDICTORS
from rmsd_core.recipes.prediction import Predictor, multiplied_us
from rmsd_core.recipes.recipe import Recipe
from rmsd_core.vocabulary import OVERDRAWN, Cause, JobState, state_after

CapacityKind = Literal["nodes", "counted"]

TELLS_RUN_TIME = frozenset({Cause.EXIT, Cause.LIMIT, Cause.MEMORY, Cause.QUOTA, Cause.USER})
"""Ends that say something about how long a user's jobs run; a lost node does not."""
_NOT_BY_ITSELF = frozenset({Cause.UNKNOWN, Cause.NODE, Cause.TRIAL})
"""Ends that a cancel makes the user's."""


@dataclass(slots=True)
class Usage:
    """What is held on a node, by which jobs."""

    cores: int
    mem_mib: int
    job_ids: list[int]


class Core:
    """The state of a cluster and its queue, changed by `handle` alone.

    Jobs leave `jobs` with their `End`. `slip_us`: by how much a reservation is put off that has
    become too long for its place, before it is void; live, where everything takes a moment.
    `has_applied`: whether the latest call of `handle` came past its inputs. If that call has raised
    an error, the error is then one of the pass, and not of an input.
    """

    def __init__(
        self, recipe: Recipe, capacity: CapacityKind = "nodes", *, slip_us: int = 0
    ) -> None:
        self.recipe = recipe
        self.jobs: dict[int, Job] = {}
        self.next_seq = 1
        self.passes = 0
        self.has_applied = False
        self._capacity: Capacity = CountedCapacity() if capacity == "counted" else NodeCapacity()
        self._nodes = Nodes(self._capacity)
        self._planner = Planner(recipe, self._capacity, slip_us)
        self._base, self._run = self._planner.base, self._planner.run
        self._order = self._planner.order
        self._trials = Trials(self._capacity, recipe.trial_us) if recipe.trial_us else None
        make = PREDICTORS[recipe.predict].make
        self._predictor: Predictor | None = make(recipe) if make else None
        self._set_aside: dict[int, Job] = {}  # waiting, but no set of available nodes holds them
        self._corrects = recipe.corrects
        self._times = recipe.times
        self._changed = False
        self._sort_anew = False
        self._now_us = 0
        self._head: tuple[Job | None] | None = None  # of the queue, if known since the last call
        # Indexes for inputs about nodes, made at most once a call: thousands of nodes may be lost
        # at once. Until the pass nothing is claimed, and nothing starts on nodes that are lost.
        self._on_node: dict[str, list[Job]] | None = None
        self._claimants: list[Job] | None = None
        self._decisions: list[Decision] = []
        self._refused: list[NodeGone] = []

    # ------------------------------------------------------------ questions

    @property
    def nodes(self) -> dict[str, Node]:
        return self._nodes.by_name

    @property
    def order(self) -> str:
        """By which the queue is sorted now."""
        return self._planner.order

    def never_fits(self, request: Request) -> str | None:
        """Why the request can never run here, with the numbers; None if it can, or while no node
        is known and nothing can be said."""
        return self._capacity.never_fits(request) if self.nodes else None

    def reason(self, job: Job) -> str:
        """Slurm's word for why a job waits, "Claimed" if it waits for those that are killed for it,
        "Trial" and "TrialExpired" for what runs on trial; "None" otherwise."""
        if job.claim:
            return "Claimed"
        if job.trial_end_us >= 0:
            return "Trial" if job.trial_end_us > self._now_us else "TrialExpired"
        if job.state is not JobState.PENDING:
            return "None"
        if job.id in self._set_aside:
            return "ReqNodeNotAvail"
        passes_all = self._trials is not None and self._trials.gives(job)
        if not passes_all and self._head is None:  # many ask; by LXF it is a walk over the queue
            self._head = (self._planner.head(self._now_us),)
        return "Resources" if passes_all or self._head == (job,) else "Priority"

    def outlook(self, now_us: int) -> Outlook:
        """When the waiting jobs are expected to start, seen from `now_us`, the present.

        It takes time like a pass over a plan, changes nothing, and is no part of any decision.
        """
        return look_ahead(self._present(now_us))

    def why(self, job: Job, outlook: Outlook) -> Why:
        """What a waiting job waits for; `outlook` is of the present."""
        return why(self._present(outlook.now_us), outlook, job)

    def held_up(self, job: Job, outlook: Outlook) -> list[Job]:
        """Who waits for a job that runs, the first to start first; `outlook` as above."""
        return held_up(self._present(outlook.now_us), outlook, job)

    def _present(self, now_us: int) -> Present:
        now_us = max(now_us, self._now_us)
        return Present(
            now_us=now_us,
            recipe=self.recipe,
            capacity=self._capacity,
            releases=self._planner.releases(),
            queue=self._planner.waiting(now_us),
            planned=self._base.planned(now_us),
            untried=self._trials.untried() if self._trials is not None else (),
            claiming=[job for job in self.jobs.values() if job.claim and _waits(job)],
        )

    def usage(self) -> dict[str, Usage]:
        """What every node has given out."""
        usage = {name: Usage(0, 0, []) for name in self.nodes}
        for job in self._holders():
            for piece in job.holding():
                held = usage[piece.node]
                held.cores += piece.cores
                held.mem_mib += piece.mem_mib
                held.job_ids.append(job.id)
        return usage

    def left(self) -> list[str]:
        """The nodes that are leaving and hold nothing any more."""
        if not self._nodes.leaving:
            return []
        usage = self.usage()
        return [name for name in sorted(self._nodes.leaving) if not usage[name].job_ids]

    def _holders(self) -> Iterator[Job]:
        return (job for job in self.jobs.values() if job.open_nodes)

    def _holders_on(self, node: str) -> list[Job]:
        """The jobs whose attempts hold something on a node that is lost, or is leaving."""
        if self._on_node is None:
            self._on_node = defaultdict(list)
            for job in self._holders():
                for name in job.open_nodes:
                    self._on_node[name].append(job)
        return [job for job in self._on_node.get(node, ()) if node in job.open_nodes]

    def memory(self) -> PlannerMemory:
        """What `restore` needs beside the jobs."""
        return self._planner.memory()

    # ------------------------------------------------------------ the one way in

    def handle(self, now_us: int, inputs: Sequence[Input]) -> Effects:
        """Apply all inputs of the instant `now_us`, run one pass if anything changed that a
        decision depends on, and say what is to be done. `now_us` must not go back.

        Stale inputs (of a job that is over, of an old attempt) are no events.
        """
        effects = Effects()
        self._head = self._on_node = self._claimants = None
        self._decisions, self._refused = effects.decisions, effects.refused
        self._now_us = now_us
        self.has_applied = False
        arrivals: Sequence[Input] = inputs
        if len(inputs) == 1:
            if type(inputs[0]) is not Submit:
                arrivals = ()
                self._apply(inputs[0])
        elif inputs:
            arrivals = [item for item in inputs if type(item) is Submit]
            for item in inputs:  # before what ends with others starts a claim there
                if type(item) is NodeDead:
                    self._lose(item.name)
                elif self._takes_less(item):
                    self._unclaim(item.name)
            for item in sorted(inputs, key=_phase):
                if type(item) is not Submit:
                    self._apply(item)
        if self._trials is not None:
            self._expire_trials(self._trials)
        if self._corrects:
            self._expire_predictions()
        for arrival in arrivals:
            assert type(arrival) is Submit
            self._submit(arrival)
        if self._sort_anew:
            self._sort_waiting()
        self.has_applied = True
        planned_us = self._base.wake_us
        if self._changed or (planned_us is not None and planned_us <= now_us):
            undisturbed, self._changed = not self._changed, False
            self.passes += 1
            if self._trials is not None:
                self._start_trials(self._trials)
            self._run(now_us, self._start, undisturbed=undisturbed)
            self._note_promises(self._planner)
        wake_us = self._base.wake_us
        if self._corrects or self._trials is not None:
            wake_us = self._timer_us(wake_us)
        if wake_us is not None:
            effects.wake_us = max(wake_us, now_us)
        return effects

    def _apply(self, item: Input) -> None:
        match item:
            case Exited():
                self._exited(item)
            case Launched():
                self._launched(item)
            case Cancel():
                self._cancel(item)
            case NodeUp():
                if self._takes_less(item):
                    self._unclaim(item.name)
                self._nodes.up(item.name, item.cores, item.mem_mib, item.features)
                self._changed = self._sort_anew = True
            case NodeSuspect():
                self._available(self._nodes.set_link(item.name, "suspect"))
            case NodeDead():
                self._node_dead(item)
            case NodeLeaving():
                self._available(self._nodes.set_link(item.name, "leaving"))
                self._unclaim(item.name)
            case NodeGone():
                self._node_gone(item)
            case Drain():
                self._available(self._nodes.set_drain(item.name, item.reason))
                self._unclaim(item.name)
            case Resume():
                self._available(self._nodes.set_drain(item.name, None))
            case Submit():
                raise AssertionError("arrivals are applied last")

    def _start_trials(self, trials: Trials) -> None:
        """Trials first, in arrival order; then the base scheduler has its turn."""
        trials.postpone_claims(self._now_us)
        candidates = trials.candidates(self._now_us)
        trials.tried([job for job in candidates if self._try(trials, job)])

    def _note_promises(self, planner: Planner) -> None:
        """What a pass decided beside starts: another order, and whom it promised a start."""
        if planner.order != self._order:
            self._order = planner.order
            self._decisions.append(Switch(planner.order))
        if planner.promised:
            self._decisions += map(Promise, planner.promised)
            planner.promised.clear()

    def _timer_us(self, wake_us: int | None) -> int | None:
        """`wake_us`, or when a prediction or a trial comes due, if that is earlier."""
        if self._corrects:
            for end_us, _, job in self._planner.releases():
                if _is_committed(job):
                    wake_us = end_us if wake_us is None else min(wake_us, end_us)
                    break
        if self._trials is not None and (trial_end_us := self._trials.next_end_us) is not None:
            wake_us = trial_end_us if wake_us is None else min(wake_us, trial_end_us)
        return wake_us

    # ------------------------------------------------------------ jobs come

    def _submit(self, item: Submit) -> None:
        job = item.job
        job.seq = self.next_seq
        self.next_seq += 1
        self.jobs[job.id] = job
        job.prediction_us = self._predicted_us(job, item.run_us)
        self._wait(job)
        self._changed = True

    def _predicted_us(self, job: Job, run_us: int | None) -> int:
        if self.recipe.predict == "perfect":
            assert run_us is not None
            prediction_us = max(run_us, SECOND_US)
        elif self._predictor is not None:
            prediction_us = self._predictor.predict_us(job.user, job.estimate_us)
        else:
            prediction_us = job.estimate_us
        if self._times == 1 and prediction_us >= SECOND_US:
            return prediction_us
        return multiplied_us(prediction_us, self._times)

    def _wait(self, job: Job) -> None:
        if not self._capacity.possible(job.request):
            self._set_aside[job.id] = job
            return
        self._planner.enqueue(job)
        if self._trials is not None:
            self._trials.wait(job)

    def _unqueue(self, job: Job) -> None:
        """The job does not wait any more, neither for a start nor for a trial."""
        if self._set_aside.pop(job.id, None) is None:
            self._planner.dequeue(job)
            if self._trials is not None:
                self._trials.leave(job)

    def _repredict(self, user: str) -> None:
        """The history of `user` has grown: the predictions of their waiting jobs follow."""
        for job in list(self.jobs.values()):
            if job.user != user or job.state is not JobState.PENDING or job.claim:
                continue
            prediction_us = self._predicted_us(job, None)
            if prediction_us == job.prediction_us:
                continue
            waits = job.id not in self._set_aside
            if waits:
                self._planner.dequeue(job)
            job.prediction_us = prediction_us
            if waits:
                self._planner.enqueue(job)
            self._decisions.append(Repredict(job))

    # ------------------------------------------------------------ and start

    def _try(self, trials: Trials, job: Job) -> bool:
        """Give the job its trial run, if it fits."""
        allocation = self._capacity.place(job.request)
        if allocation is None:
            return False
        job.trial_end_us = self._now_us + trials.length_us
        self._planner.count_start(job)
        job.behind, job.backfilled = -1, False
        self._occupy(job, allocation)
        return True

    def _start(self, job: Job, allocation: Allocation, behind: Job | None) -> None:
        """The base scheduler starts the job for good, past `behind` if it is backfilled."""
        job.behind = behind.id if behind is not None else -1
        job.backfilled = behind is not None
        trials = self._trials
        if trials is not None and job.trial_end_us >= 0:
            trials.commit(job)
            job.expected_end_us = job.start_us + job.prediction_us
            self._planner.expect(job)
            self._decisions.append(Commit(job))
            return
        if trials is not None:
            trials.leave(job)
        self._planner.count_start(job)
        self._occupy(job, allocation)

    def _occupy(self, job: Job, allocation: Allocation) -> None:
        """Take the allocation; the job is launched on it, now or when it is left."""
        self._capacity.take(allocation)
        trials = self._trials
        if trials is not None:
            while (victim := trials.victim_on(allocation)) is not None:
                trials.owe(victim)
                self._stop(victim, Cause.TRIAL)
            if trials.claim(job, allocation):
                job.claim = allocation
                self._expect(job)
                self._decisions.append(Claim(job))
                return
        self._launch(job, allocation)

    def _launch(self, job: Job, allocation: Allocation) -> None:
        job.state = JobState.CONFIGURING
        job.attempt += 1
        job.start_us = self._now_us
        job.allocation = allocation
        job.open_nodes = frozenset([piece.node for piece in allocation])
        if job.trial_end_us >= 0:
            assert self._trials is not None
            self._trials.begin(job)
        self._expect(job)
        self._decisions.append(Start(job))

    def _expect(self, job: Job) -> None:
        """The planner expects the job, which starts now, to end by its prediction, and a trial by
        its own end."""
        length_us = job.prediction_us
        if job.trial_end_us >= 0:
            length_us = min(length_us, self.recipe.trial_us)
        job.expected_end_us = self._now_us + length_us
        self._planner.expect(job)

    def _launched(self, item: Launched) -> None:
        job = self.jobs.get(item.job_id)
        if job and job.attempt == item.attempt and job.state is JobState.CONFIGURING:
            job.state = JobState.RUNNING

    # ------------------------------------------------------------ and time passes

    def _expire_trials(self, trials: Trials) -> None:
        """What runs beyond its trial may be killed for others from now on."""
        for job in trials.ending(self._now_us):
            self._planner.forget(job)
            trials.expire(job)
            self._changed = True

    def _expire_predictions(self) -> None:
        """Replace every prediction of a committed run that has come true too early (thesis
        4.2.2)."""
        releases = self._planner.releases()
        if not releases or releases[0][0] > self._now_us:
            return
        due = takewhile(lambda release: release[0] <= self._now_us, releases)
        for job in [job for _, _, job in due if _is_committed(job)]:
            self._planner.forget(job)
            elapsed_us = self._now_us - job.start_us
            job.prediction_us = corrected_us(
                self.recipe.correct, elapsed_us, job.estimate_us, job.corrections, job.overruns
            )
            job.overruns += elapsed_us >= job.estimate_us
            job.corrections += 1
            job.expected_end_us = job.start_us + job.prediction_us
            self._planner.expect(job)
            self._changed = True
            self._decisions.append(Correct(job))

    # ------------------------------------------------------------ and end

    def _exited(self, item: Exited) -> None:
        job = self.jobs.get(item.job_id)
        if job is None or job.attempt != item.attempt or item.node not in job.open_nodes:
            return
        if item.node == job.allocation[0].node:
            job.outcome = item.outcome
            job.end_us = item.end_us
        job.used = job.used.plus(item.outcome.cpu_s, item.outcome.max_rss_mib)
        if job.trial_end_us >= 0:
            self._end_trial(job)
        self._give_back(job, item.node)
        if not job.open_nodes:
            self._finish(job)
        elif job.state is not JobState.COMPLETING:
            # The script is over, or part of what it runs on is gone: the other nodes let go.
            if job.outcome:
                self._stop(job, Cause.EXIT)
            elif item.outcome.cause in OVERDRAWN:
                job.stop_message = item.outcome.message
                self._stop(job, item.outcome.cause)
            else:
                self._stop(job, Cause.NODE)

    def _end_trial(self, job: Job) -> None:
        """The job is over, or will be, within its trial: the base need not start it any more."""
        self._unqueue(job)
        if self._trials is not None and self._trials.is_expired(job):
            self._trials.owe(job)
        job.trial_end_us = -1
        self._changed = True

    def _give_back(self, job: Job, node: str) -> None:
        for piece in job.allocation:
            if piece.node != node:
                continue
            if self._trials is not None and job.owes:
                self._trials.paid(piece)
            else:
                self._capacity.give(piece)
                self._changed = True
        job.open_nodes -= {node}
        if job.open_nodes and not job.owes:
            self._planner.shrink(job)

    def _stop(self, job: Job, cause: Cause) -> None:
        job.state = JobState.COMPLETING
        job.stop_cause = cause
        nodes = tuple(piece.node for piece in job.holding())
        self._decisions.append(Stop(job, nodes, cause))

    def _finish(self, job: Job) -> None:
        """No node holds anything of the attempt any more."""
        assert job.outcome is not None
        if len(job.allocation) > 1:
            cpu_s, max_rss_mib = job.used
            job.outcome = replace(job.outcome, cpu_s=cpu_s, max_rss_mib=max_rss_mib)
        outcome = job.outcome
        trials = self._trials
        if not job.owes:
            self._planner.forget(job)
        if job.stop_cause is Cause.USER and outcome.cause in _NOT_BY_ITSELF:
            outcome.cause = Cause.USER
        if (
            job.stop_cause is Cause.TRIAL
            and outcome.cause is Cause.EXIT
            and _spread(job.allocation)
        ):
            outcome.cause = Cause.TRIAL  # its script may have seen its other nodes being killed
        if job.stop_cause in OVERDRAWN:
            outcome.cause = job.stop_cause  # the script may have seen its other nodes being killed
            outcome.message = job.stop_message or outcome.message
        killed = job.stop_cause is Cause.TRIAL and outcome.cause in (Cause.TRIAL, Cause.NODE)
        if killed and job.owes:
            self._requeue_tried(job)
        elif killed or (outcome.cause is Cause.NODE and job.requeue):
            self._requeue(job)
        else:
            self._end(job, outcome)
        if trials is not None and job.owes:
            for ready in trials.settled(job):
                self._planner.forget(ready)
                allocation, ready.claim = ready.claim, ()
                self._launch(ready, allocation)

    def _end(self, job: Job, outcome: Outcome) -> None:
        if job.stop_cause is Cause.TRIAL and job.owes:
            self._withdraw(job)  # it was faster than the kill
        job.state = state_after(outcome.cause, outcome.exit_code, outcome.signal)
        if outcome.cause in TELLS_RUN_TIME:
            self._planner.ended(job)
            if self._predictor is not None:
                run_us = job.end_us - job.start_us
                self._predictor.record(job.user, job.seq, run_us, job.estimate_us)
                if self.recipe.history.propagate:
                    self._repredict(job.user)
        del self.jobs[job.id]
        self._decisions.append(End(job))

    def _withdraw(self, job: Job) -> None:
        """The job waits for nothing any more, though its attempt may still run."""
        if job.claim:
            self._release_claim(job)
        else:
            self._unqueue(job)
        self._changed = True

    def _release_claim(self, job: Job) -> None:
        assert self._trials is not None
        self._trials.drop_claim(job)
        self._planner.forget(job)
        for piece in job.claim:
            self._capacity.give(piece)
        job.claim = ()
        job.expected_end_us = -1
        if job.trial_end_us >= 0:  # of a trial that has not begun
            self._unqueue(job)
            job.trial_end_us = -1

    def _unclaim(self, node: str) -> None:
        """The node takes nothing new: what was to start there is planned again."""
        if self._claimants is None:
            self._claimants = [job for job in self.jobs.values() if job.claim]
        for job in [job for job in self._claimants if _is_on(job.claim, node)]:
            untried = job.trial_end_us >= 0  # of a trial that has not begun
            self._release_claim(job)
            job.tried &= not untried
            self._wait(job)
            self._changed = True
            self._decisions.append(Unclaim(job))

    def _requeue_tried(self, job: Job) -> None:
        """A killed trial keeps its place in the queue, or starts on what it has claimed."""
        assert job.outcome is not None
        self._decisions.append(
            Requeue(job, job.attempt, job.outcome, job.start_us, job.end_us),
        )
        job.lost_us += job.end_us - job.start_us
        job.state = JobState.PENDING
        job.forget_end()
        job.allocation = ()
        job.start_us = job.end_us = -1
        if not job.claim and not self._capacity.possible(job.request):
            self._sort_anew = True

    def _requeue(self, job: Job) -> None:
        """The job waits again at its old place in the queue."""
        assert job.outcome is not None
        lost = Requeue(job, job.attempt, job.outcome, job.start_us, job.end_us)
        self._decisions.append(lost)
        job.state = JobState.PENDING
        job.forget_end()
        job.start_us = job.end_us = job.expected_end_us = -1
        job.allocation = ()
        job.corrections = job.overruns = 0
        job.backfilled, job.behind = False, -1
        job.prediction_us = self._predicted_us(job, None)
        self._wait(job)
        self._changed = True

    def _cancel(self, item: Cancel) -> None:
        job = self.jobs.get(item.job_id)
        if job is None:
            return
        if job.state is JobState.COMPLETING:
            if job.stop_cause in (Cause.NODE, Cause.TRIAL):
                if job.stop_cause is Cause.TRIAL and job.owes:
                    self._withdraw(job)
                job.stop_cause = Cause.USER  # so that it is not requeued
            return
        if job.state is not JobState.PENDING:
            if job.trial_end_us >= 0:
                self._end_trial(job)
            self._stop(job, Cause.USER)
            return
        if job.claim:
            self._release_claim(job)
        else:
            self._unqueue(job)
        job.state = JobState.CANCELLED
        job.outcome = Outcome(Cause.USER)
        job.end_us = self._now_us
        del self.jobs[job.id]
        self._changed = True
        self._decisions.append(End(job))

    # ------------------------------------------------------------ nodes

    def _available(self, changed: bool) -> None:
        if changed:
            self._changed = self._sort_anew = True

    def _node_gone(self, item: NodeGone) -> None:
        node = self.nodes.get(item.name)
        if node is None:
            return
        if node.link not in ("down", "leaving") or self._holders_on(item.name):
            self._refused.append(item)
            return
        self._nodes.forget(item.name)
        self._changed = self._sort_anew = True

    def _takes_less(self, item: Input) -> TypeGuard[NodeUp | NodeLeaving | Drain]:
        """Return whether a node has no longer room for all that is claimed on it."""
        if type(item) is NodeUp:
            return self._nodes.shrinks(item.name, item.cores, item.mem_mib)
        return type(item) in (NodeLeaving, Drain)

    def _lose(self, name: str) -> None:
        self._available(self._nodes.set_link(name, "down"))
        self._unclaim(name)

    def _node_dead(self, item: NodeDead) -> None:
        self._lose(item.name)
        for job in self._holders_on(item.name):
            if job.outcome is None and item.name == job.allocation[0].node:
                job.outcome = Outcome(Cause.NODE, message=f"node {item.name} is lost")
                job.end_us = self._now_us
            if job.trial_end_us >= 0:
                self._end_trial(job)
            self._give_back(job, item.name)
            if not job.open_nodes:
                self._finish(job)
            elif job.state is not JobState.COMPLETING:
                self._stop(job, Cause.NODE)

    def _sort_waiting(self) -> None:
        """Sort the waiting jobs anew into those that could run on the available nodes and those
        that could not, so that the latter hold up nobody."""
        self._sort_anew = False
        possible: dict[Request, bool] = {}

        def can_run(job: Job) -> bool:
            if job.request not in possible:
                possible[job.request] = self._capacity.possible(job.request)
            return possible[job.request]

        for job in [job for job in self._set_aside.values() if can_run(job)]:
            del self._set_aside[job.id]
            self._wait(job)
        for job in self._planner.waiting(self._now_us):
            if not can_run(job):
                self._unqueue(job)
                self._set_aside[job.id] = job

    # ------------------------------------------------------------ restart

    def restore(
        self,
        nodes: Iterable[Node],
        jobs: Iterable[Job],
        history: Iterable[tuple[str, int, int, int]],
        memory: PlannerMemory | None = None,
    ) -> None:
        """Take up where a core left off.

        Nodes come back suspect until their agents are heard of. `jobs` are the live ones, as they
        were; `history` has (user, seq, run_us, estimate_us) of terminated jobs, at least those that
        `prediction.runs_needed` names.
        """
        self._head = None
        for node in nodes:
            self._nodes.restore(node)
        for user, seq, run_us, estimate_us in history:
            if self._predictor is not None:
                self._predictor.record(user, seq, run_us, estimate_us)
            self.next_seq = max(self.next_seq, seq + 1)
        self.jobs = {job.id: job for job in jobs}
        self.next_seq = max(self.next_seq, *(job.seq + 1 for job in self.jobs.values()), 0)
        self._planner.restore(memory or PlannerMemory(), self.jobs)
        self._order = self._planner.order
        owing = {job.id for job in self.jobs.values() if job.owes}
        # By rank, claims come in the order in which they were made.
        for job in sorted(self.jobs.values(), key=lambda job: job.rank):
            if self._trials is None:
                _forget_trial(job)
            job.awaits &= owing
            if not job.awaits:
                _forget_claim(job)
            self._restore_job(job)

    def _restore_job(self, job: Job) -> None:
        """What it holds and has claimed is taken; what waits is set aside until there are nodes."""
        for pieces in (() if job.owes else job.holding(), job.claim):
            if pieces:
                self._capacity.take(tuple(pieces))
                self._planner.expect(job)
        if self._trials is not None:
            self._trials.restore(job)
        to_restart = job.owes and job.stop_cause is Cause.TRIAL
        waits = (job.state is JobState.PENDING or to_restart) and not job.claim
        if waits or job.trial_end_us >= 0:
            self._set_aside[job.id] = job


def _waits(job: Job) -> bool:
    return job.state is JobState.PENDING


def _is_committed(job: Job) -> bool:
    """Whether it runs by the base scheduler's decision: no trial, nor still waiting for a claim."""
    return job.trial_end_us < 0 and not job.claim


def _forget_claim(job: Job) -> None:
    """Nobody makes room for it any more: the job waits again, for its trial if it was one."""
    if job.claim and job.trial_end_us >= 0:
        job.tried, job.trial_end_us = False, -1
    job.claim = ()


def _forget_trial(job: Job) -> None:
    """There are no trials any more: the job's is committed, or waits again once it is killed."""
    job.awaits = frozenset()
    _forget_claim(job)
    if job.owes or job.trial_end_us >= 0:
        job.expected_end_us = job.start_us + job.prediction_us
    job.owes, job.trial_end_us = False, -1


def _spread(allocation: Allocation) -> bool:
    return any(piece.node != allocation[0].node for piece in allocation)


def _is_on(allocation: Allocation, node: str) -> bool:
    return any(piece.node == node for piece in allocation)


def _phase(item: Input) -> int:
    return item.phase
