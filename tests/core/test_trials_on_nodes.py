"""Trials under plans on nodes: whatever place a plan has for an expired trial, it goes on where it
runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import ClaimedPlace, Preempted
from rmsd_core.jobs.request import Allocation, Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import Input, NodeUp, Submit
from rmsd_core.model_time import NEVER_US, SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import Cause
from rmsd_lab.schedule import Scheduled
from rmsd_lab.simulation.virtual import VirtualCluster
from tests.core.small_cluster import exited


class Coming(NamedTuple):
    """A job that comes so many seconds after the one before it."""

    after_s: int
    units: int
    cores: int
    run_s: int
    beyond_s: int
    """The time by which the estimate is longer."""


class Cluster(VirtualCluster):
    """Nodes that check themselves after every instant."""

    def __init__(self, recipe: str, cores: Sequence[int], slip_s: int, jobs: list[Coming]) -> None:
        nodes = [NodeUp(f"n{at}", count, 0, ("real",)) for at, count in enumerate(cores)]
        self.coming = [
            job for job in jobs if job.units <= sum(count // job.cores for count in cores)
        ]
        super().__init__(
            Core(parse_recipe(recipe), "nodes", slip_us=slip_s * SECOND_US), nodes, len(self.coming)
        )
        self._arrived = 0
        self._next_arrival_us = 0
        self._look_ahead()

    def _look_ahead(self) -> None:
        more = self._arrived < len(self.coming)
        after_us = self.coming[self._arrived].after_s * SECOND_US if more else NEVER_US
        self._next_arrival_us += after_us

    def _arrival(self) -> Job:
        at, now_us = self._arrived, self._next_arrival_us
        self._arrived += 1
        self._look_ahead()
        came = self.coming[at]
        request = Request((Component(came.units, came.cores),))
        return Job(at, "ann", now_us, request, (came.run_s + came.beyond_s) * SECOND_US)

    def _run_us(self, job: Job) -> int:
        return self.coming[job.id].run_s * SECOND_US

    def _record(self, job: Job) -> Scheduled:
        return Scheduled(job.id, job.submit_us, job.start_us, job.end_us, 0, job.size)

    def _handle(self, now_us: int, inputs: list[Input]) -> int | None:
        wake_us = super()._handle(now_us, inputs)
        core = self._core
        assert all(core.used_on(name).cores <= node.cores for name, node in core.nodes.items())
        return wake_us


comings = st.lists(
    st.builds(
        Coming,
        st.integers(0, 3),
        st.integers(1, 3),
        st.integers(1, 2),
        st.integers(1, 12),
        st.sampled_from([0, 1, 5, 40]),
    ),
    min_size=4,
    max_size=16,
)


_RUNS_WHERE_ANOTHER_IS_PLANNED = [
    *[Coming(0, 1, 2, 3, 0), Coming(1, 1, 1, 3, 0), Coming(0, 3, 2, 2, 0)],
    *[Coming(0, 3, 1, 3, 0), Coming(0, 1, 1, 3, 0)],
]


@pytest.mark.slow
@settings(max_examples=200)
@example("timed-conservative,trial=2", [2, 4, 3], 0, _RUNS_WHERE_ANOTHER_IS_PLANNED)
@given(
    st.sampled_from(
        ["timed-conservative,trial=2", "selective,threshold=2,trial=3", "easy,reserve=3,trial=2"]
    ),
    st.lists(st.integers(2, 4), min_size=2, max_size=3),
    st.sampled_from([0, 2]),
    comings,
)
def test_nodes_are_never_over_allocated(
    recipe: str, cores: list[int], slip_s: int, jobs: list[Coming]
) -> None:
    cluster = Cluster(recipe, cores, slip_s, jobs)
    assert len(cluster.run(None).jobs) == len(cluster.coming)


def test_a_trial_is_not_killed_for_memory_that_it_does_not_have() -> None:
    core = Core(parse_recipe("timed-easy,trial=10"), "nodes")
    core.handle(0, [NodeUp("n1", 8, 16_000, ("real",))])

    def job(job_id: int, mem_mib: int) -> Job:
        return Job(job_id, "ann", 0, Request((Component(1, 1, mem_mib),)), 600 * SECOND_US)

    # Held by a job that the base has started, so that the two behind it are on trial alone.
    small, large, wanting = job(1, 0), job(2, 12_000), job(3, 8_000)
    blocking, head = job(4, 0), job(5, 0)
    blocking.request = Request((Component(1, 5),))
    blocking.restartable = False
    head.request = Request((Component(1, 8),))
    head.restartable = False
    core.handle(0, [Submit(blocking)])
    core.handle(SECOND_US, [Submit(head)])
    core.handle(2 * SECOND_US, [Submit(small), Submit(large)])
    core.handle(12 * SECOND_US, [])
    assert core.reason(small) == core.reason(large) == "TrialExpired"
    core.handle(13 * SECOND_US, [Submit(wanting)])
    assert (small.stop_cause, large.stop_cause) == (None, Cause.TRIAL)
    assert wanting.claim


def test_a_trial_to_kill_is_found_among_those_on_the_nodes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A call without news took 1.3 s under `rmsd`: for each of 2,000 expired trials that were
    killed, all expired trials were looked at, and all nodes of the job that they were killed
    for."""
    count, looks = 60, 0
    holding = Job.holding

    def counted(self: Job) -> Allocation:
        nonlocal looks
        looks += 1
        return holding(self)

    core = Core(parse_recipe("rmsd"))
    core.handle(0, [NodeUp(f"n{at:02}", 2, 0) for at in range(count)])
    long = [
        Job(1 + at, "ann", 0, Request((Component(1, 2),)), 90_000 * SECOND_US)
        for at in range(count)
    ]
    core.handle(1, [Submit(job) for job in long])
    wide = Job(1000, "eve", 2, Request((Component(count, 2, spread=True),)), 500 * SECOND_US)
    core.handle(2, [Submit(wide)])
    monkeypatch.setattr(Job, "holding", counted)
    core.handle(151 * SECOND_US, [])
    assert wide.claim is not None
    assert len([job for job in long if isinstance(job.phase, Preempted)]) == count
    assert looks < 10 * count


