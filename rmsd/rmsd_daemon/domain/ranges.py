"""The ranges of numbers that callers give."""

from __future__ import annotations

from rmsd_daemon.domain.errors import Malformed


def within(field: str, value: int, low: int, high: int) -> int:
    """Return the value of the field itself. Raises Malformed if it is not `low` to `high`."""
    if not low <= value <= high:
        raise Malformed(f"'{field}' is {value}; it must be {low} to {high}")
    return value
