"""Arrays whose tasks await those of another array one by one: what becomes of intervals of tasks is
what becomes of as many jobs."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest

from rmsd_core.jobs.array import Array, Counterpart, Indices, id_of
from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.conditions import Conditions, Dependency
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import UNFOLDING, Ineligible, Phase
from rmsd_core.jobs.ranks import Interval
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle import eligibility
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Drop, End, Stop
from rmsd_core.lifecycle.inputs import Cancel, Exited, Hold, Input, NodeUp, Release, Submit
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import Cause, HeldBy, Relation

_GATE = 1
"""The job that the first array of each story awaits."""
_GAP = 10_000
_MANY = 5000
_REQUEST = Request((Component(1, 1, 0),))


class Group(NamedTuple):
    """Tasks of a story, by index, and which group they await one by one; None: they await a job.
    ends: they are cancelled when they can never start."""

    indices: tuple[tuple[int, int, int], ...]
    follows: int | None
    ends: bool

    @property
    def of(self) -> Indices:
        return Indices(self.indices)


@dataclass
class Machine:
    """A core, with the groups of a story as arrays, or as jobs of their own, in the same
    numbers."""

    groups: list[Group]
    as_arrays: bool
    core: Core = field(default_factory=lambda: Core(parse_recipe("easy"), "counted"))
    ends: dict[int, tuple[str, Cause]] = field(default_factory=dict)
    decided: int = 0
    cores: int = 3
    restarts: random.Random | None = None

    def begin(self) -> None:
        """Let all jobs arrive."""
        held = Ineligible(Conditions(held_by=HeldBy.USER))
        inputs: list[Input] = [NodeUp("all", self.cores, 0)]
        inputs.append(Submit(Job(_GATE, "ann", 0, _REQUEST, SECOND_US, phase=held)))
        for at, group in enumerate(self.groups):
            inputs += [Submit(job) for job in self._jobs(at, group)]
        self.handle(0, inputs)

    def _jobs(self, at: int, group: Group) -> list[Job]:
        array_id, indices = _number(at), group.of
        awaits_gate = (Dependency(Relation.AFTER_OK, _GATE),)
        conditions = Conditions(dependencies=awaits_gate, ends_if_never=group.ends)
        phase: Phase = Ineligible(conditions) if group.follows is None else UNFOLDING
        if self.as_arrays:
            there = None
            if group.follows is not None:
                other = self.groups[group.follows].of
                there = Counterpart(_number(group.follows), other, ends_if_never=group.ends)
            array = Array[Job](indices, None, there)
            return [Job(array_id, "ann", 0, _REQUEST, SECOND_US, array=array, phase=phase)]
        jobs = []
        for rank, index in enumerate(indices):
            phase = Ineligible(conditions)
            if group.follows is not None:
                rank_there = self.groups[group.follows].of.rank(index)
                assert rank_there is not None
                other_id = id_of(_number(group.follows), rank_there)
                awaits = (Dependency(Relation.AFTER_OK, other_id),)
                phase = Ineligible(Conditions(dependencies=awaits, ends_if_never=group.ends))
            jobs.append(Job(id_of(array_id, rank), "ann", 0, _REQUEST, SECOND_US, phase=phase))
        return jobs

    def cancel(self, at: int, ranks: list[Interval]) -> list[Input]:
        if self.as_arrays:
            return [Cancel(_number(at), tuple(ranks))]
        ids = [id_of(_number(at), rank) for part in ranks for rank in range(*part)]
        return [Cancel(job_id) for job_id in ids]

    def handle(self, now_s: int, inputs: list[Input]) -> None:
        """Let the core hear of these inputs and of what it has ordered, until all is settled."""
        now_us = now_s * SECOND_US
        for _ in range(1000):
            effects = self.core.handle(now_us, inputs)
            self.core.sanity_check()
            self.decided += len(effects.decisions)
            inputs = []
            for decision in effects.decisions:
                match decision:
                    case End(job_id, _, state, outcome):
                        self.ends[job_id] = state.value, outcome.cause
                    case Drop(array_id, dropped, cause):
                        for rank in (rank for part in dropped for rank in range(*part)):
                            self.ends[id_of(array_id, rank)] = "CANCELLED", cause
                    case Stop(job_id, attempt, _, cause):
                        inputs.append(Exited(job_id, attempt, "all", now_us, Outcome(cause)))
            if not inputs and effects.wake_us != now_us:
                return
            if self.restarts is not None and self.restarts.random() < 0.3:
                self._restart()
                inputs.insert(0, NodeUp("all", self.cores, 0))
        raise AssertionError("the core is not done")

    def _restart(self) -> None:
        """Go on with a core that knows what is stored of this one."""
        before, jobs = self.core, list(self.core.jobs.values())
        for job in jobs:
            if job.array is not None:
                kept: dict[str, Any] = job.array.kept()
                job.array = Array(job.array.indices, None, job.array.corresponds)
                job.array.take_up(**kept)
        self.core = Core(before.recipe, "counted")
        self.core.restore(list(before.nodes.values()), jobs, [], before.memory())
        self.core.pass_over_seqs(before.next_seq)

    def running(self) -> list[int]:
        return sorted(job.id for job in self.core.jobs.values() if job.open_nodes)

    def exit(self, now_s: int, job_id: int, code: int) -> list[Input]:
        attempt = self.core.jobs[job_id].attempt
        outcome = Outcome(Cause.EXIT, code)
        return [Exited(job_id, attempt, "all", now_s * SECOND_US, outcome)]

    def told(self) -> dict[int, object]:
        """Return what becomes of each task: its end, or why it waits, or that it runs."""
        told: dict[int, object] = {}
        for at, group in enumerate(self.groups):
            for rank in range(len(group.of)):
                job_id = id_of(_number(at), rank)
                job = self.core.jobs.get(job_id) or self.core.waiting_task(job_id)
                if job_id in self.ends or job is None:
                    told[job_id] = self.ends[job_id]
                elif job.conditions.stand:
                    waits = job.conditions
                    told[job_id] = waits.never, bool(waits.dependencies), waits.held_by
                else:
                    told[job_id] = bool(job.open_nodes)
        return told


def _number(at: int) -> int:
    return (at + 1) * _GAP


def _drawn(rng: random.Random) -> list[Group]:
    """Draw a first array, and some that follow it or one another."""
    groups = [Group(((0, rng.randrange(3, 12), rng.choice([1, 2, 3])),), None, rng.random() < 0.5)]
    for at in range(rng.randrange(1, 4)):
        other = rng.randrange(at + 1)
        among = list(groups[other].of)
        taken = (
            among if rng.random() < 0.4 else sorted(rng.sample(among, rng.randint(1, len(among))))
        )
        runs = tuple((index, index, 1) for index in taken)
        groups.append(Group(runs, other, rng.random() < 0.6))
    return groups


def _intervals(rng: random.Random, count: int) -> list[Interval]:
    """Draw intervals of ranks: all, or some."""
    if rng.random() < 0.3:
        return [(0, count)]
    cuts = sorted(rng.sample(range(count + 1), 2 * rng.randint(1, max(1, (count + 1) // 4))))
    return list(zip(cuts[::2], cuts[1::2], strict=True))


def _story(seed: int, cores: int = 3, *, restarts: bool = False) -> None:
    rng = random.Random(seed)
    groups = _drawn(rng)
    arrays, jobs = (
        Machine(groups, as_arrays, cores=cores, restarts=random.Random(seed) if restarts else None)
        for as_arrays in (True, False)
    )
    for machine in (arrays, jobs):
        machine.begin()
    opens_at = rng.randrange(20)
    for now_s in range(1, 40):
        at = rng.randrange(len(groups))
        ranks = _intervals(rng, len(groups[at].of))
        running = arrays.running()
        chosen = rng.choice(running) if running else 0
        code = rng.choice([0, 0, 1])
        task_id = id_of(_number(at), rng.randrange(len(groups[at].of)))
        kind = rng.choice(["exit"] * 8 + ["cancel", "hold"])
        kind = "gate" if now_s == opens_at else kind
        for machine in (arrays, jobs):
            match kind:
                case "gate":
                    machine.handle(now_s, [Release(_GATE)])
                case "cancel":
                    machine.handle(now_s, machine.cancel(at, ranks))
                case "hold":
                    machine.handle(now_s, [Hold(task_id, HeldBy.USER)])
                case _ if chosen:
                    machine.handle(now_s, machine.exit(now_s, chosen, code))
        assert arrays.told() == jobs.told(), f"seed {seed}, at {now_s}: {kind} {at} {ranks}"
        assert arrays.running() == jobs.running(), f"seed {seed}, at {now_s}"


@pytest.mark.slow
def test_intervals_of_tasks_fare_as_jobs_do(fresh_seed: int) -> None:
    for seed in range(fresh_seed, fresh_seed + 60):
        _story(seed)


@pytest.mark.slow
@pytest.mark.parametrize("most", [1, 2, 5])
def test_intervals_of_tasks_fare_as_jobs_do_in_parts_and_over_restarts(
    most: int, fresh_seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each call settles this many conditions, and the core is made anew between some of them."""
    monkeypatch.setattr(eligibility, "MOST_SETTLED", most)
    for seed in range(fresh_seed, fresh_seed + 20):
        _story(seed, 1000, restarts=True)