def test_a_killed_trial_is_looked_for_in_the_claims_on_its_own_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The ends of 500 killed trials took 0.3 s beside 1,250 claims: each was looked for in all of
    them."""
    count, looks = 60, 0
    claim = Job.claim

    def counted(self: Job) -> ClaimedPlace | None:
        nonlocal looks
        looks += 1
        return claim.__get__(self)

    core = Core(parse_recipe("timed-easy"))
    core.handle(0, [NodeUp(f"n{at:02}", 2, 0) for at in range(count)])
    long = [
        Job(1 + at, "ann", 0, Request((Component(1, 2),)), 90_000 * SECOND_US)
        for at in range(count)
    ]
    wide = Job(900, "ann", 0, Request((Component(count, 2, spread=True),)), SECOND_US)
    core.handle(1, [Submit(wide), *[Submit(job) for job in long]])
    now_us = 1 + SECOND_US // 2
    core.handle(now_us, [exited(wide, f"n{at:02}", 0) for at in range(count)])
    others = [
        Job(1000 + at, "eve", 2, Request((Component(1, 2),)), 50 * SECOND_US) for at in range(count)
    ]
    claiming: list[Job] = []
    while not claiming:
        now_us += 60 * SECOND_US
        core.handle(now_us, [Submit(job) for job in others if job.id not in core.jobs])
        claiming = [job for job in others if job.claim is not None]
        assert now_us < 1000 * SECOND_US
    killed = [job for job in long if isinstance(job.phase, Preempted)]
    ends = [exited(job, job.allocation[0].node, now_us // SECOND_US, Cause.TRIAL) for job in killed]
    monkeypatch.setattr(Job, "claim", property(counted))
    core.handle(now_us, ends)
    assert all(job.start_us == now_us for job in claiming)
    assert looks < 20 * count
