"""Accounts and QOS: for whom jobs run and how, and the limits of both. Licenses: what jobs of the
whole cluster have together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


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
    is at the top."""

    name: str
    parent: str | None = None
    limits: JobLimits = NO_LIMITS


class QosPolicy(NamedTuple):
    """A QOS as the core knows it."""

    name: str
    limits: JobLimits = NO_LIMITS


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
