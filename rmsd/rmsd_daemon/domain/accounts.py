"""The account and the QOS that a submit is for, with their limits, and the licenses of the
cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rmsd_core.jobs.accounts import AccountPolicy, JobLimits, License, Policies, chain
from rmsd_core.model_time import duration_s
from rmsd_core.vocabulary import NORMAL_QOS
from rmsd_daemon.domain.errors import Forbidden, Malformed, NeverFits, TooManyJobs
from rmsd_daemon.setup.accounts import (
    AccountSettings,
    QosSettings,
    SubmittedLimits,
    default_qos,
    policies_of,
)
from rmsd_wire.durations import format_duration

_SHOWN = 20
"""The number of names that an error lists."""


class JobGroup(NamedTuple):
    """The jobs of one QOS, account and user."""

    qos: str
    account: str
    user: str


@dataclass(slots=True, eq=False)
class AccountRules:
    """The accounts, QOS and licenses in force, which may change: who may name them, and their
    limits. Without accounts, a job may name any, and so it is without QOS. `is_listed` returns
    whether a user is on a list of names and `@groups`."""

    is_listed: Callable[[str, Sequence[str]], bool]
    accounts: tuple[AccountSettings, ...] = ()
    qos: tuple[QosSettings, ...] = ()
    licenses: tuple[License, ...] = ()
    changes: int = field(default=0, init=False)  # the number of times that the rules were replaced
    _accounts: dict[str, AccountSettings] = field(default_factory=dict, init=False)
    _tree: dict[str, AccountPolicy] = field(default_factory=dict, init=False)
    _qos: dict[str, QosSettings] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._index()

    def replace(
        self,
        accounts: tuple[AccountSettings, ...],
        qos: tuple[QosSettings, ...],
        licenses: tuple[License, ...],
    ) -> bool:
        """Put these accounts, QOS and licenses in force. Return whether the scheduler goes by other
        policies then."""
        new = accounts, qos, licenses
        if new == (self.accounts, self.qos, self.licenses):
            return False
        before = self.policies
        self.accounts, self.qos, self.licenses = new
        self._index()
        return self.policies != before

    def _index(self) -> None:
        self.changes += 1
        self._accounts = {one.name: one for one in self.accounts}
        self._tree = {one.name: one.core for one in self.accounts}
        self._qos = {one.name: one for one in self.qos}

    @property
    def policies(self) -> Policies:
        """Return what the scheduler goes by."""
        return policies_of(self.accounts, self.qos, self.licenses)

    def account_of(self, name: str, user: str) -> str:
        """Return the account of a submit that names one, or the user's default.

        Raises:
            DaemonError: there is no such account, the user is no member of it, or of none.
        """
        if not self.accounts:
            return name
        if name:
            return self._named(name, user).name
        own = self.accounts_of(user)
        if not own:
            raise Forbidden(
                f"'account' is not given, and {user} is a member of no account; "
                "an administrator can make you one (accounts.NAME.members)"
            )
        default = (one for one in own if self.is_listed(user, one.default_of))
        return next(default, own[0]).name

    def accounts_of(self, user: str) -> list[AccountSettings]:
        """Return the accounts of which the user is a member, in the order of the configuration."""
        return [one for one in self.accounts if self.has_member(one, user)]

    def above(self, user: str) -> set[str]:
        """Return the accounts of which the user is a member, and those above them."""
        own = self.accounts_of(user)
        return {above.name for one in own for above in chain(self._tree, one.name)}

    def has_member(self, account: AccountSettings, user: str) -> bool:
        """Return whether the jobs of the user may be of the account."""
        return self.is_listed(user, account.members) or self.is_listed(user, account.default_of)

    def _named(self, name: str, user: str) -> AccountSettings:
        found = self._accounts.get(name)
        if found is None:
            raise Malformed(
                f"'account': there is no account '{name}'; {user} is a member of "
                f"{listed([one.name for one in self.accounts_of(user)])}"
            )
        if not self.has_member(found, user):
            raise Forbidden(
                f"'account': {user} is no member of the account '{name}', but of "
                f"{listed([one.name for one in self.accounts_of(user)])}"
            )
        return found

    def qos_of(self, name: str, account: str, user: str) -> str:
        """Return the QOS of a submit that names one, or the default.

        Raises:
            DaemonError: there is no such QOS, or this user or account may not have it.
        """
        name = name or default_qos(self.qos)
        if not self.qos:
            return name
        offered = {one.name: one for one in self.offered_qos}
        found = offered.get(name)
        if found is None:
            raise Malformed(f"'qos': there is no QOS '{name}'; there are {listed([*offered])}")
        if not self.may_use(found, user):
            raise Forbidden(f"'qos': {user} may not use the QOS '{name}'")
        if found.accounts and account not in found.accounts:
            raise Forbidden(
                f"'qos': jobs of the account '{account}' may not use the QOS '{name}', which is "
                f"for {listed(found.accounts)}"
            )
        return name

    @property
    def offered_qos(self) -> tuple[QosSettings, ...]:
        """Return the QOS that jobs may have: those of the configuration, and before them `normal`,
        without limits, if none of them is the default. Beside another default it would be a way
        around the limits of that one."""
        if NORMAL_QOS in self._qos or default_qos(self.qos) != NORMAL_QOS:
            return self.qos
        return (QosSettings(NORMAL_QOS), *self.qos)

    def may_use(self, qos: QosSettings, user: str) -> bool:
        """Return whether the user is among those for whom the QOS is."""
        return not qos.users or self.is_listed(user, qos.users)

    # ------------------------------------------------------------ limits

    def _limits_of(self, account: str, qos: str) -> Iterator[_Limited]:
        """Yield what limits the jobs of an account and a QOS: the QOS, the account, and the
        accounts above it."""
        if (found := self._qos.get(qos)) is not None:
            yield _Limited(f"the QOS '{qos}'", "QOS", found.limits, found.submitted)
        for one in chain(self._tree, account):
            submitted = self._accounts[one.name].submitted
            yield _Limited(f"the account '{one.name}'", "Assoc", one.limits, submitted)

    def longest_s(self, account: str, qos: str) -> float | None:
        """Return the longest limit that a job of this account and QOS may have; None: any."""
        limits = [one.limits.max_time_us for one in self._limits_of(account, qos)]
        longest_us = min([us for us in limits if us is not None], default=None)
        return None if longest_us is None else duration_s(longest_us)

    def check_job(self, account: str, qos: str, cpus: int, estimate_us: int) -> None:
        """Check that a job keeps the limits that it would pass even if no other job ran.

        Raises:
            NeverFits: it is longer or larger than a limit allows.
        """
        for one in self._limits_of(account, qos):
            limits, kind = one.limits, one.kind
            if limits.max_time_us is not None and estimate_us > limits.max_time_us:
                asked, most = (
                    format_duration(duration_s(us)) for us in (estimate_us, limits.max_time_us)
                )
                reason = f"{kind}MaxWallDurationPerJobLimit"
                raise NeverFits(
                    f"a limit of {asked} asked for; {one.name} allows at most {most} ({reason})"
                )
            of_user = "QOSMaxCpuPerUserLimit" if kind == "QOS" else "AssocGrpCpuLimit"
            for most_cpus, reason in (
                (limits.max_cpus_per_user, of_user),
                (limits.max_cpus, f"{kind}GrpCpuLimit"),
            ):
                if most_cpus is not None and cpus > most_cpus:
                    raise NeverFits(
                        f"{cpus} processors asked for; {one.name} allows at most {most_cpus} "
                        f"({reason})"
                    )
            _check_cpu_minutes(one, cpus, estimate_us)

    def counters_of(self, group: JobGroup) -> Iterator[Counted]:
        """Yield what the live jobs of a group count for: each QOS and account with a limit on their
        number, of the group's user and in all."""
        for one in self._limits_of(group.account, group.qos):
            if one.submitted.max_submitted_per_user is not None:
                yield Counted(one, group.user)
            if one.submitted.max_submitted is not None:
                yield Counted(one, "")

    def check_submitted(self, has: Mapping[Counted, int], more: Mapping[Counted, int]) -> None:
        """Check whether there may be `more` live jobs beside those that there are.

        Raises:
            TooManyJobs: an account, a QOS or a user within one would have too many.
        """
        for counted, new in more.items():
            limited, user = counted
            is_qos = limited.kind == "QOS"
            limit, reason = limited.submitted.max_submitted, f"{limited.kind}GrpSubmitJobsLimit"
            if user:
                limit = limited.submitted.max_submitted_per_user
                reason = "QOSMaxSubmitJobPerUserLimit" if is_qos else "AssocMaxSubmitJobLimit"
            live = has.get(counted, 0)
            if limit is not None and live + new > limit:
                raise TooManyJobs(
                    f"{limited.name} has {live} jobs{f' of {user}' if user else ''} waiting or "
                    f"running, and may have {limit} ({reason}){beside(new)}; submit again when "
                    "some are over"
                )


