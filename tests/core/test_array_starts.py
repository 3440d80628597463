"""Jobs behind arrays are expected to start when they do, though most tasks are in no queue yet."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmsd_core.jobs.array import Array, Indices
from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import UNFOLDING
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle import unfolding
from rmsd_core.lifecycle.core import CapacityKind, Core
from rmsd_core.lifecycle.effects import Decision, Start
from rmsd_core.lifecycle.inputs import Exited, Input, NodeUp, Submit
from rmsd_core.model_time import SECOND_US
from rmsd_core.planning.expected import ExpectedStarts
from rmsd_core.planning.portions import whole
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import Cause, JobState

_GAP = 100
"""The difference between the numbers of one shape and the next."""
_KINDS: list[CapacityKind] = ["counted", "nodes"]


class Shape(NamedTuple):
    """A job of so many cores and seconds, or an array of such tasks. limit: of the array; 0:
    none."""

    size: int
    run_s: int
    tasks: int = 0
    limit: int = 0


_sizes = st.integers(1, 4)
_runs_s = st.integers(1, 60) | st.just(10)
_counts = st.just(0) | st.integers(1, 12)
_shapes = st.tuples(_sizes, _runs_s, _counts).map(lambda drawn: Shape(*drawn))
_limited = st.tuples(_sizes, _runs_s, st.just(6), st.integers(0, 3)).map(
    lambda drawn: Shape(*drawn)
)


def job_of(at: int, shape: Shape) -> Job:
    request = Request((Component(shape.size),))
    job = Job(1 + at * _GAP, "ann", 0, request, shape.run_s * SECOND_US)
    if shape.tasks:
        job.array = Array(Indices([(0, shape.tasks - 1, 1)]), shape.limit or None)
        job.phase = UNFOLDING
    return job


class Machine:
    """Four cores on one node. Each job runs as long as it is predicted to."""

    def __init__(self, recipe: str, kind: CapacityKind, shapes: list[Shape]) -> None:
        self.core = Core(parse_recipe(recipe), kind)
        self.starts_us: dict[int, int] = {}
        self._ends: list[tuple[int, int, int]] = []
        jobs = [job_of(at, shape) for at, shape in enumerate(shapes)]
        self._decide(0, [NodeUp("n1", 4, 0, ())])
        self._decide(0, [Submit(job) for job in jobs])

    def expected(self) -> ExpectedStarts:
        projection = whole(self.core.projection(0))
        assert not whole(projection.placing(10_000))
        return projection.starts

    def run(self) -> None:
        while self._ends:
            now_us = self._ends[0][0]
            ended = []
            while self._ends and self._ends[0][0] == now_us:
                _, job_id, attempt = heappop(self._ends)
                ended.append(Exited(job_id, attempt, "n1", now_us, Outcome(Cause.EXIT, 0)))
            self._decide(now_us, ended)
        assert not self.core.jobs

    def _decide(self, now_us: int, inputs: list[Input]) -> None:
        for decision in self.core.handle(now_us, inputs).decisions:
            self._note(now_us, decision)

    def _note(self, now_us: int, decision: Decision) -> None:
        if isinstance(decision, Start):
            job = self.core.job(decision.job_id)
            self.starts_us[job.id] = now_us
            heappush(self._ends, (now_us + job.prediction_us, job.id, job.attempt))


def check(machine: Machine) -> None:
    """Assert that each job of the queue is expected to start when it does."""
    starts = machine.expected()
    waiting = [
        job.id
        for job in machine.core.jobs.values()
        if job.state is JobState.PENDING and job.array is None and not job.conditions.stand
    ]
    machine.run()
    expected_us = {job_id: one.start_us for job_id, one in starts.expected.items()}
    assert expected_us == {job_id: machine.starts_us[job_id] for job_id in waiting}


@pytest.mark.parametrize("kind", _KINDS)
@pytest.mark.parametrize("recipe", ["fcfs", "fcfs,order=shortest", "conservative"])
@settings(max_examples=20)
@given(shapes=st.lists(_shapes, max_size=6))
def test_jobs_behind_arrays_start_as_expected(
    recipe: str, kind: CapacityKind, shapes: list[Shape]
) -> None:
    check(Machine(recipe, kind, shapes))


@pytest.mark.parametrize("kind", _KINDS)
@settings(max_examples=20)
@given(shapes=st.lists(_limited | _shapes, max_size=6))
def test_jobs_behind_arrays_with_limits_start_as_expected(
    kind: CapacityKind, shapes: list[Shape]
) -> None:
    check(Machine("fcfs", kind, shapes))


@pytest.mark.parametrize("kind", _KINDS)
@settings(max_examples=20)
@given(
    tasks=st.integers(1, 20), task=st.tuples(st.integers(1, 4), st.integers(1, 60)),
    shapes=st.lists(_shapes.filter(lambda shape: not shape.tasks), max_size=4),
)  # fmt: skip
def test_an_array_of_which_few_tasks_are_promised_a_start(
    kind: CapacityKind, tasks: int, task: tuple[int, int], shapes: list[Shape]
) -> None:
    """The jobs behind it hold their reservations before the tasks that are in no queue."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unfolding, "MOST_PLANNED", 3)
        machine = Machine("conservative", kind, [Shape(*task, tasks), *shapes])
    check(machine)


def test_the_tasks_of_an_array_that_are_in_no_queue_take_time() -> None:
    """98 tasks of a minute hold four cores for 24 minutes."""
    for recipe in ("easy", "fcfs", "sjf", "lxfw"):
        machine = Machine(recipe, "counted", [Shape(1, 60, 98), Shape(1, 90)])
        starts = machine.expected()
        assert starts.expected[1 + _GAP].start_us >= 60 * SECOND_US * (98 // 4), recipe
        why = whole(machine.core.why(machine.core.jobs[1 + _GAP], starts))
        assert (why.place, why.waiting) == (95, 95), recipe
