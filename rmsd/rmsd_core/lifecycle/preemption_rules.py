"""The rules by which running jobs make way for others: those of partitions, or those of QOS.

Source: Slurm's PreemptType, preempt/partition_prio or preempt/qos. Slurm has one of them at a time.
If a QOS preempts others, the rules of QOS hold, and those of partitions do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from rmsd_core.jobs.accounts import Policies, QosPolicy, levels
from rmsd_core.jobs.job import Job
from rmsd_core.machine.partitions import Partition
from rmsd_core.vocabulary import Preempt


class Rule(NamedTuple):
    """A rule by which the running jobs of a partition, or of a QOS, make way for others. rank: jobs
    of the lowest are tried first. exempt_us: how long a job runs at least before that."""

    name: str
    rank: int
    mode: Preempt
    exempt_us: int


class ByTier:
    """The rules of partitions: their jobs make way for jobs of higher tiers."""

    def __init__(self, partitions: Mapping[str, Partition]) -> None:
        """Take the partitions, of which at least one has `preempt`."""
        self._partitions = partitions
        self.by_name = {
            one.name: Rule(one.name, one.tier, one.preempt, one.preempt_exempt_us)
            for one in partitions.values()
            if one.preempt != "off"
        }
        self._lowest_tier = min(rule.rank for rule in self.by_name.values())

    @staticmethod
    def name_of(job: Job) -> str:
        """Return the name of the rule by which a running job makes way, if there is such a rule."""
        return job.partition or ""

    def tier_of(self, job: Job) -> int:
        """Return the lowest tier of the partitions that the job names."""
        named = (self._partitions.get(name) for name in job.request.partitions)
        return min((one.tier for one in named if one is not None), default=0)

    def preempts(self, head: Job) -> bool:
        """Return whether the job may take the place of some others."""
        return self.tier_of(head) > self._lowest_tier

    def below(self, head: Job) -> Sequence[Rule]:
        """Return the rules of the jobs that make way for this one."""
        tier = self.tier_of(head)
        return [rule for rule in self.by_name.values() if rule.rank < tier]

    @staticmethod
    def message(head: Job) -> str:
        """Return what a job is told that makes way for this one."""
        return f"job {head.label} of a higher tier needed its processors"


class ByQos:
    """The rules of QOS: the jobs of a QOS make way for jobs of those that name it."""

    def __init__(self, qos: Iterable[QosPolicy]) -> None:
        """Take the QOS, of which at least one preempts others. QOS that are not configured are
        preempted as configured ones that say nothing about it."""
        by_name = {one.name: one for one in qos}
        rank = levels(by_name.values())
        named = dict.fromkeys(name for one in by_name.values() for name in one.preempts)
        policies = [by_name.get(name, QosPolicy(name)) for name in named]
        self.by_name = {
            one.name: Rule(one.name, rank.get(one.name, 0), one.preempt, one.preempt_exempt_us)
            for one in policies
            if one.preempt != "off"
        }
        self._below = {
            one.name: [self.by_name[name] for name in one.preempts if name in self.by_name]
            for one in by_name.values()
        }

    @staticmethod
    def name_of(job: Job) -> str:
        """Return what `ByTier.name_of` does."""
        return job.qos

    def preempts(self, head: Job) -> bool:
        """Return what `ByTier.preempts` does."""
        return bool(self.below(head))

    def below(self, head: Job) -> Sequence[Rule]:
        """Return what `ByTier.below` does."""
        return self._below.get(head.qos, ())

    @staticmethod
    def message(head: Job) -> str:
        """Return what `ByTier.message` does."""
        return f"job {head.label} of the QOS {head.qos} needed its processors"


def rules_of(partitions: Mapping[str, Partition], policies: Policies) -> ByTier | ByQos | None:
    """Return the rules that hold; None if no running job makes way for others."""
    if _preempt(policies):
        return ByQos(policies.qos)
    if any(one.preempt != "off" for one in partitions.values()):
        return ByTier(partitions)
    return None


def grace_us(partitions: Mapping[str, Partition], policies: Policies, job: Job) -> int | None:
    """Return the time from SIGTERM to SIGKILL for a job that makes way; None: as in other kills."""
    if _preempt(policies):
        own = (one.preempt_grace_us for one in policies.qos if one.name == job.qos)
        return next(own, None)
    partition = partitions.get(job.partition or "")
    return None if partition is None else partition.preempt_grace_us


def _preempt(policies: Policies) -> bool:
    return any(one.preempts for one in policies.qos)
