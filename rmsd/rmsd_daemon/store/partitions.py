"""Partitions as the events of the database have them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from rmsd_core.machine.partitions import Partition

Row = dict[str, Any]


def partition_rows(partitions: Iterable[Partition]) -> list[Row]:
    """Return partitions as an event has them."""
    return [one._asdict() for one in partitions]


def partitions_of(rows: Iterable[Row]) -> tuple[Partition, ...]:
    """Return the partitions of an event."""
    return tuple([msgspec.convert(list(row.values()), Partition) for row in rows])
