"""Jobs that would reach into an advance reservation cost a pass nothing, however many wait."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Start
from rmsd_core.lifecycle.inputs import AddReservation, NodeUp, SetPartitions, Submit
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.machine.partitions import Partition
from rmsd_core.model_time import SECOND_US
from rmsd_core.planning.bounds import Bounds
from rmsd_core.planning.counted_windows import CountedWindows
from rmsd_core.planning.start_windows import NodeWindows
from rmsd_core.recipes.text import parse_recipe
from rmsd_lab.workloads.swf import TraceJob
from tests.core.reserved_world import reserving, world_of
from tests.core.strategies import traces
from tests.core.world import Cluster, clusters, recipe_texts

_RECIPES = ("easy", "easy++", "lxfw", "fair-share", "timed-easy", "rmsd", "conservative,depth=20")
_JOBS = 600
_MOST_LOOKS = 60


def _job(job_id: int, cores: int, limit_s: int, partition: str | None = None) -> Submit:
    request = Request((Component(cores, partition=partition),))
    return Submit(Job(job_id, f"u{job_id % 3}", 0, request, limit_s * SECOND_US))


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the numbers of the jobs whose starts were looked at beside reservations."""
    found: list[int] = []
    for kind in (NodeWindows, CountedWindows):
        plain: Any = kind.request_at

        def noted(self: Any, job: Job, at_us: int, plain: Any = plain) -> Any:
            found.append(job.id)
            return plain(self, job, at_us)

        monkeypatch.setattr(kind, "request_at", noted)
    return found


@pytest.mark.parametrize("capacity", ["nodes", "partitions", "counted"])
@pytest.mark.parametrize("recipe", _RECIPES)
def test_a_pass_looks_at_no_jobs_that_are_too_long(
    recipe: str, capacity: str, looks: list[int]
) -> None:
    """A half is free until its maintenance, and the other half is taken: 20,000 jobs that would
    reach into the maintenance took 0.2 s a pass under `easy`, and 1 s under `rmsd`."""
    core = Core(parse_recipe(recipe), "counted" if capacity == "counted" else "nodes")
    named = capacity == "partitions"
    core.handle(0, [NodeUp("n1", 64, 0), NodeUp("n2", 64, 0), NodeUp("n3", 64, 0)])
    if named:
        parts = [Partition("short", ("n1", "n2")), Partition("other", ("n3",))]
        core.handle(0, [SetPartitions(tuple(parts))])
    start_us, part = 3600 * SECOND_US, "short" if named else None
    nodes, cores = ((), 64) if capacity == "counted" else (("n1",), 0)
    one = AdvanceReservation("m", start_us, 2 * start_us, nodes, cores, is_maintenance=True)
    core.handle(1, [AddReservation(one)])
    core.handle(2, [_job(1, 64, 100_000, part), _job(2, 64, 100_000, "other" if named else None)])
    core.handle(3, [_job(3, 128, 100_000, part)])  # the head
    core.handle(4, [_job(10 + at, 1 + at % 4, 20_000 + at, part) for at in range(_JOBS)])
    looks.clear()
    core.handle(5 * SECOND_US, [_job(5000, 1, 30_000, part)])
    assert len(looks) < _MOST_LOOKS
    decided = core.handle(6 * SECOND_US, [_job(5001, 1, 3000, part)]).decisions
    assert [one.job_id for one in decided if isinstance(one, Start)] == [5001]


@pytest.mark.slow
@settings(max_examples=60)
@given(traces, recipe_texts.filter(lambda text: "perfect" not in text), clusters, reserving)
def test_what_is_passed_over_would_not_start(
    trace: list[TraceJob], recipe: str, cluster: Cluster, asked: list[tuple[str, int, Any]]
) -> None:
    """All that is decided is the same if each job is looked at."""
    decided = []
    for looks_at_all in (False, True):
        with pytest.MonkeyPatch.context() as patches:
            if looks_at_all:
                patches.setattr(Bounds, "longest", lambda _: None)
            world = world_of(trace, recipe, cluster, asked)
            decided.append(world.told())
    assert decided[0] == decided[1]
