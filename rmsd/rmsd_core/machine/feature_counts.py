"""Requests of which a number of the nodes must have a feature: `gpu*2&fast*1`.

Rule: such a request takes one unit on each of its nodes, names no nodes, and the numbers are
together no more than its nodes. So the request fits if all units fit, and as many as each number
says on nodes with its feature: each of these is a component without numbers (`parts`), which sums
and searches know. A node with several of the features counts for each of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from rmsd_core.jobs.gres import Demands
from rmsd_core.jobs.request import Component
from rmsd_core.machine.features import both
from rmsd_core.machine.free_space import FreeSpace, enough
from rmsd_core.machine.node_features import NodeFeatures


def parts(component: Component) -> tuple[Component, ...]:
    """Return the components all of which fit if this one does, and only then."""
    needs = component.needs
    return (component,) if needs is None or not needs.counts else _parts(component)


@lru_cache(maxsize=4096)
def _parts(component: Component) -> tuple[Component, ...]:
    assert component.needs is not None
    every = uncounted(component)
    some = [
        every._replace(units=count, feature=both(component.feature, feature))
        for feature, count in component.needs.counts
    ]
    return every, *some


def uncounted(component: Component) -> Component:
    """Return the component with any features on its nodes, but for those that all must have."""
    if component.needs is None or not component.needs.counts:
        return component
    needs = component.needs._replace(counts=())
    return component._replace(needs=None if needs == Demands() else needs)


def have_enough(
    free_space: FreeSpace, component: Component, holders: list[int], features: NodeFeatures
) -> bool:
    """Return whether all units fit on the holders, and as many nodes as asked for have each
    feature."""
    if not enough(free_space, component, holders):
        return False
    counts = () if component.needs is None else component.needs.counts
    return all(len(features.having(holders, feature)) >= count for feature, count in counts)


def with_nodes(
    free_space: FreeSpace,
    component: Component,
    holders: list[int],
    features: NodeFeatures,
    names: Sequence[str],
) -> Component:
    """Return the component with the nodes required that it is to have for the features, those with
    the least free cores. The holders have enough of them."""
    if component.needs is None or not component.needs.counts:
        return component
    chosen: dict[int, None] = {}
    in_order = sorted(holders, key=free_space.cores.__getitem__)
    for feature, count in component.needs.counts:
        having = features.having(in_order, feature)
        left = count - len(features.having(list(chosen), feature))
        more = [at for at in having if at not in chosen]
        chosen.update(dict.fromkeys(more[: max(0, left)]))
    return component._replace(require=tuple([names[at] for at in chosen]))
