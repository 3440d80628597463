"""The pieces of an allocation on the nodes that can hold them."""

from __future__ import annotations

from collections.abc import Sequence

from rmsd_core.jobs.gres import Share, serves
from rmsd_core.jobs.request import Allocation, Component, Piece
from rmsd_core.machine.free_space import FreeSpace


def packed(
    free_space: FreeSpace, names: Sequence[str], component: Component, holders: list[int]
) -> Allocation:
    """Return all units on as few of the `holders` as hold them. `names`: of all nodes by number."""
    need, cores, unit = component.units, free_space.cores, component.cores
    if component.needs is None:
        whole = [at for at in holders if cores[at] >= need * unit]
    else:
        units_on = free_space.units_on(component, holders)
        whole = [at for at, units in zip(holders, units_on, strict=True) if units >= need]
    if whole:
        at = min(whole, key=cores.__getitem__)
        return (piece(free_space, names, at, need, component),)
    holders.sort(key=lambda at: -cores[at])
    pieces = []
    for at in holders:
        units = min(free_space.units(at, component), need)
        pieces.append(piece(free_space, names, at, units, component))
        need -= units
        if not need:
            break
    return tuple(pieces)


def spread(
    free_space: FreeSpace, names: Sequence[str], component: Component, holders: list[int]
) -> Allocation | None:
    """Return a unit on each of as many of the `holders` as there are units, those with the least
    free cores; None if a node that is required is not among them. `names`: of all nodes by
    number."""
    holders.sort(key=free_space.cores.__getitem__)
    if component.require:
        required = [at for at in holders if names[at] in component.require]
        if len(required) < len(component.require):
            return None
        holders = list(dict.fromkeys([*required, *holders]))
    first = holders[: component.units]
    return tuple([piece(free_space, names, at, 1, component) for at in first])


def piece(
    free_space: FreeSpace, names: Sequence[str], at: int, units: int, component: Component
) -> Piece:
    """Return what so many units take of node `at`."""
    cores, needs = units * component.cores, component.needs
    if needs is None:
        return Piece(names[at], cores, component.mem_mib)
    total = free_space.total
    if needs.exclusive:
        every = tuple([Share(*one) for one in total.gres_of(at)])
        return Piece(names[at], total.cores[at], total.mem_mib[at], every)
    mem_mib = component.mem_mib * (units if needs.unit_mem else 1)
    if needs.all_mem:
        mem_mib = total.mem_mib[at]
    asked = [*needs.node_gres, *[(kind, units * each) for kind, each in needs.unit_gres]]
    return Piece(names[at], cores, mem_mib, tuple([_share(free_space, at, *one) for one in asked]))


def _share(free_space: FreeSpace, at: int, asked: str, count: int) -> Share:
    """Return devices of the kind that has the fewest free there, of those that have enough."""
    enough = [
        (free[at], kind)
        for kind, free in free_space.gres.items()
        if serves(kind, asked) and free[at] >= count
    ]
    return Share(min(enough)[1], count)
