"""Jobs that limits have held back join the queue in the order of the recipe."""

from __future__ import annotations

import pytest

from rmsd_core.jobs.accounts import License, Policies
from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Start
from rmsd_core.lifecycle.inputs import Exited, Input, NodeUp, SetPartitions, Submit
from rmsd_core.machine.partitions import Partition
from rmsd_core.model_time import SECOND_US
from rmsd_core.planning import limits
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import Cause

SWITCHING = "dynp,bounds=100/200,min-queue=8"
"""The order switches when more than the first kinds have joined."""


@pytest.mark.parametrize("recipe", ["easy", "fair-share", "timed-easy", "conservative", SWITCHING])
@pytest.mark.parametrize("partitioned", [False, True])
def test_no_job_takes_licenses_before_others_that_are_still_to_join(
    recipe: str, partitioned: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only some kinds and sizes of jobs join the queue with a call. Passes between these calls
    started jobs that had come later, with the license that the others had waited for."""
    monkeypatch.setattr(limits, "MOST_JOINING", 5)
    core = Core(parse_recipe(recipe), policies=Policies(licenses=(License("cad", 10),)))
    if partitioned:
        core.handle(0, [SetPartitions((Partition("p1"),))])

    def wanting(job_id: int, cores: int, cad: int) -> Submit:
        request = Request((Component(1, cores, partition="p1" if partitioned else None),))
        licenses = (("cad", cad),) if cad else ()
        limit_us = 1000 * SECOND_US if job_id == 2 else 10 * SECOND_US
        return Submit(Job(job_id, "ann", 0, request, limit_us, licenses=licenses))

    core.handle(0, [NodeUp("n1", 40, 0), wanting(1, 1, 10), wanting(2, 2, 0)])
    # All but the last of them find no processors: 39 are free, or 38.
    core.handle(1, [wanting(job_id, 40, 1 + job_id % 10) for job_id in range(3, 22)])
    core.handle(1, [wanting(30, 3, 10)])
    first = Exited(1, core.job(1).attempt, "n1", 0, Outcome(Cause.EXIT, 0))
    inputs: list[Input] = [first, wanting(40, 3, 1), wanting(41, 3, 0)]
    started: list[int] = []
    wake_us: int | None = 2
    calls = 0
    while wake_us == 2 and calls < 20:
        effects = core.handle(2, inputs)
        inputs, wake_us, calls = [], effects.wake_us, calls + 1
        started += [one.job_id for one in effects.decisions if isinstance(one, Start)]
        core.sanity_check()
    assert 30 in started
    assert 40 not in started
    assert 41 in started


def test_an_order_that_switches_waits_until_all_have_joined(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The kinds that had joined first by one order had the pass switch to another one, by which all
    of their jobs were too early, and so on without an end: each call was followed by the next."""
    monkeypatch.setattr(limits, "MOST_JOINING", 2)
    policies = Policies(licenses=(License("cad", 10),))
    core = Core(parse_recipe("dynp,bounds=100/200,min-queue=3"), policies=policies)

    def wanting(job_id: int, cores: int, cad: int, limit_s: int) -> Submit:
        request, licenses = Request((Component(1, cores),)), (("cad", cad),)
        return Submit(Job(job_id, "ann", 0, request, limit_s * SECOND_US, licenses=licenses))

    core.handle(0, [NodeUp("n1", 40, 0), wanting(1, 1, 10, 1000)])
    jobs = [
        (3, 1, 1, 5),
        (4, 2, 1, 100),
        (5, 2, 1, 101),
        (6, 1, 2, 1),
        (7, 1, 2, 500),
        (8, 1, 3, 1),
    ]
    for job in jobs:
        core.handle(1, [wanting(*job)])
    effects = core.handle(2, [Exited(1, core.job(1).attempt, "n1", 0, Outcome(Cause.EXIT, 0))])
    started = {one.job_id for one in effects.decisions if isinstance(one, Start)}
    for _ in range(20):
        if effects.wake_us != 2:
            break
        effects = core.handle(2, [])
        started |= {one.job_id for one in effects.decisions if isinstance(one, Start)}
        core.sanity_check()
    assert effects.wake_us != 2
    assert started == {3, 4, 5, 6, 7, 8}
