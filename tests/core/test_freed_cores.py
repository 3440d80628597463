"""A core that nobody has any more is freed at once, without a search for cycles: nothing in it
refers back to what has it."""

from __future__ import annotations

import gc
import weakref

import pytest

from rmsd_core.jobs.accounts import JobLimits, Policies, QosPolicy
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import (
    AddReservation,
    Cancel,
    Input,
    NodeSuspect,
    NodeUp,
    SetPartitions,
    Submit,
)
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.machine.partitions import Partition
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.presets import PRESETS
from rmsd_core.recipes.text import limited, parse_recipe
from tests.core.small_cluster import exited

_THRESHOLDS = {"selective": ",threshold=2", "selective-d": ",thresholds=2/3/4/5"}
LIVE = [name for name, preset in PRESETS.items() if preset.predict != "perfect"]
_NODES = tuple([f"n{at}" for at in range(4)])
_PARTITIONS = (Partition("left", _NODES[:2]), Partition("right", _NODES[1:], tier=2))
_LIMITS = Policies((), (QosPolicy("few", JobLimits(max_running_per_user=1)),))


class _Watched(Job):
    """A job that can be watched, since the class has no slots."""


def _job(at: int) -> Job:
    partition = (None, "left", "right")[at % 3]
    request = Request((Component(1 + at % 4, partition=partition),))
    job = _Watched(at, f"u{at % 3}", 0, request, (1 + at % 5) * 60 * SECOND_US)
    job.qos = "few" if at % 4 == 0 else job.qos
    return job


def _watched(text: str) -> list[weakref.ref[Job]]:
    """Return references to the jobs of a core that is gone."""
    core = Core(limited(parse_recipe(text)), "nodes", partitions=_PARTITIONS, policies=_LIMITS)
    core.handle(0, [NodeUp(name, 4, 1000) for name in _NODES])
    core.handle(0, [AddReservation(AdvanceReservation("r", 250 * SECOND_US, 1 << 50, ("n2",)))])
    core.handle(0, [Submit(_job(at)) for at in range(1, 60)])
    assert core.holders()
    inputs: list[Input] = [Cancel(50), NodeSuspect("n3"), SetPartitions(()), Submit(_job(60))]
    for at, one in enumerate([*inputs, SetPartitions(_PARTITIONS)], 1):
        core.handle(at * 100 * SECOND_US, [one])
    ends = [
        exited(job, piece.node, 600)
        for job in core.holders()
        if job.phase.attempt is not None
        for piece in job.phase.attempt.allocation
    ]
    core.handle(600 * SECOND_US, ends)
    core.memory()
    return [weakref.ref(job) for job in core.jobs.values()]


@pytest.mark.slow
@pytest.mark.parametrize("name", LIVE)
@pytest.mark.parametrize("timed", ["", "timed-"])
def test_nothing_is_left(name: str, timed: str) -> None:
    gc.collect()
    gc.disable()
    try:
        jobs = _watched(f"{timed}{name}{_THRESHOLDS.get(name, '')}")
        assert len(jobs) > 20
        assert not [one() for one in jobs if one() is not None]
    finally:
        gc.enable()
