"""The accounts and QOS of the configuration: `[accounts.NAME]` and `[qos.NAME]` tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rmsd_core.jobs.accounts import (
    NO_LIMITS,
    AccountPolicy,
    JobLimits,
    License,
    Policies,
    QosPolicy,
    chain,
    levels,
)
from rmsd_core.model_time import duration_us
from rmsd_core.vocabulary import NORMAL_QOS, Preempt
from rmsd_daemon.setup.named_tables import Reader, Readers, TableError, check_name, read_table
from rmsd_daemon.setup.preempt_keys import preempt_keys, preempt_times_us
from rmsd_wire.names import CONFIGURED_NAME

_MOST = 10_000
"""The most accounts, and the most QOS."""
_DEEPEST = 16
"""The most accounts on the way from one to the top. Each start of a job counts in all of them."""


class SubmittedLimits(NamedTuple):
    """The limits that submits and changes of jobs keep. None: no limit.

    max_submitted: the most jobs that wait or run, and with `per_user` those of each user.
    max_cpu_minutes: the most processors of a job times the minutes of its limit."""

    max_submitted: int | None = None
    max_submitted_per_user: int | None = None
    max_cpu_minutes: int | None = None


ANY_NUMBER = SubmittedLimits()


@dataclass(frozen=True, slots=True)
class AccountSettings:
    """An account as configured.

    members: the users and `@groups` whose jobs may be of it. default_of: those of them whose jobs
    are of it if they name no account. parent: the account above it. limits, submitted: for the
    account with all accounts below it. shares: of the fair share of the account above.
    """

    name: str
    members: tuple[str, ...] = ()
    default_of: tuple[str, ...] = ()
    parent: str | None = None
    limits: JobLimits = NO_LIMITS
    submitted: SubmittedLimits = ANY_NUMBER
    shares: int = 1

    @property
    def core(self) -> AccountPolicy:
        """Return what the scheduler goes by."""
        return AccountPolicy(self.name, self.parent, self.limits, self.shares)


@dataclass(frozen=True, slots=True)
class QosSettings:
    """A QOS as configured.

    is_default: jobs that name none have it. accounts: the accounts whose jobs may have it; empty:
    all. users: likewise the users and `@groups`. limits, submitted: of the jobs that have it.
    preempts and the others of preemption, and priority: see `QosPolicy`.
    """

    name: str
    is_default: bool = False
    accounts: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    limits: JobLimits = NO_LIMITS
    submitted: SubmittedLimits = ANY_NUMBER
    preempts: tuple[str, ...] = ()
    preempt: Preempt = "requeue"
    preempt_grace_us: int | None = None
    preempt_exempt_us: int = 0
    priority: int = 0

    @property
    def core(self) -> QosPolicy:
        """Return what the scheduler goes by."""
        preempt = self.preempts, self.preempt, self.preempt_grace_us, self.preempt_exempt_us
        return QosPolicy(self.name, self.limits, *preempt, self.priority)


def policies_of(
    accounts: Sequence[AccountSettings],
    qos: Sequence[QosSettings],
    licenses: tuple[License, ...] = (),
) -> Policies:
    """Return what the scheduler goes by."""
    cores = tuple([one.core for one in accounts]), tuple([one.core for one in qos])
    return Policies(*cores, licenses)


def parse_accounts(value: object, readers: Readers) -> tuple[AccountSettings, ...]:
    """Read the accounts, a table of tables.

    Raises:
        ValueError, TypeError: a name, a key or a value is not usable; the message says which.
    """
    keys = {
        "parent": _name,
        "members": readers["names"],
        "default_of": readers["names"],
        "shares": readers["count"],
        **_limit_keys(readers),
    }
    found = [
        AccountSettings(
            name,
            given.get("members", ()),
            given.get("default_of", ()),
            given.get("parent"),
            _limits(given),
            _submitted(given),
            given.get("shares", 1),
        )
        for name, given in _tables(value, "accounts", keys)
    ]
    by_name = {one.name: one.core for one in found}
    for one in found:
        _check_way_up(by_name, one.name)
    return tuple(found)


def _check_way_up(accounts: Mapping[str, AccountPolicy], name: str) -> None:
    """Check that the way from an account to the top ends there.

    Raises:
        ValueError: it does not.
    """
    way = chain(accounts, name)
    parent = way[-1].parent
    if parent is not None and parent not in accounts:
        raise TableError(way[-1].name, "parent", f"there is no account '{parent}'")
    if parent is not None:
        names = ", ".join(one.name for one in way)
        raise TableError(name, "parent", f"the accounts {names} are in a circle")
    if len(way) > _DEEPEST:
        above = f"there are {len(way) - 1} accounts above it, more than {_DEEPEST - 1}"
        raise TableError(name, "parent", above)


def parse_qos(value: object, readers: Readers) -> tuple[QosSettings, ...]:
    """Read the QOS, a table of tables.

    Raises:
        ValueError, TypeError: a name, a key or a value is not usable; the message says which.
    """
    keys = {
        "default": readers["bool"],
        "accounts": readers["names"],
        "users": readers["names"],
        "preempts": readers["names"],
        "priority": readers["points"],
        **preempt_keys(readers),
        **_limit_keys(readers),
    }
    found = [
        QosSettings(
            name,
            given.get("default", False),
            given.get("accounts", ()),
            given.get("users", ()),
            _limits(given),
            _submitted(given),
            given.get("preempts", ()),
            given.get("preempt", "requeue"),
            *preempt_times_us(given),
            priority=given.get("priority", 0),
        )
        for name, given in _tables(value, "qos", keys)
    ]
    _check_preempts(found)
    defaults = [one.name for one in found if one.is_default]
    if len(defaults) > 1:
        raise ValueError(f"{' and '.join(defaults)} are both the default; only one can be")
    return tuple(found)


def _check_preempts(qos: Sequence[QosSettings]) -> None:
    """Check that each QOS preempts QOS that there are, and none itself, over others or not.

    Raises:
        ValueError: one does otherwise.
    """
    names = {NORMAL_QOS, *(one.name for one in qos)}
    for one in qos:
        if unknown := [name for name in one.preempts if name not in names]:
            raise TableError(one.name, "preempts", f"there is no QOS '{unknown[0]}'")
    levels([one.core for one in qos])


def default_qos(qos: Sequence[QosSettings]) -> str:
    """Return the name of the QOS of jobs that name none."""
    return next((one.name for one in qos if one.is_default), NORMAL_QOS)


def _limit_keys(readers: Readers) -> dict[str, Reader]:
    """Return the keys of limits, which accounts and QOS have alike, with their readers."""
    counted = ("max_running", "max_submitted", "max_cpus")
    keys: dict[str, Reader] = {}
    for key in counted:
        keys |= {key: readers["count"], f"{key}_per_user": readers["count"]}
    return keys | {"max_time": readers["duration"], "max_cpu_minutes": readers["count"]}


def _limits(given: Mapping[str, Any]) -> JobLimits:
    max_time_s = given.get("max_time")
    return JobLimits(
        given.get("max_running"),
        given.get("max_cpus"),
        given.get("max_running_per_user"),
        given.get("max_cpus_per_user"),
        None if max_time_s is None else duration_us(max_time_s),
    )


def _submitted(given: Mapping[str, Any]) -> SubmittedLimits:
    return SubmittedLimits(
        given.get("max_submitted"),
        given.get("max_submitted_per_user"),
        given.get("max_cpu_minutes"),
    )


def _name(value: object) -> str:
    if not isinstance(value, str) or not CONFIGURED_NAME.fullmatch(value):
        raise TypeError(f"{value!r} is not the name of an account")
    return value


def _tables(value: object, what: str, keys: Readers) -> list[tuple[str, dict[str, Any]]]:
    """Return the names of the tables with the values in them, all of which are checked."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{value!r} is not a table; write [{what}.NAME]")
    if len(value) > _MOST:
        raise ValueError(f"there are {len(value)}, more than {_MOST}")
    return [(name, _values(name, table, what, keys)) for name, table in value.items()]


def _values(name: str, table: object, what: str, keys: Readers) -> dict[str, Any]:
    check_name(name)
    return read_table(name, table, what, keys)
