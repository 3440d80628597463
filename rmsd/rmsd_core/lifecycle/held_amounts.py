"""The cores, the memory and the devices that jobs hold on a node or in the pool, by their names."""

from __future__ import annotations

from collections.abc import Iterator

from rmsd_core.jobs.request import Piece
from rmsd_core.machine.capacity import Capacity

CORES, MEMORY = "cores", "memory"
"""The names of what jobs hold beside devices, which go by their kinds."""
_DEVICES = "gres:"


def amounts(piece: Piece) -> Iterator[tuple[str, int]]:
    """Yield what a piece takes, by its name."""
    yield CORES, piece.cores
    if piece.mem_mib:
        yield MEMORY, piece.mem_mib
    for kind, count, _ in piece.gres:
        yield f"{_DEVICES}{kind}", count


def left(capacity: Capacity, where: str, what: str) -> int:
    """Return how much of that is free there."""
    if what == CORES:
        return capacity.left(where)[0]
    if what == MEMORY:
        return capacity.left(where)[1]
    return capacity.devices_left(where, what.removeprefix(_DEVICES))
