"""Expected starts and explanations look at a bounded number of waiting jobs in a portion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import NodeGone, NodeUp, Submit
from rmsd_core.machine.node_profile import NodeProfile
from rmsd_core.machine.node_releases import NodeReleases
from rmsd_core.machine.partitions import Partition
from rmsd_core.model_time import SECOND_US
from rmsd_core.planning.expected_starts import DEPTH
from rmsd_core.planning.limits import LimitIndex
from rmsd_core.planning.planner import Planner
from rmsd_core.planning.portions import PORTION, Portions, whole
from rmsd_core.planning.queue import BLOCK
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import JobState
from tests.core.small_cluster import exited, handle_all

_JOBS = 3000
_PARTITIONS = 5
_RECIPES = ("easy", "fair-share", "rmsd", "sjf", "dynp,reserve=head")


def _job(job_id: int, partition: str | None = None, size: int = 1) -> Job:
    request = Request((Component(size, partition=partition),))
    return Job(job_id, f"u{job_id % 7}", job_id, request, (60 + job_id * 37 % 1000) * SECOND_US)


def _core(recipe: str, *, is_divided: bool) -> Core:
    """Return a core with many jobs that wait behind one."""
    names = [f"p{at}" for at in range(_PARTITIONS)] if is_divided else []
    core = Core(parse_recipe(recipe), "nodes", partitions=[Partition(name) for name in names])
    core.handle(0, [NodeUp("n1", 4, 0, ())])
    core.handle(0, [Submit(_job(1, names[0] if names else None, 4))])
    for at in range(2, _JOBS, 100):
        partition = names[at // 100 % _PARTITIONS] if names else None
        core.handle(at, [Submit(_job(job_id, partition)) for job_id in range(at, at + 100)])
    return core


class _Looks:
    """Counts for each portion the ranks that are made, and the looks at limits."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        self._monkeypatch = monkeypatch
        for owner, name in ((Planner, "rank"), (LimitIndex, "refusal")):
            self.watch(owner, name)

    def watch(self, owner: type, name: str) -> None:
        """Count the calls of a method as well."""
        self._monkeypatch.setattr(owner, name, self._counting(getattr(owner, name)))

    def _counting(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*asked: Any) -> Any:
            self.count += 1
            return method(*asked)

        return counted

    def most(self, portions: Portions[Any]) -> tuple[int, int, Any]:
        """Return the most looks of a portion, the looks of all, and the answer."""
        most = seen = 0
        while True:
            self.count = 0
            try:
                next(portions)
            except StopIteration as end:
                return max(most, self.count), seen + self.count, end.value
            most, seen = max(most, self.count), seen + self.count


