"""The views of accounts and QOS: who may use them, their limits, and what their jobs hold now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from rmsd_core.jobs.accounts import JobLimits, chain
from rmsd_core.lifecycle.core import Core
from rmsd_core.model_time import duration_s
from rmsd_daemon.domain.accounts import AccountRules, JobGroup
from rmsd_daemon.domain.errors import DaemonError
from rmsd_daemon.setup.accounts import AccountSettings, SubmittedLimits, default_qos
from rmsd_wire.api.accounts import (
    AccountsReply,
    AccountView,
    AssociationView,
    InUseView,
    LimitsView,
    QosView,
    ShareView,
)


class InUse:
    """The jobs that there are now, by QOS, account and user."""

    def __init__(self, submitted: Mapping[JobGroup, int], core: Core) -> None:
        self._submitted = submitted
        self._running: Counter[JobGroup] = Counter()
        self._cpus: Counter[JobGroup] = Counter()
        for job in core.holders():
            group = JobGroup(job.qos, job.account, job.user)
            self._running[group] += 1
            self._cpus[group] += sum(piece.cores for piece in job.allocation)

    def groups(self) -> Iterable[JobGroup]:
        """Return the groups that have jobs."""
        return {**self._submitted, **self._running}

    def of(self, groups: Iterable[JobGroup]) -> InUseView:
        """Return what some groups have together."""
        found = list(groups)
        return InUseView(
            submitted=sum(self._submitted.get(group, 0) for group in found),
            running=sum(self._running[group] for group in found),
            cpus=sum(self._cpus[group] for group in found),
        )


def accounts_reply(
    rules: AccountRules,
    core: Core,
    submitted: Mapping[JobGroup, int],
    now_us: int,
    user: str | None,
    *,
    is_operator: bool,
) -> AccountsReply:
    """Return the answer for one user, or for all (None). `submitted`: the live jobs by group."""
    in_use = InUse(submitted, core)
    return AccountsReply(
        user=user,
        default_account="" if user is None else default_account(rules, user),
        accounts=list(_accounts(rules, in_use, user, is_operator=is_operator)),
        qos=list(_qos(rules, in_use, user, is_operator=is_operator)),
        associations=_associations(in_use, user),
        shares=[
            ShareView(
                user=one.user,
                account=default_account(rules, one.user),
                used_s=one.used_s,
                part=one.part,
                factor=one.factor,
            )
            for one in core.shares(now_us, user)
        ],
    )


def default_account(rules: AccountRules, user: str) -> str:
    """Return the account of a user's jobs that name none; "" if there is none."""
    try:
        return rules.account_of("", user)
    except DaemonError:
        return ""


def _accounts(
    rules: AccountRules, in_use: InUse, user: str | None, *, is_operator: bool
) -> Iterator[AccountView]:
    tree = {one.name: one.core for one in rules.accounts}
    below: dict[str, list[JobGroup]] = {name: [] for name in tree}
    for group in in_use.groups():
        for account in chain(tree, group.account):
            below[account.name].append(group)
    for one in rules.accounts:
        is_own = user is not None and rules.has_member(one, user)
        yield AccountView(
            name=one.name,
            parent=one.parent,
            members=_members(one) if is_operator or is_own else None,
            is_own=is_own,
            limits=_limits(one.limits, one.submitted),
            in_use=in_use.of(below[one.name]),
        )


def _members(account: AccountSettings) -> list[str]:
    return list(dict.fromkeys((*account.members, *account.default_of)))


def _qos(
    rules: AccountRules, in_use: InUse, user: str | None, *, is_operator: bool
) -> Iterator[QosView]:
    having: dict[str, list[JobGroup]] = {}
    for group in in_use.groups():
        having.setdefault(group.qos, []).append(group)
    default = default_qos(rules.qos)
    for one in rules.offered_qos:
        is_told = is_operator or (user is not None and rules.may_use(one, user))
        yield QosView(
            name=one.name,
            is_default=one.name == default,
            accounts=list(one.accounts),
            users=list(one.users) if is_told else None,
            limits=_limits(one.limits, one.submitted),
            in_use=in_use.of(having.get(one.name, ())),
        )


def _limits(limits: JobLimits, submitted: SubmittedLimits) -> LimitsView:
    return LimitsView(
        max_running=limits.running,
        max_running_per_user=limits.user_running,
        max_cpus=limits.cpus,
        max_cpus_per_user=limits.user_cpus,
        max_submitted=submitted.most,
        max_submitted_per_user=submitted.of_user,
        max_time_s=None if limits.time_us is None else duration_s(limits.time_us),
    )


def _associations(in_use: InUse, user: str | None) -> list[AssociationView]:
    by_pair: dict[tuple[str, str], list[JobGroup]] = {}
    for group in in_use.groups():
        if user is None or group.user == user:
            by_pair.setdefault((group.user, group.account), []).append(group)
    return [
        AssociationView(user=name, account=account, in_use=in_use.of(groups))
        for (name, account), groups in sorted(by_pair.items())
    ]
