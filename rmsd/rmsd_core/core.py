"""The core: inputs in, effects out. No I/O, no clock; the drivers own both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from rmsd_core.capacity import Capacity
from rmsd_core.counted import CountedCapacity
from rmsd_core.effects import Correct, Decision, Effects, End, Requeue, Start, Stop
from rmsd_core.inputs import (
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
from rmsd_core.job import SECOND_US, Allocation, Job, Outcome, Piece, Request
from rmsd_core.node_capacity import NodeCapacity
from rmsd_core.parts import PREDICTORS, Predictor
from rmsd_core.planner import Planner
from rmsd_core.prediction import correction_us
from rmsd_core.recipe import Recipe
from rmsd_core.vocabulary import Cause, JobState, state_after

CapacityKind = Literal["nodes", "counted"]
Link = Literal["up", "suspect", "down", "leaving"]

_TELLS_RUN_TIME = frozenset({Cause.EXIT, Cause.LIMIT, Cause.MEMORY, Cause.USER})
"""Ends that say something about how long a user's jobs run; a lost node does not."""


@dataclass(slots=True)
class Node:
    """A node the core knows. `drain_reason` None: not drained."""

    name: str
    cores: int
    mem_mib: int
    features: tuple[str, ...] = ()
    link: Link = "up"
    drain_reason: str | None = None

    @property
    def available(self) -> bool:
        return self.link == "up" and self.drain_reason is None


@dataclass(slots=True)
class Usage:
    """What is held on a node, by which jobs."""

    cores: int
    mem_mib: int
    job_ids: list[int]


