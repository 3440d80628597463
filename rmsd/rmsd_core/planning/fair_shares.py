"""The decayed usage of processors by user, and the fair-share factor that comes from it.

Slurm's classic formula, with equal shares for all users who have used something: the factor is
2^-(U n), where U is the user's part of the usage of all, and n the number of these users.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Done
from rmsd_core.model_time import SECOND_US
from rmsd_core.planning.planner_memory import NOTHING_USED_YET, PlannerMemory, UserUsage

FACTOR_PARTS = 1_000_000
"""Factors are in whole millionths, so that sums of priorities are exact."""
_LEAST_S = 1.0
"""A user with less usage than this [processor-seconds] at the end of a half-life, and without a job
that holds processors, is forgotten. Half-lives are counted from the beginning of model time."""


class UserShare(NamedTuple):
    """The fair share of a user. used_s: the decayed usage [processor-seconds]; part: of the usage
    of all; factor: the fair-share factor."""

    user: str
    used_s: float
    part: float
    factor: float


class FairShares:
    """The usage of processors by user, which halves in each half-life.

    A job uses its processors from its start until its last node has confirmed its end, whatever
    becomes of the run; one with whole nodes uses all of theirs. Within an instant the usage stays
    as it is, whatever starts or ends.

    changed: the users whose stored usage has changed; the daemon empties it with each commit.
    """

    def __init__(self, half_life_us: int) -> None:
        self._half_life_us = half_life_us
        self._decay = math.log(2) / (half_life_us / SECOND_US)  # in a second
        self._used: dict[str, UserUsage] = {}
        self._total = NOTHING_USED_YET
        # The processors that jobs hold since the times in `_used` and `_total`.
        self._held: dict[str, int] = {}
        self._all_held = 0
        # The processors of each job that holds some.
        self._holding: dict[int, int] = {}
        # The number of users whose first job started at the latest such time: they have used
        # nothing until then.
        self._new_us = self._new = 0
        self._swept_us = 0  # the end of a half-life
        self.changed: dict[str, None] = {}

    def moved(self, job: Job, now_us: int) -> None:
        """Note that the phase of the job has changed."""
        holds = _held_since_us(job) is not None
        if holds is (job.id in self._holding):
            return
        if holds:
            if job.user not in self._used:
                self._new = self._new + 1 if self._new_us == now_us else 1
                self._new_us = now_us
            self._take(job, now_us)
        else:
            self._hold(job.user, -self._holding.pop(job.id), now_us)
        self.changed[job.user] = None

    def _take(self, job: Job, now_us: int) -> None:
        held = self._holding[job.id] = job.processors_of(job.allocation)
        self._used.setdefault(job.user, UserUsage(0.0, now_us))
        self._hold(job.user, held, now_us)

    def _hold(self, user: str, more: int, now_us: int) -> None:
        """Count up to now, and let the jobs of the user hold so many processors more from now."""
        self._used[user] = self._at(self._used[user], self._held.get(user, 0), now_us)
        self._total = self._at(self._total, self._all_held, now_us)
        self._held[user] = self._held.get(user, 0) + more
        self._all_held += more

    def sweep(self, now_us: int) -> None:
        """Forget the users who have used next to nothing, once in a half-life. Call this before the
        first question of an instant."""
        if now_us - self._swept_us < self._half_life_us:
            return
        self._swept_us = end_us = now_us - now_us % self._half_life_us
        for user, used in list(self._used.items()):
            if (
                used.at_us < end_us
                and not self._held.get(user)
                and self._at(used, 0, end_us).processor_s < _LEAST_S
            ):
                del self._used[user]
                self._held.pop(user, None)
                self.changed[user] = None

    def used_s(self, user: str, now_us: int) -> float:
        """Return the decayed usage of a user [processor-seconds]."""
        used = self._used.get(user)
        if used is None:
            return 0.0
        return self._at(used, self._held.get(user, 0), now_us).processor_s

    def factor(self, user: str, now_us: int) -> int:
        """Return the fair-share factor of a user in millionths: a million without usage, half of
        that with as much usage as the mean user, a quarter with twice as much."""
        used_s = self.used_s(user, now_us)
        total_s = self._at(self._total, self._all_held, now_us).processor_s
        if used_s <= 0 or total_s <= 0:
            return FACTOR_PARTS
        users = len(self._used) - (self._new if self._new_us == now_us else 0)
        factor: float = 2.0 ** (-users * used_s / total_s)
        return round(FACTOR_PARTS * factor)

    def shares(self, now_us: int, user: str | None) -> list[UserShare]:
        """Return the share of a user, or of all users who have used something, by name."""
        total_s = self._at(self._total, self._all_held, now_us).processor_s
        return [
            UserShare(
                name,
                used_s := self.used_s(name, now_us),
                min(1.0, used_s / total_s) if total_s > 0 else 0.0,
                self.factor(name, now_us) / FACTOR_PARTS,
            )
            for name in (sorted(self._used) if user is None else [user])
        ]

    def _at(self, used: UserUsage, held: int, now_us: int) -> UserUsage:
        """Return the usage at `now_us`, if `held` processors have been in use since `used`."""
        if now_us <= used.at_us:
            return used
        kept = math.exp(-self._decay * ((now_us - used.at_us) / SECOND_US))
        return UserUsage(used.processor_s * kept + held * ((1 - kept) / self._decay), now_us)

    # ------------------------------------------------------------ over a restart

    def remember(self, memory: PlannerMemory) -> PlannerMemory:
        """Return the memory with the usage, which is not to be changed."""
        return replace(memory, used=self._used, used_in_all=self._total)

    def restore(self, memory: PlannerMemory, jobs: Iterable[Job]) -> None:
        """Continue from `memory`; `jobs` are those that are not over."""
        self._used = dict(memory.used)
        self._total = memory.used_in_all
        holding = [(start_us, job) for job in jobs if (start_us := _held_since_us(job)) is not None]
        for start_us, job in sorted(holding, key=lambda held: (held[0], held[1].id)):
            # A recipe without usage may have been in force when the job started.
            self._take(job, start_us)


def _held_since_us(job: Job) -> int | None:
    """Return since when the job holds processors, or None."""
    return job.start_us if job.open_nodes and type(job.phase) is not Done else None
