"""A job that takes the place of many running ones, which leave one after the other."""

from __future__ import annotations

from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Await, Claim, Effects, Start
from rmsd_core.lifecycle.inputs import Exited, NodeUp, Submit
from rmsd_core.machine.partitions import Partition
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import Cause
from rmsd_daemon.store.records import changing_columns, events

_NODES = 50
_PARTITIONS = Partition("low", preempt="requeue"), Partition("high", tier=2)


def _job(number: int, nodes: int, partition: str) -> Job:
    component = Component(nodes, 1, 0, nodes > 1, None)._replace(partition=partition)
    return Job(number, "ann", 0, Request((component,)), 3600 * SECOND_US)


def _exits(core: Core, first: int, last: int) -> Effects:
    jobs = [core.jobs[number] for number in range(first, last + 1)]
    now_us = 2 * SECOND_US + last
    ends = [
        Exited(job.id, job.attempt, piece.node, now_us, Outcome(Cause.DISPLACE, signal=15))
        for job in jobs
        for piece in job.allocation
    ]
    return core.handle(now_us, ends)


def test_who_has_left_is_told_once_in_a_call_and_no_more_than_that() -> None:
    """Each end was told with all that the job still awaited, and with the nodes of its place: one
    job for which 40,000 others made way added gigabytes to the database, and 500 ends took 1.2 s.
    """
    core = Core(parse_recipe("easy"), partitions=_PARTITIONS)
    core.handle(0, [NodeUp(f"n{number}", 1, 0) for number in range(_NODES)])
    core.handle(0, [Submit(_job(number, 1, "low")) for number in range(1, _NODES + 1)])
    wide = _NODES + 1
    effects = core.handle(SECOND_US, [Submit(_job(wide, _NODES, "high"))])
    [claim] = [one for one in effects.decisions if isinstance(one, Claim)]
    assert claim.awaits == set(range(1, _NODES + 1))

    for first, last in ((1, 20), (21, 21), (22, 40)):
        effects = _exits(core, first, last)
        [told] = [one for one in effects.decisions if isinstance(one, Await)]
        assert told == Await(wide, frozenset(range(first, last + 1)))
        columns = {job_id: changing_columns(core.job(job_id)) for job_id in effects.changed}
        [event] = events(1, 0, (), [told], columns, {}, {}, {})
        assert event["payload"] == {"left": [*range(first, last + 1)]}
        assert core.jobs[wide].awaits == set(range(last + 1, _NODES + 1))
    effects = _exits(core, 41, _NODES)
    assert not [one for one in effects.decisions if isinstance(one, Await)]
    assert [one.job_id for one in effects.decisions if isinstance(one, Start)] == [wide]
    core.sanity_check()