class Core:
    """The state of a cluster and its queue, changed by `handle` alone.

    Jobs leave `jobs` with their `End`.
    """

    def __init__(self, recipe: Recipe, capacity: CapacityKind = "nodes") -> None:
        self.recipe = recipe
        self.jobs: dict[int, Job] = {}
        self.nodes: dict[str, Node] = {}
        self.next_seq = 1
        self.passes = 0
        self._capacity: Capacity = CountedCapacity() if capacity == "counted" else NodeCapacity()
        self._planner = Planner(recipe, self._capacity)
        make = PREDICTORS[recipe.predict].make
        self._predictor: Predictor | None = make(recipe) if make else None
        self._leaving: set[str] = set()
        self._set_aside: dict[int, Job] = {}  # waiting, but no set of available nodes holds them
        self._changed = False
        self._sort_anew = False
        self._decisions: list[Decision] = []

    # ------------------------------------------------------------ questions

    def never_fits(self, request: Request) -> str | None:
        """Why the request can never run here, with the numbers; None if it can, or while no node
        is known and nothing can be said."""
        return self._capacity.never_fits(request) if self.nodes else None

    def reason(self, job: Job) -> str:
        """Slurm's word for why a job waits; "None" if it does not."""
        if job.state is not JobState.PENDING:
            return "None"
        if job.id in self._set_aside:
            return "ReqNodeNotAvail"
        return "Resources" if job is self._planner.head else "Priority"

    def usage(self) -> dict[str, Usage]:
        """What every node has given out."""
        usage = {name: Usage(0, 0, []) for name in self.nodes}
        for _, _, job in self._planner.releases():
            for piece in job.allocation:
                if piece.node in job.open_nodes:
                    held = usage[piece.node]
                    held.cores += piece.cores
                    held.mem_mib += piece.mem_mib
                    held.job_ids.append(job.id)
        return usage

    def left(self) -> list[str]:
        """The nodes that are leaving and hold nothing any more."""
        if not self._leaving:
            return []
        usage = self.usage()
        return [name for name in sorted(self._leaving) if not usage[name].job_ids]

    # ------------------------------------------------------------ the one way in

    def handle(self, now_us: int, inputs: Sequence[Input]) -> Effects:
        """Apply all inputs of the instant `now_us`, run one pass if anything changed that a
        decision depends on, and say what is to be done. `now_us` must not go back.

        Stale inputs (of a job that is over, of an old attempt) are no events.
        """
        effects = Effects()
        self._decisions = effects.decisions
        arrivals = inputs
        if len(inputs) > 1 or (inputs and inputs[0].phase != Submit.phase):
            for item in sorted(inputs, key=_phase):
                if item.phase != Submit.phase:
                    self._apply(item, now_us)
            arrivals = [item for item in inputs if item.phase == Submit.phase]
        if self.recipe.corrects:
            self._expire_predictions(now_us)
        for item in arrivals:
            assert isinstance(item, Submit)
            self._submit(item.job)
        if self._sort_anew:
            self._sort_waiting()
        if self._changed:
            self._changed = False
            self.passes += 1
            self._planner.run(now_us, lambda job, where: self._start(job, where, now_us))
        if self.recipe.corrects and (release := self._planner.next_release()):
            effects.wake_us = release[0]
        return effects

    def _apply(self, item: Input, now_us: int) -> None:
        match item:
            case Exited():
                self._exited(item)
            case Launched():
                self._launched(item)
            case Cancel():
                self._cancel(item, now_us)
            case NodeUp():
                self._node_up(item)
            case NodeSuspect():
                self._set_link(item.name, "suspect")
            case NodeDead():
                self._node_dead(item, now_us)
            case NodeLeaving():
                self._set_link(item.name, "leaving")
            case NodeGone():
                self._node_gone(item.name)
            case Drain():
                self._set_drain(item.name, item.reason)
            case Resume():
                self._set_drain(item.name, None)
            case Submit():
                raise AssertionError("arrivals are applied last")

    # ------------------------------------------------------------ jobs come

    def _submit(self, job: Job) -> None:
        job.seq = self.next_seq
        self.next_seq += 1
        self.jobs[job.id] = job
        job.prediction_us = self._predict(job)
        self._wait(job)
        self._changed = True

    def _predict(self, job: Job) -> int:
        if self._predictor is not None:
            return self._predictor.predict_us(job.user, job.estimate_us)
        return max(SECOND_US, job.estimate_us)

    def _wait(self, job: Job) -> None:
        if self._capacity.possible(job.request):
            self._planner.enqueue(job)
        else:
            self._set_aside[job.id] = job

    # ------------------------------------------------------------ and start

    def _start(self, job: Job, allocation: Allocation, now_us: int) -> None:
        self._capacity.take(allocation)
        job.state = JobState.CONFIGURING
        job.attempt += 1
        job.start_us = now_us
        job.expected_end_us = now_us + job.prediction_us
        job.allocation = allocation
        job.open_nodes = {piece.node for piece in allocation}
        self._planner.expect(job)
        self._decisions.append(Start(job))

    def _launched(self, item: Launched) -> None:
        job = self.jobs.get(item.job_id)
        if job and job.attempt == item.attempt and job.state is JobState.CONFIGURING:
            job.state = JobState.RUNNING

    def _expire_predictions(self, now_us: int) -> None:
        """Replace every prediction that has come true too early (thesis 4.4)."""
        while (release := self._planner.next_release()) and release[0] <= now_us:
            job = release[2]
            self._planner.forget(job)
            elapsed_us = now_us - job.start_us
            if elapsed_us < job.estimate_us:
                job.prediction_us = job.estimate_us
            else:
                job.overruns += 1
                job.prediction_us = elapsed_us + correction_us(job.overruns)
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
        self._give_back(job, item.node)
        if not job.open_nodes:
            self._finish(job)
        elif job.state is not JobState.COMPLETING:
            # The script is over, or part of what it runs on is gone: the other nodes let go.
            self._stop(job, Cause.EXIT if job.outcome else Cause.NODE)

    def _give_back(self, job: Job, node: str) -> None:
        job.open_nodes.discard(node)
        for piece in job.allocation:
            if piece.node == node:
                self._capacity.give(piece)
        self._changed = True

    def _stop(self, job: Job, cause: Cause) -> None:
        job.state = JobState.COMPLETING
        job.stop_cause = cause
        nodes = tuple(piece.node for piece in job.allocation if piece.node in job.open_nodes)
        self._decisions.append(Stop(job, nodes, cause))

    def _finish(self, job: Job) -> None:
        """No node holds anything of the attempt any more."""
        self._planner.forget(job)
        outcome = job.outcome
        assert outcome is not None
        if outcome.cause in (Cause.UNKNOWN, Cause.NODE) and job.stop_cause is Cause.USER:
            outcome.cause = Cause.USER
        if outcome.cause is Cause.NODE and job.requeue:
            self._requeue(job)
            return
        job.state = state_after(outcome.cause, outcome.exit_code, outcome.signal)
        if outcome.cause in _TELLS_RUN_TIME and self._predictor is not None:
            run_us = job.end_us - job.start_us
            self._predictor.record(job.user, job.seq, run_us, job.estimate_us)
        del self.jobs[job.id]
        self._decisions.append(End(job))

    def _requeue(self, job: Job) -> None:
        """The job waits again at its old place in the queue."""
        assert job.outcome is not None
        lost = Requeue(job, job.attempt, job.outcome, job.start_us, job.end_us)
        self._decisions.append(lost)
        job.state = JobState.PENDING
        job.outcome = job.stop_cause = None
        job.start_us = job.end_us = job.expected_end_us = -1
        job.allocation = ()
        job.corrections = job.overruns = 0
        job.backfilled = False
        job.prediction_us = self._predict(job)
        self._wait(job)

    def _cancel(self, item: Cancel, now_us: int) -> None:
        job = self.jobs.get(item.job_id)
        if job is None:
            return
        if job.state is JobState.COMPLETING:
            if job.stop_cause is Cause.NODE:
                job.stop_cause = Cause.USER  # so that it is not requeued
            return
        if job.state is not JobState.PENDING:
            self._stop(job, Cause.USER)
            return
        if self._set_aside.pop(job.id, None) is None:
            self._planner.dequeue(job)
        job.state = JobState.CANCELLED
        job.outcome = Outcome(Cause.USER)
        job.end_us = now_us
        del self.jobs[job.id]
        self._changed = True
        self._decisions.append(End(job))

    # ------------------------------------------------------------ nodes

    def _node_up(self, item: NodeUp) -> None:
        node = self.nodes.get(item.name)
        if node is None:
            node = Node(item.name, item.cores, item.mem_mib, item.features)
            self.nodes[item.name] = node
        node.cores, node.mem_mib, node.features = item.cores, item.mem_mib, item.features
        self._capacity.set_node(node.name, node.cores, node.mem_mib, node.features)
        self._link_changed(node, "up")

    def _set_link(self, name: str, link: Link) -> None:
        node = self.nodes.get(name)
        if node is not None and node.link != link:
            self._link_changed(node, link)

    def _link_changed(self, node: Node, link: Link) -> None:
        node.link = link
        (self._leaving.add if link == "leaving" else self._leaving.discard)(node.name)
        self._availability_changed(node)

    def _node_gone(self, name: str) -> None:
        node = self.nodes.get(name)
        if node is None or node.link not in ("down", "leaving") or self.usage()[name].job_ids:
            return
        del self.nodes[name]
        self._leaving.discard(name)
        self._capacity.set_node(name, 0, 0, ())
        self._changed = self._sort_anew = True

    def _set_drain(self, name: str, reason: str | None) -> None:
        node = self.nodes.get(name)
        if node is not None:
            node.drain_reason = reason
            self._availability_changed(node)

    def _node_dead(self, item: NodeDead, now_us: int) -> None:
        self._set_link(item.name, "down")
        for job in [job for _, _, job in self._planner.releases() if item.name in job.open_nodes]:
            if job.outcome is None and item.name == job.allocation[0].node:
                job.outcome = Outcome(Cause.NODE, message=f"node {item.name} is lost")
                job.end_us = now_us
            self._give_back(job, item.name)
            if not job.open_nodes:
                self._finish(job)
            elif job.state is not JobState.COMPLETING:
                self._stop(job, Cause.NODE)

    def _availability_changed(self, node: Node) -> None:
        self._capacity.set_available(node.name, node.available)
        self._changed = self._sort_anew = True

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
            self._planner.enqueue(job)
        for job in self._planner.waiting():
            if not can_run(job):
                self._planner.dequeue(job)
                self._set_aside[job.id] = job

    # ------------------------------------------------------------ restart

    def restore(
        self,
        nodes: Iterable[Node],
        jobs: Iterable[Job],
        history: Iterable[tuple[str, int, int]],
    ) -> None:
        """Take up where a core left off.

        Nodes come back suspect until their agents are heard of. `jobs` are the live ones, as they
        were; `history` has (user, seq, run_us) of terminated jobs, at least each user's latest two.
        """
        for node in nodes:
            node.link = "down" if node.link == "down" else "suspect"
            self.nodes[node.name] = node
            self._capacity.set_node(node.name, node.cores, node.mem_mib, node.features)
        for user, seq, run_us in history:
            if self._predictor is not None:
                self._predictor.record(user, seq, run_us, -1)
            self.next_seq = max(self.next_seq, seq + 1)
        for job in jobs:
            self.jobs[job.id] = job
            self.next_seq = max(self.next_seq, job.seq + 1)
            if job.state is JobState.PENDING:
                self._set_aside[job.id] = job
                continue
            held: list[Piece] = [p for p in job.allocation if p.node in job.open_nodes]
            self._capacity.take(tuple(held))
            self._planner.expect(job)
        self._changed = True


def _phase(item: Input) -> int:
    return item.phase