@pytest.mark.slow
@pytest.mark.parametrize("is_divided", [False, True])
@pytest.mark.parametrize("recipe", _RECIPES)
def test_a_portion_looks_at_a_bounded_number_of_waiting_jobs(
    recipe: str, is_divided: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An expected start, or an explanation, occupied the daemon's event loop in one portion: for
    0.1 to 0.6 s with 100,000 waiting jobs."""
    core = _core(recipe, is_divided=is_divided)
    looks = _Looks(monkeypatch)
    # A portion ends with a block, and each job is looked at twice.
    bound = 2 * (PORTION + BLOCK)
    most, seen, projection = looks.most(core.projection(_JOBS))
    assert most <= bound < _JOBS <= seen
    assert len(projection.starts.expected) >= DEPTH - 1
    most, seen, _ = looks.most(core.projection(_JOBS, new=_job(_JOBS * 2)))
    assert most <= bound < _JOBS <= seen
    most, seen, told = looks.most(core.why(core.jobs[_JOBS // 2], projection.starts))
    assert most <= bound < _JOBS <= seen
    assert 0 < told.place <= told.waiting
    most, _, found = looks.most(core.held_up(core.jobs[1], projection.starts))
    assert most <= bound
    assert found


@pytest.mark.slow
@pytest.mark.parametrize("recipe", _RECIPES)
def test_a_portion_looks_at_a_bounded_number_of_running_jobs(
    recipe: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An expected start occupied the daemon's event loop for 0.1 to 0.5 s with 16,000 running jobs
    on 10,000 nodes: all of them were put into a profile in one portion."""
    nodes = 1500
    core = Core(parse_recipe(recipe), "nodes")
    core.handle(0, [NodeUp(f"n{at}", 1, 0, ()) for at in range(nodes)])
    handle_all(core, 0, [Submit(_job(at)) for at in range(1, nodes + 1)])
    core.handle(1, [Submit(_job(nodes + at, size=nodes - at)) for at in range(1, 4)])
    looks = _Looks(monkeypatch)
    for owner, name in ((NodeProfile, "end"), (NodeReleases, "pieces")):
        looks.watch(owner, name)
    bound = 2 * PORTION
    for _ in range(2):
        most, seen, projection = looks.most(core.projection(nodes))
        assert most <= bound < nodes <= seen
    starts = projection.starts
    for job_id in (nodes + 1, nodes + 3):
        assert starts.expected[job_id].start_us > 0
        most, seen, told = looks.most(core.why(core.jobs[job_id], starts))
        assert most <= bound < nodes <= seen
        assert len(told.holders) >= nodes - 3
    most, seen, found = looks.most(core.held_up(core.jobs[1], starts))
    assert most <= bound < nodes <= seen
    assert [job.id for job in found] == [nodes + 1, nodes + 2, nodes + 3]


@pytest.mark.parametrize("recipe", _RECIPES)
def test_nodes_that_go_between_portions_leave_an_answer_of_what_was(recipe: str) -> None:
    """Jobs end, and their nodes are forgotten, while an explanation is made."""
    core = Core(parse_recipe(recipe), "nodes")
    core.handle(0, [NodeUp(f"n{at}", 1, 0, ()) for at in range(600)])
    handle_all(core, 0, [Submit(_job(at)) for at in range(1, 601)])
    core.handle(1, [Submit(_job(601, size=600))])
    starts = whole(core.projection(1)).starts
    before = whole(core.why(core.jobs[601], starts))
    portions = core.why(core.jobs[601], starts)
    next(portions)
    on = {core.jobs[at].holding()[0].node: core.jobs[at] for at in range(1, 601)}
    gone = sorted(on)[:300]
    core.handle(2, [exited(on[node], node, 0) for node in gone])
    core.handle(3, [NodeGone(node) for node in gone])
    after = whole(portions)
    assert {job.id for job in after.holders} == {job.id for job in before.holders}
    assert (after.head_us, after.free) == (before.head_us, before.free)


@pytest.mark.parametrize("recipe", _RECIPES)
def test_the_places_of_all_jobs_are_those_of_the_queue(recipe: str) -> None:
    core = _core(recipe, is_divided=True)
    queue = sorted((job for job in core.jobs.values() if job.id > 1), key=core.rank)
    starts = whole(core.projection(_JOBS)).starts
    for at in range(0, len(queue), 311):
        told = whole(core.why(queue[at], starts))
        assert (told.place, told.waiting) == (at + 1, len(queue))


@pytest.mark.parametrize("recipe", [one for one in _RECIPES if one != "rmsd"])
def test_what_comes_and_starts_between_portions_changes_no_expected_start(recipe: str) -> None:
    """The core goes on while an answer is made of its present."""
    core = _core(recipe, is_divided=False)
    before = whole(core.projection(_JOBS)).starts.expected
    portions = core.projection(_JOBS)
    next(portions)
    first = core.jobs[1]
    core.handle(_JOBS, [exited(first, "n1", _JOBS), Submit(_job(_JOBS * 2))])
    starts = whole(portions).starts
    assert starts.expected.items() <= before.items()
    started = before.keys() - starts.expected.keys()
    assert started
    assert all(core.jobs[job_id].state is not JobState.PENDING for job_id in started)
    assert _JOBS * 2 not in starts.left_out


def test_a_machine_that_changes_between_portions_is_looked_at_anew() -> None:
    core = _core("easy", is_divided=False)
    portions = core.projection(_JOBS)
    next(portions)
    core.handle(_JOBS, [NodeUp("n2", 4, 0, ()), Submit(_job(_JOBS * 2))])
    starts, now = whole(portions).starts, whole(core.projection(_JOBS)).starts
    assert (starts.expected, starts.left_out) == (now.expected, now.left_out)
