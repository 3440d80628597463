"""The views of accounts, QOS and licenses: who may use them, their limits, and what jobs hold
now."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import itemgetter

from rmsd_core.jobs.accounts import JobLimits, chain
from rmsd_core.jobs.job import Job
from rmsd_core.lifecycle.core import Core
from rmsd_core.model_time import duration_s
from rmsd_core.planning.account_shares import AccountShare
from rmsd_daemon.domain.accounts import AccountRules, JobGroup
from rmsd_daemon.domain.errors import DaemonError, Malformed
from rmsd_daemon.setup.accounts import AccountSettings, SubmittedLimits, default_qos
from rmsd_wire.api.accounts import (
    MOST_ROWS,
    AccountShareView,
    AccountsReply,
    AccountView,
    AssociationView,
    InUseView,
    LicenseView,
    LimitsView,
    QosView,
    ShareView,
)


@dataclass(slots=True)
class _Sums:
    submitted: int = 0
    running: int = 0
    cpus: int = 0

    def view(self) -> InUseView:
        return InUseView(submitted=self.submitted, running=self.running, cpus=self.cpus)


_NONE = _Sums()


class InUse:
    """The jobs that there are now, by account, by QOS, and of one user or all (None) by user and
    account. Jobs are added in parts, since a user may have any number of accounts.

    Raises:
        Malformed: there are more than `MOST_ROWS` users with accounts.
    """

    def __init__(self, rules: AccountRules, user: str | None) -> None:
        self._tree = {one.name: one.core for one in rules.accounts}
        self._user = user
        self._by_account: defaultdict[str, _Sums] = defaultdict(_Sums)
        self._by_qos: defaultdict[str, _Sums] = defaultdict(_Sums)
        self._by_pair: defaultdict[tuple[str, str], _Sums] = defaultdict(_Sums)
        self._licenses = Counter[str]()

    def add_live(self, groups: Iterable[tuple[JobGroup, int]]) -> None:
        """Add how many jobs of some groups there are."""
        for group, count in groups:
            for sums in self._sums(group):
                sums.submitted += count

    def add_holders(self, jobs: Iterable[Job]) -> None:
        """Add jobs that hold processors."""
        for job in jobs:
            cpus = sum(piece.cores for piece in job.allocation)
            self._licenses.update(dict(job.licenses))
            for sums in self._sums(JobGroup(job.qos, job.account, job.user)):
                sums.running += 1
                sums.cpus += cpus

    def of_account(self, name: str) -> InUseView:
        """Return what an account and those below it have."""
        return self._by_account.get(name, _NONE).view()

    def of_qos(self, name: str) -> InUseView:
        """Return what a QOS has."""
        return self._by_qos.get(name, _NONE).view()

    def of_license(self, name: str) -> int:
        """Return how many of a license jobs have."""
        return self._licenses[name]

    def associations(self) -> list[AssociationView]:
        """Return what the users have of each account."""
        return [
            AssociationView(user=name, account=account, in_use=sums.view())
            for (name, account), sums in sorted(self._by_pair.items(), key=itemgetter(0))
        ]

    def _sums(self, group: JobGroup) -> Iterator[_Sums]:
        """Yield all that the jobs of a group count for."""
        for account in chain(self._tree, group.account):
            yield self._by_account[account.name]
        yield self._by_qos[group.qos]
        if self._user in (None, group.user):
            yield self._by_pair[group.user, group.account]
            _check_rows(len(self._by_pair))


def _check_rows(count: int) -> None:
    """Raise Malformed if an answer would have more than `MOST_ROWS` rows."""
    if count > MOST_ROWS:
        raise Malformed(
            f"more than {MOST_ROWS} users have jobs or shares, each account of a user counted: "
            "ask for one 'user' at a time"
        )


def accounts_reply(
    rules: AccountRules, core: Core, in_use: InUse, now_us: int, user: str | None, *,
    is_operator: bool,
) -> AccountsReply:  # fmt: skip
    """Return the answer for one user, or for all (None). `in_use`: the jobs that there are.

    Raises:
        Malformed: there are more than `MOST_ROWS` shares.
    """
    fair_shares = core.fair_shares
    shares = [] if fair_shares is None else fair_shares.shares(now_us, user)
    _check_rows(len(shares))
    of_accounts = [] if fair_shares is None else fair_shares.account_shares(now_us)
    return AccountsReply(
        user=user,
        default_account="" if user is None else default_account(rules, user),
        accounts=list(_accounts(rules, in_use, of_accounts, user, is_operator=is_operator)),
        qos=list(_qos(rules, in_use, user, is_operator=is_operator)),
        associations=in_use.associations(),
        shares=[
            ShareView(
                user=one.user,
                account=default_account(rules, one.user) if one.account is None else one.account,
                used_s=one.used_s,
                part=one.part,
                factor=one.factor,
            )
            for one in shares
        ],
        licenses=[
            LicenseView(name=name, total=total, used=in_use.of_license(name))
            for name, total in rules.licenses
        ],
    )


def default_account(rules: AccountRules, user: str) -> str:
    """Return the account of a user's jobs that name none; "" if there is none."""
    try:
        return rules.account_of("", user)
    except DaemonError:
        return ""


def _accounts(
    rules: AccountRules,
    in_use: InUse,
    shares: Iterable[AccountShare],
    user: str | None,
    *,
    is_operator: bool,
) -> Iterator[AccountView]:
    of_account = {
        name: AccountShareView(used_s=used_s, part=part, share=share, factor=factor)
        for name, used_s, part, share, factor in shares
    }
    for one in rules.accounts:
        is_own = user is not None and rules.has_member(one, user)
        yield AccountView(
            name=one.name,
            parent=one.parent,
            members=_members(one) if is_operator or is_own else None,
            is_own=is_own,
            limits=_limits(one.limits, one.submitted),
            in_use=in_use.of_account(one.name),
            shares=one.shares,
            fair_share=of_account.get(one.name),
        )


def _members(account: AccountSettings) -> list[str]:
    return list(dict.fromkeys((*account.members, *account.default_of)))


def _qos(
    rules: AccountRules, in_use: InUse, user: str | None, *, is_operator: bool
) -> Iterator[QosView]:
    default = default_qos(rules.qos)
    for one in rules.offered_qos:
        grace_us = one.preempt_grace_us
        is_told = is_operator or (user is not None and rules.may_use(one, user))
        yield QosView(
            name=one.name,
            is_default=one.name == default,
            accounts=list(one.accounts),
            users=list(one.users) if is_told else None,
            limits=_limits(one.limits, one.submitted),
            in_use=in_use.of_qos(one.name),
            preempts=list(one.preempts),
            preempt=one.preempt,
            preempt_grace_s=None if grace_us is None else duration_s(grace_us),
            preempt_exempt_s=duration_s(one.preempt_exempt_us) or 0,
            priority=one.priority,
        )


def _limits(limits: JobLimits, submitted: SubmittedLimits) -> LimitsView:
    return LimitsView(
        max_running=limits.max_running,
        max_running_per_user=limits.max_running_per_user,
        max_cpus=limits.max_cpus,
        max_cpus_per_user=limits.max_cpus_per_user,
        max_submitted=submitted.max_submitted,
        max_submitted_per_user=submitted.max_submitted_per_user,
        max_time_s=None if limits.max_time_us is None else duration_s(limits.max_time_us),
        max_cpu_minutes=submitted.max_cpu_minutes,
    )
