"""Accounts and QOS: for whom jobs run and how, and the limits of both. Licenses: what jobs of the
whole cluster have together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple

from rmsd_core.vocabulary import Preempt


class JobLimits(NamedTuple):
    """The limits of a QOS, or of an account with all accounts below it. None: no limit.

    max_running: the most jobs that hold processors at a time. max_cpus: the most processors that
        they hold. Those with `per_user` are of each user. max_time_us: the longest limit of a job.
    """

    max_running: int | None = None
    max_cpus: int | None = None
    max_running_per_user: int | None = None
    max_cpus_per_user: int | None = None
    max_time_us: int | None = None


NO_LIMITS = JobLimits()


class AccountPolicy(NamedTuple):
    """An account as the core knows it; accounts are a tree. parent: the account above it; None: it
    is at the top. shares: its part of the fair share of the account above, of the machine at the
    top, beside the shares of the other accounts there and one for each user."""

    name: str
    parent: str | None = None
    limits: JobLimits = NO_LIMITS
    shares: int = 1


class QosPolicy(NamedTuple):
    """A QOS as the core knows it.

    preempts: the QOS whose running jobs make way for jobs of this one. preempt: what becomes of
    jobs of this QOS that make way for others; "off": they make way for none. preempt_grace_us: from
    SIGTERM to SIGKILL then; None: as in other kills. preempt_exempt_us: how long such a job runs at
    least before that. priority: the points that its jobs have under the order "priority".
    """

    name: str
    limits: JobLimits = NO_LIMITS
    preempts: tuple[str, ...] = ()
    preempt: Preempt = "requeue"
    preempt_grace_us: int | None = None
    preempt_exempt_us: int = 0
    priority: int = 0


class License(NamedTuple):
    """A license. total: how many of it running jobs may have together, on all nodes."""

    name: str
    total: int


class Policies(NamedTuple):
    """The accounts, QOS and licenses of a cluster. Without accounts, the account of a job is a mere
    text. A job may have a license that is not among these; then the license is not counted."""

    accounts: tuple[AccountPolicy, ...] = ()
    qos: tuple[QosPolicy, ...] = ()
    licenses: tuple[License, ...] = ()


NO_POLICIES = Policies()


def chain(accounts: Mapping[str, AccountPolicy], name: str) -> list[AccountPolicy]:
    """Return the account with those above it, the top last. None is there twice, though the tree
    had a circle; a name that is not configured has no chain."""
    found: dict[str, AccountPolicy] = {}
    account = accounts.get(name)
    while account is not None and account.name not in found:
        found[account.name] = account
        account = accounts.get(account.parent or "")
    return list(found.values())


def levels(qos: Iterable[QosPolicy]) -> dict[str, int]:
    """Return how high each QOS stands: above all that it preempts. Those that preempt none have the
    level 0, and are left out.

    Raises:
        ValueError: QOS preempt each other in a circle; the message says which.
    """
    preempts = {one.name: one.preempts for one in qos}
    found: dict[str, int] = {}
    try:
        for name in TopologicalSorter(preempts).static_order():
            lower = [found[one] for one in preempts.get(name, ())]
            found[name] = max(lower, default=-1) + 1
    except CycleError as error:
        names = ", ".join(dict.fromkeys(error.args[1]))
        raise ValueError(f"the QOS {names} preempt each other in a circle") from None
    return {name: level for name, level in found.items() if level}
