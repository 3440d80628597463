"""Partitions: named sets of nodes, which may overlap, and the jobs that they take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component
from rmsd_core.vocabulary import Preempt

PartitionState = Literal["up", "down", "drain", "inactive"]


class Partition(NamedTuple):
    """A partition as the core knows it.

    nodes: its nodes, some of which may not be known yet; None: all nodes. state: jobs start in an
    "up" or a "drain" one, and are submitted to an "up" or a "down" one. max_time_us, max_nodes,
    max_cpus: limits of its jobs; None: no limit. tier: the jobs of a higher tier come
    first in the queue. preempt: whether these may take the place of running jobs of this partition,
    and how. preempt_grace_us: from SIGTERM to SIGKILL then; None: as in other kills.
    preempt_exempt_us: how long a job runs at least before that. priority: the points of its jobs
    under the order "priority".
    """

    name: str
    nodes: tuple[str, ...] | None = None
    state: PartitionState = "up"
    max_time_us: int | None = None
    max_nodes: int | None = None
    max_cpus: int | None = None
    tier: int = 1
    preempt: Preempt = "off"
    preempt_grace_us: int | None = None
    preempt_exempt_us: int = 0
    priority: int = 0

    @property
    def starts(self) -> bool:
        """Return whether jobs start in the partition."""
        return self.state in ("up", "drain")

    def has(self, nodes: Iterable[str]) -> bool:
        """Return whether all these nodes are in the partition."""
        return self.nodes is None or set(nodes).issubset(self.nodes)

    @property
    def takes_submits(self) -> bool:
        return self.state in ("up", "down")


def by_name(partitions: Iterable[Partition]) -> dict[str, Partition]:
    return {one.name: one for one in partitions}


def refusal(partition: Partition | None, component: Component, estimate_us: int) -> str | None:
    """Return Slurm's word for the reason that a partition does not start a job now; None if it
    does. A partition that is not configured any more counts as down."""
    if partition is None or not partition.starts:
        return "PartitionDown"
    return limit_passed(partition, component, estimate_us)


def limit_passed(partition: Partition, component: Component, estimate_us: int) -> str | None:
    """Return Slurm's word for the limit of the partition that a job passes; None if it keeps all
    of them."""
    if partition.max_time_us is not None and estimate_us > partition.max_time_us:
        return "PartitionTimeLimit"
    if partition.max_nodes is not None and component.least_nodes > partition.max_nodes:
        return "PartitionNodeLimit"
    if partition.max_cpus is not None and component.size > partition.max_cpus:
        return "PartitionNodeLimit"
    return None


def refusals(partitions: Mapping[str, Partition], job: Job) -> dict[str, str]:
    """Return the partitions that the job names and that do not start it now, with the reasons."""
    return {
        one.partition: reason
        for one in job.request.components
        if one.partition is not None
        and (reason := refusal(partitions.get(one.partition), one, job.estimate_us))
    }


def partition_of(partitions: Mapping[str, Partition], job: Job, nodes: Iterable[str]) -> str | None:
    """Return the partition in which a job starts on these nodes: the first of those that it names
    and that take it now, which has all of the nodes."""
    if not partitions:
        return None
    held = set(nodes)
    for component in job.request.open:
        partition = partitions.get(component.partition or "")
        if partition is not None and partition.has(held):
            return partition.name
    return None
