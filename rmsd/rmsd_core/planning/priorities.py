"""The order `priority`: the priority of a waiting job is a sum by the weights of the recipe.

Sums are made in whole numbers, so that no two of them differ that are equal on paper.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from rmsd_core.jobs.job import Job
from rmsd_core.model_time import DAY_US
from rmsd_core.planning.fair_shares import FACTOR_PARTS, FairShares
from rmsd_core.recipes.recipe import Weights

_POINT = DAY_US
"""A point of priority, in the unit of the sums. The age of a job is in microseconds and its weight
for a day, so the sums are whole numbers."""


class Parts(NamedTuple):
    """The parts of a job's priority, in points."""

    age: float
    size: float
    share: float
    nice: float
    qos: float = 0.0
    partition: float = 0.0

    @property
    def total(self) -> float:
        """Return the priority."""
        return self.age + self.size + self.share + self.nice + self.qos + self.partition


class Priorities:
    """The priorities of waiting jobs under one recipe."""

    def __init__(self, weights: Weights, fair_shares: FairShares) -> None:
        self._weights = weights
        self._fair_shares = fair_shares
        self._of_qos: Mapping[str, int] = {}
        self._of_partition: Mapping[str, int] = {}

    def set_qos_points(self, points: Mapping[str, int]) -> bool:
        """Give the jobs of each QOS these points from now on. Return whether they are others."""
        before, self._of_qos = self._of_qos, points
        return before != points

    def set_partition_points(self, points: Mapping[str, int]) -> bool:
        """Give the jobs of each partition these points from now on. Return whether they are
        others."""
        before, self._of_partition = self._of_partition, points
        return before != points

    def _partition_points(self, job: Job) -> int:
        """Return the points for the job's partition. One that names several has the fewest points
        of these: it may run in any, and could name one first in which it cannot run."""
        points = self._of_partition
        if not points:
            return 0
        return min([points.get(name, 0) for name in job.request.partitions], default=0)

    def _given(self, job: Job) -> int:
        """Return the points that do not change as the job waits."""
        points = self._of_qos.get(job.qos, 0) + self._partition_points(job)
        return points + self._weights.size * job.size - job.nice

    def alike(self, job: Job) -> tuple[str, str]:
        """Return the account and the user among whose jobs the order of this one does not change;
        the account is "" unless shares are divided by accounts."""
        return self._fair_shares.account_of(job), job.user

    def key(self, job: Job) -> tuple[int, int]:
        """Return the key of a job among those that are `alike`. Smaller keys come first."""
        return self._weights.age * job.eligible_us - self._given(job) * _POINT, job.seq

    def changes(self) -> int:
        """Return how many times priorities have changed within an instant."""
        return self._fair_shares.late_ends

    def priority(self, job: Job, now_us: int) -> int:
        """Return the priority of a waiting job. Larger ones come first."""
        weights = self._weights
        age = weights.age * (now_us - job.eligible_us)
        share = weights.share * self._fair_shares.factor_of(job, now_us) * (_POINT // FACTOR_PARTS)
        return age + self._given(job) * _POINT + share

    def parts(self, job: Job, now_us: int) -> Parts:
        """Return the parts that the priority of a job is the sum of."""
        weights = self._weights
        return Parts(
            weights.age * (now_us - job.eligible_us) / _POINT,
            weights.size * job.size,
            weights.share * self._fair_shares.factor_of(job, now_us) / FACTOR_PARTS,
            -float(job.nice),
            self._of_qos.get(job.qos, 0),
            self._partition_points(job),
        )
