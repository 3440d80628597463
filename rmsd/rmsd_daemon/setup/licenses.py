"""The licenses of the configuration: the table `[licenses]`."""

from __future__ import annotations

from collections.abc import Mapping

from rmsd_core.jobs.accounts import License
from rmsd_daemon.setup.named_tables import check_name
from rmsd_wire.licenses import MOST

_MOST_NAMES = 1000


def parse_license_table(value: object) -> tuple[License, ...]:
    """Read the licenses, a table with a number for each name.

    Raises:
        ValueError, TypeError: a name or a number is not usable; the message says which.
    """
    if not isinstance(value, Mapping):
        raise TypeError(f"{value!r} is not a table; write [licenses]")
    if len(value) > _MOST_NAMES:
        raise ValueError(f"there are {len(value)}, more than {_MOST_NAMES}")
    for name in value:
        check_name(name)
    return tuple([License(name, _total(name, total)) for name, total in value.items()])


def _total(name: str, total: object) -> int:
    if not isinstance(total, int) or isinstance(total, bool) or not 0 <= total <= MOST:
        raise ValueError(f"{name}: {total!r} is not a whole number from 0 to {MOST}")
    return total
