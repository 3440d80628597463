"""Job arrays: their schedule is that of the same tasks as separate submits, and nothing is lost."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from typing import NamedTuple

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec import json

from rmsd_core.jobs.array import Array, Indices
from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import UNFOLDING
from rmsd_core.jobs.ranks import Ranks
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Decision, Detach, Drop, Effects, End, Start, Stop
from rmsd_core.lifecycle.inputs import (
    Cancel,
    Exited,
    Hold,
    Input,
    NodeUp,
    PutBack,
    Release,
    Submit,
)
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.recipe import Recipe
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import Cause, HeldBy
from rmsd_daemon.domain.arrays import ArrayDetails
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.store.records import Row, changing_columns, given_columns, job_of
from tests.core.strategies import any_recipes

_GAP = 100
"""The difference between the numbers of one group and the next."""


class Group(NamedTuple):
    """Tasks that are submitted at one instant; each has its own run time."""

    submit_s: int
    size: int
    estimate_s: int
    runs_s: tuple[int, ...]
    user: str


_groups = st.lists(
    st.builds(
        Group,
        st.integers(0, 60) | st.sampled_from([0, 10]),
        st.integers(1, 8) | st.integers(1, 3),
        st.integers(1, 90) | st.sampled_from([10, 30]),
        st.lists(st.integers(0, 120), min_size=1, max_size=12).map(tuple),
        st.sampled_from(["a", "b"]),
    ),
    min_size=1,
    max_size=8,
).map(lambda groups: sorted(groups, key=lambda group: group.submit_s))


@dataclass
class Run:
    """A machine that runs groups of tasks, as arrays or as separate jobs."""

    groups: Sequence[Group]
    core: Core
    as_arrays: bool
    limit: int | None = None
    more: list[tuple[int, Input]] = field(default_factory=list)
    decided: list[tuple[int, Decision]] = field(default_factory=list)
    dropped: defaultdict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    most_at_once: Counter[int] = field(default_factory=Counter)

    def run(self, nodes: dict[str, int]) -> list[tuple[int, Decision]]:
        """Return the starts, stops and ends of all tasks, with their instants."""
        events: list[tuple[int, int, Input]] = []
        for number, (name, cores) in enumerate(nodes.items()):
            heappush(events, (0, number - len(nodes), NodeUp(name, cores, 0)))
        count = 0
        for at, group in enumerate(self.groups):
            for job in self._jobs(at, group):
                run_us = group.runs_s[0] * SECOND_US
                heappush(events, (group.submit_s * SECOND_US, count, Submit(job, run_us)))
                count += 1
        for at_us, item in self.more:
            heappush(events, (at_us, count, item))
            count += 1
        wake_us: int | None = None
        while events or wake_us is not None:
            now_us = min(
                [*(event[0] for event in events[:1]), *([] if wake_us is None else [wake_us])]
            )
            inputs = []
            while events and events[0][0] == now_us:
                inputs.append(heappop(events)[2])
            effects = self.handle(now_us, inputs)
            self.core.sanity_check()
            wake_us = effects.wake_us
            for job in self.core.arrays():
                assert job.array is not None
                running = sum(bool(task.open_nodes) for task in job.array.tasks.values())
                self.most_at_once[job.id] = max(self.most_at_once[job.id], running)
            for decision in effects.decisions:
                for at_us, item in self._react(now_us, decision):
                    count += 1
                    heappush(events, (at_us, count, item))
        assert not self.core.jobs
        return self.decided

    def handle(self, now_us: int, inputs: list[Input]) -> Effects:
        """Tell the core what happens at an instant."""
        return self.core.handle(now_us, inputs)

    def _jobs(self, at: int, group: Group) -> list[Job]:
        first, request = (at + 1) * _GAP, Request((Component(group.size),))
        submit_us, estimate_us = group.submit_s * SECOND_US, group.estimate_s * SECOND_US
        ids = [first] if self.as_arrays else range(first + 1, first + 1 + len(group.runs_s))
        jobs = [Job(job_id, group.user, submit_us, request, estimate_us) for job_id in ids]
        if self.as_arrays:
            jobs[0].array = Array(Indices([(0, len(group.runs_s) - 1, 1)]), self.limit)
            jobs[0].phase = UNFOLDING
        return jobs

    def _react(self, now_us: int, decision: Decision) -> list[tuple[int, Input]]:
        match decision:
            case Start(job_id, attempt, _, place, _):
                self.decided.append((now_us, decision))
                group = self.groups[job_id // _GAP - 1]
                end_us = now_us + group.runs_s[job_id % _GAP - 1] * SECOND_US
                done = Outcome(Cause.EXIT, 0)
                return [(end_us, Exited(job_id, attempt, one.node, end_us, done)) for one in place]
            case Stop(job_id, attempt, places, cause):
                self.decided.append((now_us, decision))
                over = Outcome(cause)
                return [(now_us, Exited(job_id, attempt, one, now_us, over)) for one in places]
            case End(job_id) if job_id % _GAP:
                self.decided.append((now_us, decision))
            case Drop(array_id, ranks, _):
                self.dropped[array_id] |= {
                    array_id + 1 + rank for first, last in ranks for rank in range(first, last)
                }
        return []


@dataclass
class Twins(Run):
    """A machine, and before each instant another one that is made anew from the rows of the
    first."""

    rows: dict[int, Row] = field(default_factory=dict)
    known: dict[int, Details] = field(default_factory=dict)

    def handle(self, now_us: int, inputs: list[Input]) -> Effects:
        twin = self._anew()
        # Both hear of the nodes, which the new one does not know to be up.
        ups: list[Input] = [NodeUp(name, one.cores, 0) for name, one in self.core.nodes.items()]
        inputs = [*ups, *inputs]
        for item in inputs:
            if isinstance(item, Submit):
                assert item.job.array is not None
                tasks = f"0-{item.job.array.count - 1}"
                array = ArrayDetails(tasks, self.limit)
                self.known[item.job.id] = Details("job", array=array)
        copies = [self._copied(item) for item in inputs]
        told = twin.handle(now_us, copies) if twin is not None else None
        effects = self.core.handle(now_us, inputs)
        assert told is None or told.decisions == effects.decisions
        for decision in effects.decisions:
            if isinstance(decision, Detach):
                self.known[decision.job_id] = self.known[decision.array_id].of_task()
        for job_id in effects.changed:
            job = self.core.job(job_id)
            row = given_columns(job, self.known[job_id]) | changing_columns(job)
            self.rows[job_id] = json.decode(json.encode(row))
        return effects

    def _anew(self) -> Core | None:
        """Return a core that takes up where the first one is; None if that has no node yet."""
        if not self.core.nodes:
            return None
        core = Core(self.core.recipe, "counted")
        live = [job_of(row)[0] for row in self.rows.values() if row["live"]]
        core.restore(self.core.nodes.values(), live, [], self.core.memory())
        core.pass_over_seqs(self.core.next_seq)
        return core

    @staticmethod
    def _copied(item: Input) -> Input:
        if not isinstance(item, Submit):
            return replace(item) if isinstance(item, Exited) else item
        copy = item.job.copied()
        assert copy.array is not None
        copy.array = Array(copy.array.indices, copy.array.limit)
        return Submit(copy, item.run_us)


_machines = st.sampled_from([{"n1": 8}, {"n1": 5, "n2": 3}, {"n1": 2, "n2": 3, "n3": 3}])


_capacities = st.sampled_from(["counted", "nodes"])


def is_scheduled_as_separate_jobs_are(
    groups: list[Group], recipe: Recipe, capacity: str, nodes: dict[str, int]
) -> None:
    """Check that each array of these groups decides what its tasks decide as jobs."""
    assume(not recipe.has_urgent)  # the virtual EASY sees the tasks that are in the queue
    if recipe.predict == "perfect":  # an array has one prediction
        groups = [one._replace(runs_s=(one.runs_s[0],) * len(one.runs_s)) for one in groups]
    largest = max(nodes.values()) if capacity == "nodes" else 8
    groups = [one._replace(size=min(one.size, largest)) for one in groups]
    apart = Run(groups, Core(recipe, capacity), as_arrays=False).run(nodes)
    together = Run(groups, Core(recipe, capacity), as_arrays=True).run(nodes)
    assert together == apart


@pytest.mark.slow
@settings(max_examples=25)
@given(_groups, any_recipes, _capacities, _machines)
def test_an_array_is_scheduled_as_separate_jobs_are(
    groups: list[Group], recipe: Recipe, capacity: str, nodes: dict[str, int]
) -> None:
    is_scheduled_as_separate_jobs_are(groups, recipe, capacity, nodes)


@pytest.mark.long  # 300 examples, each with two cores, compute for some 20 s
@settings(max_examples=150)
@given(_groups, any_recipes, _capacities, _machines)
def test_more_arrays_are_scheduled_as_separate_jobs_are(
    groups: list[Group], recipe: Recipe, capacity: str, nodes: dict[str, int]
) -> None:
    is_scheduled_as_separate_jobs_are(groups, recipe, capacity, nodes)


def test_holds_and_releases_unfold_nothing_more() -> None:
    """A user may hold and release an array for ever; each time unfolded one more of its tasks."""
    core = Core(parse_recipe("easy"), "counted")
    core.handle(0, [NodeUp("n1", 2, 0)])
    jobs = [Job(at * 1000, "a", 0, Request((Component(2),)), 10 * SECOND_US) for at in (1, 2)]
    jobs[1].array, jobs[1].phase = Array(Indices([(0, 499, 1)])), UNFOLDING
    core.handle(0, [Submit(job) for job in jobs])
    live = len(core.jobs)
    for at in range(1, 101):
        core.handle(2 * at, [Hold(2000, HeldBy.USER)])
        core.handle(2 * at + 1, [Release(2000)])
        core.sanity_check()
        assert len(core.jobs) == live


# ---------------------------------------------------------------- sets of places


_interval = st.tuples(st.integers(0, 30), st.integers(0, 30))


@given(st.lists(st.tuples(st.booleans(), _interval), max_size=20))
def test_ranks_are_a_set_in_as_few_intervals_as_possible(
    steps: list[tuple[bool, tuple[int, int]]],
) -> None:
    ranks, model = Ranks(), set[int]()
    for adds, (first, last) in steps:
        if adds:
            ranks.add(first, last)
            model |= set(range(first, last))
        else:
            taken = {at for a, b in ranks.take(first, last) for at in range(a, b)}
            assert taken == model & set(range(first, last))
            model -= taken
        assert list(ranks) == sorted(model)
        assert len(ranks) == len(model)
        assert all(at in ranks for at in model)
        gaps = zip(ranks.intervals(), ranks.intervals()[1:], strict=False)
        assert all(one[1] < other[0] for one, other in gaps)


# ---------------------------------------------------------------- limits and people


_acts = st.lists(
    st.tuples(
        st.integers(0, 120),
        st.sampled_from(["cancel", "hold", "release", "put-back"]),
        st.integers(0, 3),
        st.integers(0, 12),
    ),
    max_size=12,
)


def _done_to(kind: str, job_id: int) -> Input:
    match kind:
        case "cancel":
            return Cancel(job_id)
        case "hold":
            return Hold(job_id, HeldBy.USER)
        case "release":
            return Release(job_id)
    return PutBack(job_id)


_limits = st.none() | st.integers(1, 3)
_recipes = st.sampled_from(["easy", "conservative"])


@pytest.mark.slow
@settings(max_examples=20)
@given(_groups, _acts, _limits, _recipes)
def test_no_task_is_lost_or_runs_twice_whatever_people_do(
    groups: list[Group], acts: list[tuple[int, str, int, int]], limit: int | None, recipe: str
) -> None:
    loses_no_task_and_runs_none_twice(groups, acts, limit, recipe)


@pytest.mark.long  # 200 examples, with a core made anew at each instant, compute for some 40 s
@settings(max_examples=100)
@given(_groups, _acts, _limits, _recipes)
def test_no_task_is_lost_or_runs_twice_whatever_more_people_do(
    groups: list[Group], acts: list[tuple[int, str, int, int]], limit: int | None, recipe: str
) -> None:
    loses_no_task_and_runs_none_twice(groups, acts, limit, recipe)


def loses_no_task_and_runs_none_twice(
    groups: list[Group], acts: list[tuple[int, str, int, int]], limit: int | None, recipe: str
) -> None:
    """Check that a core that is made anew from the rows before each instant decides the same."""
    run = Twins(groups, Core(parse_recipe(recipe), "counted"), as_arrays=True, limit=limit)
    for at_s, kind, group, task in acts:
        job_id = (group + 1) * _GAP + task  # the array itself for 0; of some there is none
        run.more.append((at_s * SECOND_US, _done_to(kind, job_id)))
    # Release all that is held in the end, so that all is over.
    for group in range(len(groups)):
        run.more += [
            ((500 + task) * SECOND_US, Release((group + 1) * _GAP + task)) for task in range(13)
        ]
    run.run({"n1": 8})
    ended = [decision.job_id for _, decision in run.decided if isinstance(decision, End)]
    assert len(ended) == len(set(ended))
    for at, group in enumerate(groups):
        first = (at + 1) * _GAP
        tasks = set(range(first + 1, first + 1 + len(group.runs_s)))
        assert tasks == {job_id for job_id in ended if job_id in tasks} | run.dropped[first]
        assert run.most_at_once[first] <= (limit or len(tasks))


def test_a_core_that_is_made_anew_unfolds_arrays_in_the_same_order() -> None:
    """The index of arrays had an earlier key of the fourth array, and an index made anew had the
    present one."""
    groups = [
        Group(0, 4, 56, (75, 6, 69, 70, 104, 102, 19, 84, 20, 93, 111, 95), "b"),
        Group(0, 8, 10, (21, 116), "a"),
        Group(6, 6, 17, (47,), "b"),
        Group(10, 1, 30, (3, 7, 30, 6, 90, 63, 113, 74, 28, 9, 55, 69), "b"),
        Group(10, 2, 52, (14, 106, 104, 76, 25, 54, 98, 21, 102, 19), "a"),
        Group(10, 3, 10, (98, 90, 113), "a"),
        Group(17, 2, 17, (85, 64), "a"),
        Group(54, 1, 10, (1, 28, 50, 52, 89, 84), "b"),
    ]
    run = Twins(groups, Core(parse_recipe("easy"), "counted"), as_arrays=True, limit=3)
    run.more.append((14 * SECOND_US, Release(4 * _GAP + 2)))
    run.run({"n1": 8})


def test_a_task_that_waits_for_its_turn_behind_others_does_not_keep_a_pass_from_ending() -> None:
    """A task was put back behind tasks that had not unfolded, and its array was due for ever."""
    runs_s = (3, 95, 92, 62, 116, 45, 118)
    groups = [Group(0, size, 30, runs_s, "a") for size in (3, 2, 2)]
    acts = [
        (107, "put-back", 2, 1),
        (17, "put-back", 3, 2),
        (27, "release", 2, 7),
        (98, "put-back", 1, 11),
        (97, "cancel", 2, 5),
        (49, "cancel", 1, 3),
        (95, "cancel", 0, 9),
    ]
    loses_no_task_and_runs_none_twice(groups, acts, 3, "easy")
