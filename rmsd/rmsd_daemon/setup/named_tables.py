"""The tables of the configuration that have names: `[partitions.NAME]`, `[accounts.NAME]` and
others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rmsd_wire.names import CONFIGURED_NAME

Reader = Callable[[object], Any]
Readers = Mapping[str, Reader]
"""The readers of the kinds of values that other settings have as well, by kind."""


def check_name(name: str) -> None:
    """Raise ValueError if something in the configuration cannot have this name."""
    if not CONFIGURED_NAME.fullmatch(name):
        raise ValueError(f"'{name}' is not usable as a name; letters, digits and _ . + - are")


def read_table(name: str, table: object, what: str, keys: Readers) -> dict[str, Any]:
    """Return the values of the table `[what.name]`. keys: the reader of each key that it may have.

    Raises:
        ValueError, TypeError: a key or a value is not usable; the message says which.
    """
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
