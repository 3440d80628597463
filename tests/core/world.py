"""The outside of a core: jobs that arrive and run, and nodes that confirm."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Any

from hypothesis import strategies as st

from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.conditions import Awaits, Conditions, Dependency
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Ineligible
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import CapacityKind, Core
from rmsd_core.lifecycle.effects import Effects, End, Start, Stop
from rmsd_core.lifecycle.ending import TELLS_RUN_TIME
from rmsd_core.lifecycle.inputs import (
    Cancel,
    Drain,
    Exited,
    Hold,
    Input,
    NodeUp,
    PutBack,
    Release,
    Resume,
    Submit,
    Update,
)
from rmsd_core.model_time import SECOND_US
from rmsd_core.vocabulary import Cause, Fault, HeldBy, Relation
from rmsd_daemon.store.records import Row
from rmsd_lab.workloads.swf import TraceJob
from tests.core.strategies import MACHINE, combination_texts, preset_texts, timed
from tests.core.told import check_told, told_rows


@dataclass(frozen=True)
class Cluster:
    """A cluster to try. nodes: cores by name. exit_s: how long a stopped job takes to confirm."""

    capacity: CapacityKind
    nodes: dict[str, int]
    exit_s: int


_exits = st.sampled_from([0, 1, 7])
clusters = st.builds(
    Cluster, st.sampled_from(["counted", "nodes"]), st.just({"n1": MACHINE}), _exits
) | st.builds(Cluster, st.just("nodes"), st.just({"n1": 5, "n2": 3}), _exits)
_presets = preset_texts(
    (
        "fcfs",
        "easy",
        "easy++",
        "lxfw",
        "conservative",
        "sjf-conservative",
        "selective",
        "selective-d",
        "selective-a",
        "dynp",
    )
)
recipe_texts = _presets | timed(_presets) | combination_texts()


_relations = st.sampled_from(list(Relation))
_drawn_conditions = st.tuples(
    st.sampled_from([None, None, HeldBy.USER]),
    st.none() | st.integers(0, 100),
    st.lists(st.tuples(_relations, st.integers(1, 4), st.sampled_from([0, 3])), max_size=3),
    st.booleans(),
)
drawn_conditions = st.lists(st.none() | _drawn_conditions, max_size=30)
"""Conditions of the jobs of a trace, in their order; `conditions_of` makes them."""


def conditions_of(drawn: list[Any]) -> dict[int, Conditions]:
    """Return the conditions of jobs, by their places in the trace: on jobs that came before, which
    may be over."""
    found = {}
    for at, one in enumerate(drawn):
        if one is not None:
            held_by, begin_s, others, any_of = one
            dependencies = [_dependency(at, *other) for other in others]
            conditions = Conditions(
                held_by,
                None if begin_s is None else begin_s * SECOND_US,
                tuple(dict.fromkeys(filter(None, dependencies))),
                any_of=any_of,
                ends_if_never=True,
            )
            if conditions.stand:
                found[at] = conditions
    return found


def _dependency(at: int, relation: Relation, back: int, delay_s: int) -> Dependency | None:
    if relation is Relation.SINGLETON:
        return Dependency(relation)
    if back > at:
        return None
    delay_us = delay_s * SECOND_US if relation is Relation.AFTER else 0
    return Dependency(relation, at - back, delay_us)


def _update(job_id: int) -> Update:
    """Return a change of the job, which follows from its number: limit, size, name, conditions."""
    return Update(
        job_id=job_id,
        estimate_us=(1 + job_id % 7) * 5 * SECOND_US if job_id % 2 else None,
        request=Request((Component(1 + job_id % MACHINE),)) if job_id % 4 == 3 else None,
        name="name-0" if job_id % 4 == 2 else None,
        begin_us=job_id * SECOND_US if job_id % 8 == 4 else None,
        awaits=Awaits((Dependency(Relation.AFTER_ANY, job_id - 1),)) if job_id % 8 == 6 else None,
    )


@dataclass
class World:
    """The outside of a core: jobs that arrive and run, and nodes that confirm. It may feed a second
    core the same as the first.

    conditions: those with which jobs come, by their places in the trace.
    may_wait_s: how long some jobs may wait, by their places in the trace: they have deadlines.
    refuses: whether nodes refuse the first launch of some jobs.
    stored: the jobs' rows, as the first core has said that they changed. decided: of each core, its
    decisions, and the rows that are not what is stored.
    """

    trace: list[TraceJob]
    cluster: Cluster
    cores: list[Core]
    conditions: dict[int, Conditions] = field(default_factory=dict)
    may_wait_s: dict[int, int] = field(default_factory=dict)
    refuses: bool = True
    events: list[tuple[int, int, str, tuple[Any, ...]]] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=itertools.count)
    history: list[tuple[str, int, int, int, int]] = field(default_factory=list)
    wakes_us: list[int | None] = field(default_factory=list)
    decided: list[list[Any]] = field(default_factory=list)
    stored: dict[int, Row] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for at, job in enumerate(self.trace):
            self.expect(job.submit_s * SECOND_US, "submit", at)

    def expect(self, at_us: int, kind: str, *what: Any) -> None:
        heappush(self.events, (at_us, next(self.numbers), kind, what))

    @property
    def next_us(self) -> int | None:
        """Return when something happens next, or a core wants to be woken."""
        due = [wake_us for wake_us in self.wakes_us if wake_us is not None]
        return min([*due, *(event[0] for event in self.events[:1])], default=None)

    def step(self) -> int:
        now_us = self.next_us
        assert now_us is not None
        happens = []
        while self.events and self.events[0][0] == now_us:
            happens.append(heappop(self.events)[2:])
        self.feed(now_us, happens)
        return now_us

    def told(self) -> list[tuple[int, list[str]]]:
        """Let all happen, or some thousand steps. Return what the first core says at each one."""
        said: list[tuple[int, list[str]]] = []
        while self.next_us is not None and len(said) < 4000:
            at_us = self.step()
            said.append((at_us, [repr(one) for one in self.decided[0]]))
        return said

    def feed(self, now_us: int, happens: list[tuple[str, tuple[Any, ...]]]) -> None:
        self.wakes_us, self.decided = [], []
        stored = dict(self.stored)
        for core in self.cores:
            inputs = [item for kind, what in happens for item in self.inputs(kind, what, now_us)]
            effects = core.handle(now_us, inputs)
            core.sanity_check()
            self.wakes_us.append(effects.wake_us)
            told = told_rows(core, effects)
            news = {job_id: row for job_id, row in told.items() if row != stored.get(job_id)}
            self.decided.append([*effects.decisions, news])
            if core is self.cores[0]:
                self.stored |= told
                self.react(now_us, core, effects)
                check_told(core, self.stored)

    def inputs(self, kind: str, what: tuple[Any, ...], now_us: int) -> list[Input]:
        match kind:
            case "submit":
                asked = self.trace[what[0]]
                request = Request((Component(asked.size),))
                estimate_us = asked.estimate_s * SECOND_US
                restartable = what[0] % 5 != 3
                job = Job(what[0], str(asked.user), now_us, request, estimate_us)
                job.restartable, job.name = restartable, f"name-{what[0] % 3}"
                if (conditions := self.conditions.get(what[0])) is not None:
                    job.phase = Ineligible(conditions)
                if (may_wait_s := self.may_wait_s.get(what[0])) is not None:
                    job.deadline_us = now_us + may_wait_s * SECOND_US + estimate_us
                return [Submit(job)]
            case "exit":
                job_id, attempt, node, cause = what
                code = 0 if cause is Cause.EXIT else None
                fault = Fault.UNKNOWN if cause is Cause.LAUNCH else None
                return [Exited(job_id, attempt, node, now_us, Outcome(cause, code, fault=fault))]
            case "cancel":
                return [Cancel(*what)]
            case "hold":
                return [Hold(what[0], HeldBy.USER)]
            case "release":
                return [Release(*what)]
            case "put-back":
                return [PutBack(*what)]
            case "put-back-held":
                return [PutBack(what[0], HeldBy.USER)]
            case "update":
                return [_update(*what)]
            case "drain":
                return [Drain(what[0], "test")]
            case "resume":
                return [Resume(*what)]
        return [NodeUp(name, cores, 0) for name, cores in self.cluster.nodes.items()]

    def react(self, now_us: int, core: Core, effects: Effects) -> None:
        for decision in effects.decisions:
            if isinstance(decision, Start):
                job_id, attempt, _, allocation, _ = decision
                if self.refuses and job_id % 6 == 4 and attempt == 1:  # the node refuses the job
                    self.expect(now_us, "exit", job_id, attempt, allocation[0].node, Cause.LAUNCH)
                    continue
                end_us = now_us + self.trace[job_id].run_s * SECOND_US
                self.expect(end_us, "exit", job_id, attempt, allocation[0].node, Cause.EXIT)
            elif isinstance(decision, Stop):
                job_id, attempt, nodes, cause = decision
                end_us = now_us + self.cluster.exit_s * SECOND_US
                for node in nodes:
                    self.expect(end_us, "exit", job_id, attempt, node, cause)
            elif (
                isinstance(decision, End)
                and decision.start_us is not None
                and decision.outcome.cause in TELLS_RUN_TIME
            ):
                job = core.job(decision.job_id)
                run_us = decision.end_us - decision.start_us
                self.history.append((job.user, job.seq, run_us, job.estimate_us, job.size))
