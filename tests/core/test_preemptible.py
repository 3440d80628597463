"""The index of the running jobs that may be preempted: no pass looks at the others."""

from __future__ import annotations

import pytest

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import processors
from rmsd_core.lifecycle.preemptible import Preemptible
from rmsd_core.lifecycle.preemption_rules import ByTier
from rmsd_core.machine.partitions import Partition, Preempt
from tests.jobs import running


@pytest.mark.parametrize(
    ("preempt", "requeue", "restartable", "known"),
    [
        ("requeue", True, True, [1]),
        ("requeue", False, True, []),
        ("requeue", True, False, []),
        ("cancel", False, False, [1]),
    ],
)
def test_jobs_that_may_not_be_ended_are_not_looked_at(
    preempt: Preempt, requeue: bool, restartable: bool, known: list[int]
) -> None:
    partitions = {"low": Partition("low", preempt=preempt)}
    index = Preemptible(ByTier(partitions), partitions)
    job = Job(1, "ann", 0, processors(1), 600, requeue=requeue, restartable=restartable)
    job.partition = "low"
    index.moved(running(job))
    assert list(index.known()) == known
    [rule] = index.rules.by_name.values()
    assert [one.id for one in index.ready([rule], None, 600)] == known
