"""Other partitions, as SIGHUP brings them: the waiting jobs are looked at in parts, and those that
wait already stay in their queues."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle import sorting
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Decision
from rmsd_core.lifecycle.inputs import Cancel, Input, NodeUp, SetPartitions, Submit
from rmsd_core.machine.partitions import Partition
from rmsd_core.model_time import SECOND_US
from rmsd_core.planning.queue import BlockList
from rmsd_core.recipes.aged_area import AgedArea
from rmsd_core.recipes.text import parse_recipe
from tests.core.small_cluster import exited

_JOBS = 600
_FEW = 40
_LEFT, _RIGHT = Partition("left", ("n1", "n2")), Partition("right", ("n2", "n3"), tier=2)
_BOTH = (_LEFT, _RIGHT)
_RECIPES = ("easy", "easy-sjbf", "lxfw", "fair-share", "rmsd", "conservative", "timed-easy++")
_WAYS = {
    "another tier": (_BOTH, (_LEFT._replace(tier=3), _RIGHT)),
    "other nodes": (_BOTH, (_LEFT._replace(nodes=("n3",)), _RIGHT)),
    "down and up": (_BOTH, (_LEFT._replace(state="down"), _RIGHT), _BOTH),
    "divided": ((), _BOTH),
    "not divided, and again": (_BOTH, (), _BOTH),
}


def _job(job_id: int, cores: int, partition: str | None) -> Submit:
    request = Request((Component(cores, partition=partition),))
    limit_us = (60 + job_id % 97) * SECOND_US
    return Submit(Job(job_id, f"u{job_id % 5}", 0, request, limit_us))


def _core(recipe: str, partitions: Iterable[Partition]) -> Core:
    """Return a core whose nodes are all taken by job 1."""
    core = Core(parse_recipe(recipe), "nodes", partitions=tuple(partitions))
    core.handle(0, [NodeUp(name, 4, 0) for name in ("n1", "n2", "n3")])
    core.handle(1, [_job(1, 12, None)])
    return core


def _names(partitions: Iterable[Partition]) -> list[str | None]:
    return [one.name for one in partitions] or [None]


def _submit(core: Core, first: int, last: int, names: list[str | None]) -> None:
    jobs = [_job(at, 1 + at % 7, names[at % len(names)]) for at in range(first, last)]
    _calls(core, 2, [*jobs])


def _calls(core: Core, now_us: int, inputs: list[Input]) -> list[Decision]:
    """Have the core do all that is due, and return what it decides."""
    decided: list[Decision] = []
    wake_us: int | None = now_us
    while wake_us is not None and wake_us <= now_us:
        effects = core.handle(now_us, inputs)
        decided += effects.decisions
        inputs, wake_us = [], effects.wake_us
    return decided


@pytest.mark.slow
@pytest.mark.parametrize("way", _WAYS)
@pytest.mark.parametrize("recipe", _RECIPES)
def test_a_call_moves_a_bounded_number_of_jobs(
    recipe: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All waiting jobs were put into other queues in one call: 100,000 in 0.2 s under `easy`, and
    in 1 s under `fair-share`."""
    moved = 0
    for name in ("add", "remove"):
        plain = getattr(BlockList, name)

        def counted(self: BlockList, job: Job, plain: object = plain) -> None:  # type: ignore[type-arg]
            nonlocal moved
            moved += 1
            plain(self, job)  # type: ignore[operator]

        monkeypatch.setattr(BlockList, name, counted)
    monkeypatch.setattr(sorting, "MOST_SORTED", _FEW)
    first, *others = _WAYS[way]
    core = _core(recipe, first)
    _submit(core, 2, _JOBS, _names(first))
    for at, partitions in enumerate(others, 3):
        inputs: list[Input] = [SetPartitions(partitions)]
        while True:
            moved = 0
            effects = core.handle(at, inputs)
            inputs = []
            assert moved <= 4 * _FEW  # a job may be in several queues: by user, and untried
            core.sanity_check()
            if effects.wake_us is None or effects.wake_us > at:
                break


@pytest.mark.slow
def test_the_pass_after_the_last_part_ranks_few_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pass ranked all jobs that had joined the queue: 100,000 in 0.12 s."""
    ranked = 0
    priority = AgedArea.priority

    def counted(self: AgedArea, job: Job, now_us: int) -> float:
        nonlocal ranked
        ranked += 1
        return priority(self, job, now_us)

    core = _core("rmsd", _BOTH)
    _submit(core, 2, 20 * _JOBS, _names(_BOTH))
    _calls(core, 3, [SetPartitions(())])
    monkeypatch.setattr(AgedArea, "priority", counted)
    inputs: list[Input] = [SetPartitions(_BOTH)]
    most = 0
    while True:
        ranked = 0
        effects = core.handle(4, inputs)
        inputs, most = [], max(most, ranked)
        if effects.wake_us is None or effects.wake_us > 4:
            break
    assert 0 < most <= 10 * _JOBS


@pytest.mark.parametrize("way", _WAYS)
@pytest.mark.parametrize("recipe", ["easy", "easy-sjbf", "lxfw", "fair-share", "fcfs"])
def test_decisions_are_those_of_a_core_that_had_the_partitions_from_its_beginning(
    recipe: str, way: str
) -> None:
    """Jobs come before, between and after the changes; then the nodes become free."""
    ways = _WAYS[way]
    names = [*_names(_BOTH), None]
    told = []
    for first, *others in (ways, ways[-1:]):
        core = _core(recipe, first)
        _submit(core, 2, 30, names)
        for number in range(len(ways) - 1):
            if number < len(others):
                _calls(core, 2, [SetPartitions(others[number])])
            _submit(core, 30 * (number + 1), 30 * (number + 2), names)
        _calls(core, 3, [Cancel(5)])
        decided = []
        for at in range(4, 40):
            holders = core.holders()
            ends: list[Input] = [
                exited(job, piece.node, at)
                for job in holders
                if job.phase.attempt is not None
                for piece in job.phase.attempt.allocation
            ]
            decided.append([str(one) for one in _calls(core, at * SECOND_US, ends)])
            core.sanity_check()
        told.append(decided)
    changed, fresh = told
    assert changed == fresh
    assert any("Start" in one for decided in changed for one in decided)