@pytest.mark.parametrize("ends", [True, False])
def test_a_whole_array_costs_its_followers_a_decision_and_not_one_for_each_task(ends: bool) -> None:
    """20,000 tasks that could never start, and as many that awaited them, took 1.2 s in one call of
    the core, and the daemon 3 s."""
    groups = [Group(((0, _MANY - 1, 1),), None, True), Group(((0, _MANY - 1, 1),), 0, ends)]
    machine = Machine(groups, as_arrays=True)
    machine.begin()
    machine.decided = 0
    machine.handle(1, [Cancel(_GATE)])
    assert machine.decided < 10
    never = ("CANCELLED", Cause.DEPENDENCY)
    told = machine.told()
    for rank in range(_MANY):
        assert told[id_of(_number(0), rank)] == never
        assert told[id_of(_number(1), rank)] == (never if ends else (True, False, None))


def test_a_task_that_could_never_start_is_told_from_one_that_was_cancelled() -> None:
    groups = [Group(((0, 9, 1),), None, True), Group(((0, 9, 1),), 0, True)]
    machine = Machine(groups, as_arrays=True)
    machine.begin()
    machine.handle(1, machine.cancel(0, [(0, 3)]))
    machine.handle(2, machine.cancel(1, [(5, 7)]))

    def causes(at: int) -> list[Cause | None]:
        tasks = [machine.core.waiting_task(id_of(_number(at), rank)) for rank in range(10)]
        return [task.outcome.cause if task and task.outcome else None for task in tasks]

    never, by_user = Cause.DEPENDENCY, Cause.USER
    assert causes(0) == [by_user] * 3 + [None] * 7
    assert causes(1) == [never] * 3 + [None] * 2 + [by_user] * 2 + [None] * 3
    follower = machine.core.jobs[_number(1)]
    assert follower.array is not None
    stored: dict[str, Any] = follower.array.kept()
    follower.array = Array(follower.array.indices, None, follower.array.corresponds)
    follower.array.take_up(**stored)
    assert causes(1) == [never] * 3 + [None] * 2 + [by_user] * 2 + [None] * 3


def test_a_release_of_an_array_looks_at_no_task_that_waits_for_another_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each release looked for the corresponding task of each blocked one."""
    groups = [Group(((0, _MANY - 1, 1),), None, True), Group(((0, _MANY - 1, 1),), 0, True)]
    machine = Machine(groups, as_arrays=True)
    machine.begin()
    follower = machine.core.jobs[_number(1)]
    assert follower.array is not None
    looked_at: list[int] = []
    monkeypatch.setattr(Array, "counterpart_id", lambda _, rank: looked_at.append(rank))
    machine.handle(1, [Hold(follower.id, HeldBy.USER)])
    machine.handle(2, [Release(follower.id)])
    assert not looked_at
    assert len(follower.array.blocked) == _MANY
