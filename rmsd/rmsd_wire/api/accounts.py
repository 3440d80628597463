"""Bodies about accounts, QOS and shares."""

from __future__ import annotations

import msgspec

MOST_ROWS = 10_000
"""The most users, and the most pairs of a user and an account, that are told at a time."""


class LimitsView(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of an account, with all accounts below it, or of a QOS. None: no limit. Those with
    `per_user` are of each user; `max_time_s` and `max_cpu_minutes` (its processors times the
    minutes of its limit) are of each job."""

    max_running: int | None
    max_running_per_user: int | None
    max_cpus: int | None
    max_cpus_per_user: int | None
    max_submitted: int | None
    max_submitted_per_user: int | None
    max_time_s: float | None
    max_cpu_minutes: int | None


class InUseView(msgspec.Struct, frozen=True, kw_only=True):
    """The present use of something: its jobs that wait or run (`submitted`; each task of an array
    counts), those that hold processors (`running`), and how many these hold (`cpus`)."""

    submitted: int
    running: int
    cpus: int


class AccountShareView(msgspec.Struct, frozen=True, kw_only=True):
    """The fair share of an account, with all accounts below it. `used_s`: the processors held,
    times seconds, halved in each half-life. `part`: of the usage of all. `share`: the part of the
    machine that is its share beside the others that have used something; None: it has used nothing.
    `factor`: of jobs of its users who have used nothing."""

    used_s: float
    part: float
    share: float | None
    factor: float


class AccountView(msgspec.Struct, frozen=True, kw_only=True):
    """An account. `parent`: the account above it; None: it is at the top. `members`: the users and
    `@groups` whose jobs may be of it; None: the caller is not among them, and no operator.
    `is_own`: whether the user that the answer is for is a member. `in_use`: of the account with all
    accounts below it. `shares`: of the fair share of the account above. `fair_share`: None unless
    the recipe divides shares by accounts."""

    name: str
    parent: str | None
    members: list[str] | None
    is_own: bool
    limits: LimitsView
    in_use: InUseView
    shares: int = 1
    fair_share: AccountShareView | None = None


class QosView(msgspec.Struct, frozen=True, kw_only=True):
    """A QOS. `accounts`: the accounts whose jobs may have it; empty: all. `users`: likewise users
    and `@groups`; None: the caller is not among them, and no operator. `preempts`: the QOS whose
    running jobs make way for jobs of this one. `preempt`: the consequence for a job of this QOS
    that makes way, "off", "requeue" or "cancel". `preempt_grace_s`: from SIGTERM to SIGKILL then;
    None: as in other kills. `preempt_exempt_s`: how long such a job runs at least before that.
    `priority`: the points of its jobs under the order `priority`."""

    name: str
    is_default: bool
    accounts: list[str]
    users: list[str] | None
    limits: LimitsView
    in_use: InUseView
    preempts: list[str] = []
    preempt: str = "requeue"
    preempt_grace_s: float | None = None
    preempt_exempt_s: float = 0
    priority: int = 0


class AssociationView(msgspec.Struct, frozen=True, kw_only=True):
    """The jobs that a user has of an account, "" for none."""

    user: str
    account: str
    in_use: InUseView


class ShareView(msgspec.Struct, frozen=True, kw_only=True):
    """The fair share of a user under the order `priority`. `account`: within which the share is, if
    the recipe divides shares by accounts; else that of jobs that name none, "" if there is none.
    `used_s`: the processors held, times seconds, halved in each half-life.
    `part`: of the usage of all users. `factor`: 1 without usage, 0.5 with that of the mean user."""

    user: str
    account: str
    used_s: float
    part: float
    factor: float


class LicenseView(msgspec.Struct, frozen=True, kw_only=True):
    """A license of the cluster. `used`: how many of the `total` jobs have now."""

    name: str
    total: int
    used: int


class AccountsReply(msgspec.Struct, frozen=True, kw_only=True):
    """GET /v1/accounts: all accounts, QOS and licenses in the order of the configuration, and the
    jobs and shares of one user or of all. `user`: this user; None: all. `default_account`: the
    account of this user's jobs that name none, "" if there is none. Without the order `priority`
    there are no `shares`."""

    user: str | None
    default_account: str
    accounts: list[AccountView]
    qos: list[QosView]
    associations: list[AssociationView]
    shares: list[ShareView]
    licenses: list[LicenseView] = []
    schema: str = "rmsd.accounts/1"
