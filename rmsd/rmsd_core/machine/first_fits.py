"""The first time at which a component fits as running jobs give back what they hold."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import NamedTuple, Protocol

from rmsd_core.jobs.request import Component, Request
from rmsd_core.machine.free_space import FreeSpace
from rmsd_core.machine.node_releases import NodeReleases
from rmsd_core.machine.released_units import ReleasedUnits
from rmsd_core.model_time import NEVER_US


class PlacesOnNodes(Protocol):
    """The nodes, and where components go."""

    def carriers(self, component: Component) -> Sequence[int]:
        """Return the nodes on which the component may be."""

    def required(self, component: Component) -> list[int]:
        """Return the nodes that the component must have; -1 for one that is not known."""

    def most_nodes(self, component: Component) -> int | None:
        """Return how many nodes the component may have; None: any number."""

    def has_place(self, free_space: FreeSpace, component: Component) -> bool:
        """Return whether the component fits into `free_space`, by a look at all nodes."""


class FirstFit(NamedTuple):
    """The time at which a component fits first. given: after how many releases that is; None: it
    never fits."""

    time_us: int
    given: int | None
    component: Component


def first_fit(
    request: Request, placing: PlacesOnNodes, releases: NodeReleases, earliest_us: int
) -> Generator[None, None, FirstFit]:
    """Return when one of the open components fits for the first time, from `earliest_us` on, in
    steps. Of several that fit at the same time it is the first one.

    A job may name many partitions. A component is looked for before the time that is found alone,
    and a look at what is free just before that time is enough for most of them."""
    found: FirstFit | None = None
    last, before = releases.until(NEVER_US), None
    for component in request.open:
        if found is not None and earliest_us >= found.time_us:
            break
        count = yield from _count(component, placing, releases, last, before)
        if count is not None:
            end_us = releases.end_us(count - 1) if count else 0
            found = FirstFit(max(end_us, earliest_us), count, component)
            last = releases.until(found.time_us - 1)
            before = None
            if component is not request.open[-1]:
                before = yield from releases.after_in_steps(last)
        elif found is None:
            found, last = FirstFit(NEVER_US, None, component), releases.until(NEVER_US - 1)
    assert found is not None, "a job of which no component is open waits in no queue"
    return found


def _count(
    component: Component,
    placing: PlacesOnNodes,
    releases: NodeReleases,
    last: int,
    at_last: FreeSpace | None,
) -> Generator[None, None, int | None]:
    """Return after how many of the first `last` releases the component fits first, in steps; None
    if it does not. at_last: what is free after all of these, if that is known."""
    usable, most_nodes = placing.carriers(component), placing.most_nodes(component)
    required = placing.required(component)

    def may_fit(free_space: FreeSpace) -> bool:
        holders = free_space.holders(component, component.mem_mib, usable)
        units = free_space.units_on(component, holders)
        if required and not set(required).issubset(holders):
            return False
        if most_nodes is not None:
            units = sorted(units)[-most_nodes:]
        return sum(units) >= component.units

    if at_last is not None and not may_fit(at_last):
        return None
    given = yield from releases.mark_before(last, may_fit)
    if given is None:
        return None
    free_space = releases.after(given)
    units = ReleasedUnits(component, free_space, usable, required, most_nodes)
    yield
    plain = most_nodes is None and not required
    return (
        yield from units.first(
            releases, given, last, lambda: plain or placing.has_place(free_space, component)
        )
    )
