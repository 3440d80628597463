"""The decayed usage of processors by user, and the fair-share factor that comes from it.

Slurm's classic formula, with equal shares for all users who have used something: the factor is
2^-(U n), where U is the user's part of the usage of all, and n the number of these users. With the
part `by=account` of recipes, it is that of the user within the accounts (`account_shares`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from rmsd_core.jobs.accounts import AccountPolicy
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Done, Phase
from rmsd_core.planning.account_shares import AccountShare, AccountShares
from rmsd_core.planning.decayed_usage import Decay, DecayedUsage
from rmsd_core.planning.planner_memory import NOTHING_USED_YET, PlannerMemory

FACTOR_PARTS = 1_000_000
"""Factors are in whole millionths, so that sums of priorities are exact."""
_LEAST_S = 1.0
"""A user with less usage than this [processor-seconds] at the end of a half-life, and without a job
that holds processors, is forgotten. Half-lives are counted from the beginning of model time."""


class UserShare(NamedTuple):
    """The fair share of a user, or of a user in an account. used_s: the decayed usage
    [processor-seconds]; part: of the usage of all; factor: the fair-share factor."""

    user: str
    used_s: float
    part: float
    factor: float
    account: str | None = None


class UsageOfJob(NamedTuple):
    """The decayed usage of a job's user, and of the job's account if shares are divided by accounts
    [processor-seconds]."""

    by_user_s: float
    by_account_s: float | None = None


class ChangedUsage(NamedTuple):
    """The users, and the pairs of an account and a user (`PlannerMemory.used_in`), whose stored
    usage has changed."""

    users: tuple[str, ...] = ()
    in_accounts: tuple[tuple[str, str], ...] = ()


class FairShares:
    """The usage of processors by user, which halves in each half-life.

    A job uses its processors from its start until the end of its script, whatever becomes of the
    run; one with whole nodes uses all of theirs. An end is known once it is reported, which takes
    as long as the daemon is away. Until then the job counts as one that runs.

    accounts: the usage by account, if the shares are divided by accounts; else None.
    late_ends: how many ends have been reported after they were. Each has changed the usage of the
    instant at which it was reported; otherwise nothing that starts or ends does that.
    """

    def __init__(self, half_life_us: int, *, by_account: bool = False) -> None:
        self._decay = Decay(half_life_us)
        self._usage = DecayedUsage(self._decay)
        self._total = NOTHING_USED_YET
        self._all_held = 0  # the processors that jobs hold since the time in `_total`
        # The processors of each job that holds some, and the account that they count for.
        self._holding: dict[int, tuple[int, str]] = {}
        # The number of users whose first job started at the latest such time: they have used
        # nothing until then.
        self._new_us = self._new = 0
        self._swept_us = 0  # the end of a half-life
        self.late_ends = 0
        self._changed: dict[str, None] = {}
        self.accounts = AccountShares(self._decay) if by_account else None

    def set_accounts(self, accounts: Iterable[AccountPolicy]) -> bool:
        """Divide the shares by these accounts from now on, if they are divided by accounts. Return
        whether that changes factors."""
        return self.accounts is not None and self.accounts.set_accounts(accounts)

    def account_of(self, job: Job) -> str:
        """Return the account that the job counts for; "" if the shares are not divided by
        accounts, or there is none."""
        return "" if self.accounts is None else self.accounts.counted(job.account)

    def moved(self, job: Job, before: Phase, now_us: int) -> None:
        """Note that the phase of the job has changed."""
        holds = _held_since_us(job) is not None
        if holds is (job.id in self._holding):
            return
        if holds:
            if job.user not in self._usage.used:
                self._new = self._new + 1 if self._new_us == now_us else 1
                self._new_us = now_us
            self._take(job, now_us)
        else:
            held, account = self._holding.pop(job.id)
            self._hold(account, job.user, -held, now_us)
            ended_us = before.attempt.end_us if before.attempt is not None else None
            if ended_us is not None and ended_us < now_us:
                self._take_back(account, job.user, held, ended_us)
        self._changed[job.user] = None

    def _take(self, job: Job, now_us: int) -> None:
        held = job.processors_of(job.allocation)
        account = self.account_of(job)
        self._holding[job.id] = held, account
        self._hold(account, job.user, held, now_us)

    def _hold(self, account: str, user: str, more: int, now_us: int) -> None:
        """Count up to now, and let the jobs of the user hold so many processors more from now."""
        self._usage.hold(user, more, now_us)
        self._total = self._decay.at(self._total, self._all_held, now_us)
        self._all_held += more
        if self.accounts is not None:
            self.accounts.hold(account, user, more, now_us)

    def _take_back(self, account: str, user: str, held: int, ended_us: int) -> None:
        self._usage.take_back(user, held, ended_us)
        self._total = self._decay.without(self._total, held, ended_us)
        if self.accounts is not None:
            self.accounts.take_back(account, user, held, ended_us)
        self.late_ends += 1

    def sweep(self, now_us: int) -> None:
        """Forget the users who have used next to nothing, once in a half-life. Call this before the
        first question of an instant."""
        half_life_us = self._decay.half_life_us
        if now_us - self._swept_us < half_life_us:
            return
        self._swept_us = end_us = now_us - now_us % half_life_us
        self._changed.update(dict.fromkeys(self._usage.forget_below(_LEAST_S, end_us)))
        if self.accounts is not None:
            self.accounts.sweep(_LEAST_S, end_us)

    def used_s(self, user: str, now_us: int) -> float:
        """Return the decayed usage of a user [processor-seconds]."""
        return self._usage.used_s(user, now_us)

    def lately_used(self, job: Job, now_us: int) -> UsageOfJob:
        """Return what the job's user has used, and the job's account."""
        used_s = self.used_s(job.user, now_us)
        if self.accounts is None:
            return UsageOfJob(used_s)
        return UsageOfJob(used_s, self.accounts.used_by_account_s(job.account, now_us))

    def factor_of(self, job: Job, now_us: int) -> int:
        """Return the fair-share factor of a job in millionths."""
        if self.accounts is None:
            return self.factor(job.user, now_us)
        return round(FACTOR_PARTS * self.accounts.factor(job.account, job.user, now_us))

    def factor(self, user: str, now_us: int) -> int:
        """Return the fair-share factor of a user in millionths: a million without usage, half of
        that with as much usage as the mean user, a quarter with twice as much."""
        used_s = self.used_s(user, now_us)
        total_s = self._total_s(now_us)
        if used_s <= 0 or total_s <= 0:
            return FACTOR_PARTS
        users = len(self._usage.used) - (self._new if self._new_us == now_us else 0)
        factor: float = 2.0 ** (-users * used_s / total_s)
        return round(FACTOR_PARTS * factor)

    def _total_s(self, now_us: int) -> float:
        return self._decay.at(self._total, self._all_held, now_us).processor_s

    def shares(self, now_us: int, user: str | None) -> list[UserShare]:
        """Return the share of a user, or of all users who have used something, by name: one for
        each account, if the shares are divided by accounts."""
        if self.accounts is not None:
            return [UserShare(*one) for one in self.accounts.user_shares(now_us, user)]
        total_s = self._total_s(now_us)
        return [
            UserShare(
                name,
                used_s := self.used_s(name, now_us),
                min(1.0, used_s / total_s) if total_s > 0 else 0.0,
                self.factor(name, now_us) / FACTOR_PARTS,
            )
            for name in (sorted(self._usage.used) if user is None else [user])
        ]

    def account_shares(self, now_us: int) -> list[AccountShare]:
        """Return the shares of accounts; none if the shares are not divided by them."""
        return [] if self.accounts is None else self.accounts.shares(now_us)

    # ------------------------------------------------------------ over a restart

    def take_changed(self) -> ChangedUsage:
        """Return the stored usage that has changed since the last call of this."""
        in_accounts = () if self.accounts is None else self.accounts.take_changed()
        changed = ChangedUsage(tuple(self._changed), in_accounts)
        self._changed.clear()
        return changed

    def remember(self, memory: PlannerMemory) -> PlannerMemory:
        """Return the memory with the usage, which is not to be changed."""
        memory = replace(memory, used=self._usage.used, used_in_all=self._total)
        if self.accounts is None:
            return memory
        return replace(memory, used_in=self.accounts.remember())

    def restore(self, memory: PlannerMemory, jobs: Iterable[Job]) -> None:
        """Continue from `memory`; `jobs` are those that are not over."""
        self._usage.restore(memory.used)
        self._total = memory.used_in_all
        if self.accounts is not None:
            self.accounts.restore(memory.used_in)
        holding = [(start_us, job) for job in jobs if (start_us := _held_since_us(job)) is not None]
        for start_us, job in sorted(holding, key=lambda held: (held[0], held[1].id)):
            # A recipe without usage may have been in force when the job started.
            self._take(job, start_us)


def _held_since_us(job: Job) -> int | None:
    """Return since when the job holds processors, or None."""
    return job.start_us if job.open_nodes and type(job.phase) is not Done else None
