"""The tables of the configuration that have names: `[partitions.NAME]`, `[accounts.NAME]` and
others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from rmsd_wire.names import CONFIGURED_NAME

Reader = Callable[[object], Any]
Readers = Mapping[str, Reader]
"""The readers of the kinds of values that other settings have as well, by kind."""


class TableError(ValueError):
    """A key of the table `name`, or its value, is not usable; the message names both."""

    def __init__(self, name: str, key: str, why: str) -> None:
        super().__init__(f"{name}.{key}: {why}")
        self.name = name
        self.key = key


def check_name(name: str) -> None:
    """Raise ValueError if something in the configuration cannot have this name."""
    if not CONFIGURED_NAME.fullmatch(name):
        raise ValueError(f"'{name}' is not usable as a name; letters, digits and _ . + - are")


def unknown_key(key: str, known: Iterable[str]) -> str:
    """Return the words for a key that is none, with the one that is probably meant."""
    if close := get_close_matches(key, known := list(known), n=1):
        return f"unknown key; did you mean {close[0]}?"
    return f"unknown key; there are {', '.join(known)}"


def read_table(name: str, table: object, what: str, keys: Readers) -> dict[str, Any]:
    """Return the values of the table `[what.name]`. keys: the reader of each key that it may have.

    Raises:
        TableError, TypeError: a key or a value is not usable; the message says which.
    """
    if not isinstance(table, Mapping):
        raise TypeError(f"{name}: {table!r} is not a table; write [{what}.{name}]")
    found: dict[str, Any] = {}
    for key, each in table.items():
        if key not in keys:
            raise TableError(name, key, unknown_key(key, keys))
        try:
            found[key] = keys[key](each)
        except (ValueError, TypeError, OverflowError) as error:
            raise TableError(name, key, str(error)) from error
    return found
