"""Job arrays: their schedule is that of the same tasks as separate submits, and nothing is lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from rmsd_core.jobs.array import Array, Indices
from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import UNFOLDING
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Decision, End, Start, Stop
from rmsd_core.lifecycle.inputs import Exited, Hold, Input, NodeUp, Release, Submit
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.recipe import Recipe
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import Cause, HeldBy
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
    decided: list[tuple[int, object]] = field(default_factory=list)
    most_live: int = 0

    def run(self, nodes: dict[str, int]) -> list[tuple[int, object]]:
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
        wake_us: int | None = None
        while events or wake_us is not None:
            now_us = min(
                [*(event[0] for event in events[:1]), *([] if wake_us is None else [wake_us])]
            )
            inputs = []
            while events and events[0][0] == now_us:
                inputs.append(heappop(events)[2])
            effects = self.core.handle(now_us, inputs)
            self.core.sanity_check()
            wake_us = effects.wake_us
            self.most_live = max(self.most_live, len(self.core.jobs))
            for decision in effects.decisions:
                for at_us, item in self._react(now_us, decision):
                    count += 1
                    heappush(events, (at_us, count, item))
        assert not self.core.jobs
        return self.decided

    def _jobs(self, at: int, group: Group) -> list[Job]:
        first, request = (at + 1) * _GAP, Request((Component(group.size),))
        submit_us, estimate_us = group.submit_s * SECOND_US, group.estimate_s * SECOND_US
        ids = [first] if self.as_arrays else range(first + 1, first + 1 + len(group.runs_s))
        jobs = [Job(job_id, group.user, submit_us, request, estimate_us) for job_id in ids]
        if self.as_arrays:
            jobs[0].array = Array(Indices([(0, len(group.runs_s) - 1, 1)]))
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
        return []


_machines = st.sampled_from([{"n1": 8}, {"n1": 5, "n2": 3}, {"n1": 2, "n2": 3, "n3": 3}])


@settings(max_examples=300)
@given(_groups, any_recipes, st.sampled_from(["counted", "nodes"]), _machines)
def test_an_array_is_scheduled_as_separate_jobs_are(
    groups: list[Group], recipe: Recipe, capacity: str, nodes: dict[str, int]
) -> None:
    if recipe.predict == "perfect":  # an array has one prediction
        groups = [one._replace(runs_s=(one.runs_s[0],) * len(one.runs_s)) for one in groups]
    largest = max(nodes.values()) if capacity == "nodes" else 8
    groups = [one._replace(size=min(one.size, largest)) for one in groups]
    apart = Run(groups, Core(recipe, capacity), as_arrays=False).run(nodes)
    together = Run(groups, Core(recipe, capacity), as_arrays=True).run(nodes)
    assert together == apart


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
