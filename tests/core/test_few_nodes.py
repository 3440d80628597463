"""Jobs of a partition that gives each of them few nodes cost a pass nothing while no few nodes can
hold them."""

from __future__ import annotations

from typing import Any

import pytest

from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import Exited, NodeUp, Submit
from rmsd_core.machine import node_capacity
from rmsd_core.machine.partitions import Partition
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import Cause

_NODES = 20
_JOBS = 200


def _submit(job_id: int, component: Component, limit_s: int) -> Submit:
    request = Request((component._replace(partition="p"),))
    return Submit(Job(job_id, "ann", 0, request, limit_s * SECOND_US))


@pytest.mark.parametrize("recipe", ["easy", "rmsd-gentle"])
@pytest.mark.parametrize("kind", ["plain", "feature", "excluded"])
def test_a_pass_looks_at_no_jobs_that_few_nodes_cannot_hold(
    kind: str, recipe: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each waiting job was compared with all nodes in each pass, since those have enough free
    processors together: 10,000 jobs and 256 nodes took 0.5 s."""
    looks = 0
    packed = node_capacity.packed

    def counted(*asked: Any) -> Any:
        nonlocal looks
        looks += 1
        return packed(*asked)

    core = Core(parse_recipe(recipe), partitions=[Partition("p", max_nodes=1)])
    kinds = (("cpu",), ("gpu",))
    core.handle(0, [NodeUp(f"n{at:02}", 8, 0, kinds[at % 2]) for at in range(_NODES)])
    for at in range(_NODES):
        core.handle(at, [_submit(1 + at, Component(6), 9000 + at)])
    asked = {
        "plain": Component(7),
        "feature": Component(7, feature="cpu"),
        "excluded": Component(7, exclude=("n01",)),
    }[kind]
    core.handle(100, [_submit(1000, asked, 50)])
    monkeypatch.setattr(node_capacity, "packed", counted)
    for at in range(1, _JOBS):
        core.handle(100 + at, [_submit(1000 + at, asked, 50 + at)])
    gpu = next(
        job for job in core.jobs.values() if job.allocation and job.allocation[0].node == "n01"
    )
    core.handle(1000, [Exited(gpu.id, 1, "n01", 1000, Outcome(Cause.EXIT, 0))])
    core.handle(1001, [])
    assert sum(job.attempt for job in core.jobs.values() if job.id >= 1000) == (kind == "plain")
    assert looks < 4 * _JOBS
