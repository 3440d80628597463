"""The running jobs that may be preempted, in the order in which they are tried: a pass must not
walk all jobs that run."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Mapping
from heapq import merge
from itertools import groupby, islice

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Running
from rmsd_core.machine.capacity import Release
from rmsd_core.machine.partitions import Partition, Preempt

Nodes = frozenset[str] | None
"""The names of nodes; None: all."""

_Entry = tuple[int, int, Job]
"""(-since, -arrival number, job): the youngest comes first. `since`: the start, later by as long as
the job was suspended."""


class Preemptible:
    """The jobs that run in partitions with `preempt`.

    lowest_tier: that of the lowest of these partitions. due_us: the time at which a pass is due,
    since jobs may be preempted then that must be left alone before; None: there is none.
    rests_until_us: the time before which nothing is preempted, since many jobs were tried in vain.
    """

    def __init__(self, partitions: Iterable[Partition]) -> None:
        """Begin with no jobs. One of the partitions at least has `preempt`."""
        lower = [one for one in partitions if one.preempt != "off"]
        lower.sort(key=lambda one: one.tier)
        self.lowest_tier = lower[0].tier
        self.due_us: int | None = None
        self.rests_until_us = 0
        self._partitions = {one.name: one for one in lower}
        self._jobs: Mapping[str, list[_Entry]] = {name: [] for name in self._partitions}
        self._cores = dict.fromkeys(self._partitions, 0)
        self._entries: dict[int, tuple[str, _Entry, int]] = {}

    def moved(self, job: Job) -> None:
        """Note the phase of a job."""
        if (known := self._entries.pop(job.id, None)) is not None:
            name, entry, cores = known
            jobs = self._jobs[name]
            del jobs[bisect_left(jobs, entry)]
            self._cores[name] -= cores
        partition = job.partition
        if type(job.phase) is Running and partition is not None and partition in self._jobs:
            attempt = job.phase.attempt
            entry = (-attempt.start_us - attempt.suspended_us, -job.seq, job)
            insort(self._jobs[partition], entry)
            cores = sum([piece.cores for piece in attempt.allocation])
            self._entries[job.id] = partition, entry, cores
            self._cores[partition] += cores

    def ready(self, tier: int, nodes: Nodes, now_us: int) -> Iterator[Job]:
        """Yield the jobs of lower tiers that hold something on these nodes and have run for as long
        as they are left alone, in the order in which they are tried. The jobs must not move
        meanwhile."""
        for _, partitions in groupby(self._lower(tier, nodes), key=lambda one: one.tier):
            entries = [
                islice(self._jobs[one.name], self._first_ready(one, now_us), None)
                for one in partitions
            ]
            for _, _, job in merge(*entries):
                if self._makes_way(job, nodes):
                    yield job

    def later(self, tier: int, nodes: Nodes, now_us: int) -> list[Release]:
        """Return the jobs of lower tiers that hold something on these nodes, by the times at which
        they are ready."""
        found = [
            (max(now_us, one.preempt_exempt_us - at), -seq, job)
            for one in self._lower(tier, nodes)
            for at, seq, job in self._jobs[one.name]
            if self._makes_way(job, nodes)
        ]
        return sorted(found)

    def are_later(self, tier: int, nodes: Nodes, now_us: int) -> bool:
        """Return whether jobs of lower tiers are not ready yet."""
        return any(self._first_ready(one, now_us) for one in self._lower(tier, nodes))

    def cores_below(self, tier: int, nodes: Nodes) -> int:
        """Return how many cores the jobs of lower tiers hold, at most, on these nodes."""
        return sum([self._cores[one.name] for one in self._lower(tier, nodes)])

    def _lower(self, tier: int, nodes: Nodes) -> list[Partition]:
        return [
            one
            for one in self._partitions.values()
            if one.tier < tier
            and (nodes is None or one.nodes is None or not nodes.isdisjoint(one.nodes))
        ]

    def _first_ready(self, partition: Partition, now_us: int) -> int:
        """Return the place from which on the jobs of a partition are ready."""
        return bisect_left(self._jobs[partition.name], (partition.preempt_exempt_us - now_us,))

    def _makes_way(self, job: Job, nodes: Nodes) -> bool:
        """Return whether the job may be ended and holds something on these nodes."""
        is_cancelled = self.mode_of(job) == "cancel"
        return (is_cancelled or (job.requeue and job.restartable)) and (
            nodes is None or not job.open_nodes.isdisjoint(nodes)
        )

    def mode_of(self, job: Job) -> Preempt:
        """Return what becomes of a job of such a partition."""
        return self._partitions[job.partition or ""].preempt

    def known(self) -> dict[int, tuple[str, _Entry, int]]:
        """Return the jobs by number, with their partitions, their places and their cores."""
        return self._entries

    def call_at(self, at_us: int) -> None:
        """Have a pass run at this time, or earlier."""
        self.due_us = at_us if self.due_us is None else min(self.due_us, at_us)