def _check_cpu_minutes(limited: _Limited, cpus: int, estimate_us: int) -> None:
    """Raise NeverFits if a job takes more processors, times minutes, than it may."""
    most, time_limit_s = limited.submitted.max_cpu_minutes, duration_s(estimate_us)
    if most is None or (time_limit_s is not None and cpus * time_limit_s <= most * 60):
        return
    asked = "without a limit" if time_limit_s is None else f"for {format_duration(time_limit_s)}"
    raise NeverFits(
        f"{cpus} processors {asked} asked for; {limited.name} allows at most {most} processor "
        f"minutes of a job ({limited.kind}MaxCpuMinutesPerJobLimit)"
    )


def beside(new: int) -> str:
    """Return the words for the jobs of a refused submit, "" for a single one."""
    return f"; this submit has {new} jobs" if new > 1 else ""


class _Limited(NamedTuple):
    """A QOS or an account with its limits. kind: with which Slurm's words for its limits begin."""

    name: str
    kind: str
    limits: JobLimits
    submitted: SubmittedLimits


class Counted(NamedTuple):
    """A count of live jobs: those of what is limited, and of one user unless `user` is empty."""

    limited: _Limited
    user: str


ANY_ACCOUNT = AccountRules(lambda user, listed: user in listed)
"""The rules of a cluster without accounts and QOS."""


def listed(names: Sequence[str]) -> str:
    """Return the first names, and how many more there are."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more if names else "none"
