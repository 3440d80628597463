"""The accounts and QOS of the configuration: `[accounts.NAME]` and `[qos.NAME]` tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rmsd_core.vocabulary import NORMAL_QOS
from rmsd_daemon.setup.partitions import Readers

_MOST = 10_000
"""The most accounts, and the most QOS."""
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,63}", re.ASCII)
_Reader = Callable[[object], Any]


@dataclass(frozen=True, slots=True)
class AccountSettings:
    """An account as configured.

    members: the users and `@groups` whose jobs may be of it. default_of: those of them whose jobs
    are of it if they name no account.
    """

    name: str
    members: tuple[str, ...] = ()
    default_of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QosSettings:
    """A QOS as configured.

    is_default: jobs that name none have it. accounts: the accounts whose jobs may have it; empty:
    all. users: likewise the users and `@groups`.
    """

    name: str
    is_default: bool = False
    accounts: tuple[str, ...] = ()
    users: tuple[str, ...] = ()


def parse_accounts(value: object, readers: Readers) -> tuple[AccountSettings, ...]:
    """Read the accounts, a table of tables.

    Raises:
        ValueError, TypeError: a name, a key or a value is not usable; the message says which.
    """
    keys = {"members": readers["names"], "default_of": readers["names"]}
    return tuple(
        [
            AccountSettings(name, given.get("members", ()), given.get("default_of", ()))
            for name, given in _tables(value, "accounts", keys)
        ]
    )


def parse_qos(value: object, readers: Readers) -> tuple[QosSettings, ...]:
    """Read the QOS, a table of tables.

    Raises:
        ValueError, TypeError: a name, a key or a value is not usable; the message says which.
    """
    keys = {
        "default": readers["bool"],
        "accounts": readers["names"],
        "users": readers["names"],
    }
    found = [
        QosSettings(
            name, given.get("default", False), given.get("accounts", ()), given.get("users", ())
        )
        for name, given in _tables(value, "qos", keys)
    ]
    defaults = [one.name for one in found if one.is_default]
    if len(defaults) > 1:
        raise ValueError(f"{' and '.join(defaults)} are both the default; only one can be")
    return tuple(found)


def default_qos(qos: Sequence[QosSettings]) -> str:
    """Return the name of the QOS of jobs that name none."""
    return next((one.name for one in qos if one.is_default), NORMAL_QOS)


def _tables(
    value: object, what: str, keys: Mapping[str, _Reader]
) -> list[tuple[str, dict[str, Any]]]:
    """Return the names of the tables with the values in them, all of which are checked."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{value!r} is not a table; write [{what}.NAME]")
    if len(value) > _MOST:
        raise ValueError(f"there are {len(value)}, more than {_MOST}")
    return [(name, _values(name, table, what, keys)) for name, table in value.items()]


def _values(name: str, table: object, what: str, keys: Mapping[str, _Reader]) -> dict[str, Any]:
    if not _NAME.fullmatch(name):
        raise ValueError(f"'{name}' is not usable as a name; letters, digits and _ . + - are")
    if not isinstance(table, Mapping):
        raise TypeError(f"{name}: {table!r} is not a table; write [{what}.{name}]")
    found: dict[str, Any] = {}
    for key, each in table.items():
        if key not in keys:
            raise ValueError(f"{name}.{key}: unknown key; there are {', '.join(keys)}")
        try:
            found[key] = keys[key](each)
        except (ValueError, TypeError, OverflowError) as error:
            raise ValueError(f"{name}.{key}: {error}") from error
    return found
