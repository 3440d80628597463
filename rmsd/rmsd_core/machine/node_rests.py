"""The rests of nodes that jobs keep for their users: what a job is given of a whole node, and where
another job fits in the rests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from rmsd_core.jobs.gres import Demands
from rmsd_core.jobs.request import Allocation, Component, Piece, Request
from rmsd_core.machine.free_space import FreeSpace
from rmsd_core.machine.node_capacity import NodeCapacity
from rmsd_core.machine.pieces import piece

_WHOLE = Component(1, needs=Demands(by_user=True))


class Rest(NamedTuple):
    """The cores, the memory and the devices that are left of a node."""

    node: str
    cores: int
    mem_mib: int
    gres: Mapping[str, int]


def whole(capacity: NodeCapacity, node: str) -> Piece:
    """Return all of a node."""
    return piece(capacity.now.total, capacity.names, capacity.number(node), 1, _WHOLE)


def narrowed(capacity: NodeCapacity, request: Request, place: Allocation) -> Allocation:
    """Return what a job that shares its nodes with jobs of its user is given of a place of whole
    nodes."""
    total, numbers = capacity.now.total, [capacity.number(one.node) for one in place]
    for component in request.open or request.components:
        if len(capacity.among(numbers, component)) < len(numbers):
            continue
        plain, need = _plain(component), component.units
        pieces = []
        for at in numbers:
            units = min(total.units(at, plain), need)
            need -= units
            if units:
                pieces.append(piece(total, capacity.names, at, units, plain))
        if not need and len(pieces) == len(numbers):
            return tuple(pieces)
    return place


def place_in_rests(
    capacity: NodeCapacity, request: Request, rests: Iterable[Rest]
) -> Allocation | None:
    """Return where the request fits in what is left of nodes; None if it does not."""
    total, count = capacity.now.total, capacity.numbers
    cores, mem_mib = [0] * count, [0] * count
    gres = {kind: [0] * count for kind in total.gres}
    usable = []
    for rest in rests:
        at = capacity.number(rest.node)
        if not capacity.takes_work(at):
            continue
        usable.append(at)
        cores[at], mem_mib[at] = rest.cores, rest.mem_mib
        for kind, free in rest.gres.items():
            gres[kind][at] = free
    if not usable:
        return None
    usable.sort(key=capacity.names.__getitem__)
    free_space = FreeSpace(cores, mem_mib, usable, gres, total)
    for component in request.open:
        if (found := capacity.place_once(free_space, _plain(component))) is not None:
            return found
    return None


def _plain(component: Component) -> Component:
    """Return the component as one that shares its nodes with all."""
    assert component.needs is not None
    needs = component.needs._replace(by_user=False)
    return component._replace(needs=None if needs == Demands() else needs)
