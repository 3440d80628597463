"""A call of the core holds back a bounded number of jobs that would pass a limit."""

from __future__ import annotations

import pytest

from rmsd_core.jobs.accounts import NO_POLICIES, JobLimits, Policies, QosPolicy
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle import sorting
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import Input, NodeUp, SetPolicies, Submit
from rmsd_core.machine.partitions import Partition
from rmsd_core.model_time import SECOND_US
from rmsd_core.planning import planner_state
from rmsd_core.planning.limits import LimitIndex
from rmsd_core.recipes.text import parse_recipe
from tests.core.small_cluster import exited

_ALL = 1_000_000
_JOBS = 500
_RECIPES = ("easy", "lxfw", "fair-share", "easy-sjbf")
_LIMITED = Policies((), (QosPolicy("night", JobLimits(max_running_per_user=2)),))


class _Held:
    """The most jobs that a call of the core has held back, or let wait anew."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._count = self.most = 0
        hold_back = LimitIndex.hold_back

        def counted(limits: LimitIndex, job: Job) -> None:
            self._count += 1
            hold_back(limits, job)

        monkeypatch.setattr(LimitIndex, "hold_back", counted)

    def call(self, core: Core, now_us: int, inputs: list[Input]) -> None:
        """Have the core do all that is due."""
        wake_us: int | None = now_us
        while wake_us is not None and wake_us <= now_us:
            self._count = 0
            wake_us = core.handle(now_us, inputs).wake_us
            self.most = max(self.most, self._count)
            core.sanity_check()
            inputs = []


def _job(job_id: int, user: str, partition: str | None, size: int = 1) -> Submit:
    request = Request((Component(size, partition=partition),))
    return Submit(Job(job_id, user, 0, request, (60 + job_id % 50) * SECOND_US, qos="night"))


def _states(core: Core) -> dict[int, str]:
    return {job.id: f"{job.state.value} {core.reason(job)}" for job in core.jobs.values()}


def _story(held: _Held, recipe: str, partition: str | None, head: int) -> list[dict[int, str]]:
    """Many jobs of ann wait for processors; when there are some, two may run. Behind them wait
    bob's, and perhaps a job that needs all processors is before them."""
    partitions = [] if partition is None else [Partition(partition)]
    core = Core(parse_recipe(recipe), "nodes", partitions=partitions, policies=_LIMITED)
    long = _job(_JOBS + 1, "eve", partition, 2)
    long.job.estimate_us = 10_000 * SECOND_US
    held.call(core, 0, [NodeUp("n1", 8, 0, ()), _job(1, "eve", partition, 6), long])
    others = [_job(2, "zoe", partition, head)] if head else []
    anns = [_job(at, "ann", partition) for at in range(3, _JOBS)]
    held.call(core, 1, [*others, *anns, _job(_JOBS, "bob", partition)])
    told = [_states(core)]
    held.call(core, 2, [exited(core.jobs[1], "n1", 0)])
    told.append(_states(core))
    held.call(core, 3, [SetPolicies(NO_POLICIES)])
    told.append(_states(core))
    held.call(core, 4, [SetPolicies(_LIMITED)])
    return [*told, _states(core)]


@pytest.mark.slow
@pytest.mark.parametrize("head", [0, 8])
@pytest.mark.parametrize("partition", [None, "p"])
@pytest.mark.parametrize("recipe", _RECIPES)
def test_parts_decide_what_one_pass_over_all_decides(
    recipe: str, partition: str | None, head: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a limit of five running jobs, 100,000 jobs of a user that had waited for processors were
    held back one after the other in the pass that started the five: in 0.8 s."""
    bound = 20
    held = _Held(monkeypatch)
    monkeypatch.setattr(planner_state, "MOST_HELD_BACK", _ALL)
    at_once = _story(held, recipe, partition, head)
    assert held.most > bound
    monkeypatch.setattr(planner_state, "MOST_HELD_BACK", bound)
    monkeypatch.setattr(sorting, "MOST_SORTED", bound)
    held = _Held(monkeypatch)
    assert _story(held, recipe, partition, head) == at_once
    assert held.most <= 2 * bound
    assert not at_once[1][_JOBS].startswith("PENDING")
