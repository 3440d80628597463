"""The running jobs that may be preempted, in the order in which they are tried: a pass must not
walk all jobs that run."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator, Mapping, Sequence
from heapq import merge
from itertools import groupby, islice

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Running
from rmsd_core.lifecycle.preemption_rules import ByQos, ByTier, Rule
from rmsd_core.machine.capacity import Release
from rmsd_core.machine.partitions import Partition
from rmsd_core.vocabulary import Preempt

Nodes = frozenset[str] | None
"""The names of nodes; None: all."""

_Entry = tuple[int, int, Job]
"""(-since, -arrival number, job): the youngest comes first. `since`: the start, later by as long as
the job was suspended."""


_Key = tuple[str, str]
"""The name of a rule, and the partition in which its jobs run; "" for none."""


class _Group:
    """The jobs of one rule that run in one partition. nodes: those of the partition. cores: how
    many the jobs hold."""

    __slots__ = ("cores", "jobs", "nodes", "rule")

    def __init__(self, rule: Rule, nodes: Nodes) -> None:
        self.rule = rule
        self.nodes = nodes
        self.jobs: list[_Entry] = []
        self.cores = 0

    def first_ready(self, now_us: int) -> int:
        """Return the place from which on the jobs are ready."""
        return bisect_left(self.jobs, (self.rule.exempt_us - now_us,))


class Preemptible:
    """The jobs that run and make way for others by the rules. Those that may not be ended are not
    among them: a pass does not look at them.

    due_us: the time at which a pass is due, since jobs may be preempted then that must be left
    alone before; None: there is none. rests_until_us: the time before which nothing is preempted,
    since many jobs were tried in vain. pauses: the number of calls that were over before a
    preemption was.
    """

    def __init__(self, rules: ByTier | ByQos, partitions: Mapping[str, Partition]) -> None:
        self.rules = rules
        self.due_us: int | None = None
        self.rests_until_us = 0
        self.pauses = 0
        self._nodes: dict[str, Nodes] = {
            one.name: None if one.nodes is None else frozenset(one.nodes)
            for one in partitions.values()
        }
        self._groups: dict[_Key, _Group] = {}
        self._entries: dict[int, tuple[_Key, _Entry, int]] = {}

    def moved(self, job: Job) -> None:
        """Note the phase of a job."""
        if (known := self._entries.pop(job.id, None)) is not None:
            key, entry, cores = known
            left = self._groups[key]
            del left.jobs[bisect_left(left.jobs, entry)]
            left.cores -= cores
            if not left.jobs:
                del self._groups[key]
        if type(job.phase) is not Running:
            return
        rule = self.rules.by_name.get(self.rules.name_of(job))
        if rule is None or not (rule.mode == "cancel" or (job.requeue and job.restartable)):
            return
        attempt = job.phase.attempt
        entry = (-attempt.start_us - attempt.suspended_us, -job.seq, job)
        cores = sum([piece.cores for piece in attempt.place])
        key = rule.name, job.partition or ""
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = _Group(rule, self._nodes.get(key[1]))
        insort(group.jobs, entry)
        group.cores += cores
        self._entries[job.id] = key, entry, cores

    def ready(self, rules: Sequence[Rule], nodes: Nodes, now_us: int) -> Iterator[Job]:
        """Yield the jobs of these rules that hold something on these nodes and have run for as long
        as they are left alone, in the order in which they are tried. The jobs must not move
        meanwhile."""
        groups = sorted(self._of(rules, nodes), key=lambda one: one.rule.rank)
        for _, alike in groupby(groups, key=lambda one: one.rule.rank):
            entries = [islice(one.jobs, one.first_ready(now_us), None) for one in alike]
            for _, _, job in merge(*entries):
                if _holds_some(job, nodes):
                    yield job

    def later(self, rules: Sequence[Rule], nodes: Nodes, now_us: int) -> list[Release]:
        """Return the jobs of these rules that hold something on these nodes, by the times at which
        they are ready."""
        found = [
            (max(now_us, one.rule.exempt_us - at), -seq, job)
            for one in self._of(rules, nodes)
            for at, seq, job in one.jobs
            if _holds_some(job, nodes)
        ]
        return sorted(found)

    def are_later(self, rules: Sequence[Rule], nodes: Nodes, now_us: int) -> bool:
        """Return whether jobs of these rules are not ready yet."""
        return any(one.first_ready(now_us) for one in self._of(rules, nodes))

    def cores_below(self, rules: Sequence[Rule], nodes: Nodes) -> int:
        """Return how many cores the jobs of these rules hold, at most, on these nodes."""
        return sum([one.cores for one in self._of(rules, nodes)])

    def _of(self, rules: Sequence[Rule], nodes: Nodes) -> list[_Group]:
        names = {rule.name for rule in rules}
        return [
            one
            for (name, _), one in self._groups.items()
            if name in names
            and (nodes is None or one.nodes is None or not nodes.isdisjoint(one.nodes))
        ]

    def mode_of(self, job: Job) -> Preempt:
        """Return what becomes of such a job."""
        return self.rules.by_name[self.rules.name_of(job)].mode

    def knows(self, job: Job) -> bool:
        """Return whether the job runs, and may be preempted once it is ready."""
        return job.id in self._entries

    def known(self) -> dict[int, tuple[_Key, _Entry, int]]:
        """Return the jobs by number, with their rules, their places and their cores."""
        return self._entries

    def call_at(self, at_us: int) -> None:
        """Have a pass run at this time, or earlier."""
        self.due_us = at_us if self.due_us is None else min(self.due_us, at_us)


def _holds_some(job: Job, nodes: Nodes) -> bool:
    """Return whether the job holds something on these nodes."""
    return nodes is None or not job.open_nodes.isdisjoint(nodes)
