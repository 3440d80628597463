"""The questions to racks: which of their nodes can hold a request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import nlargest

from rmsd_core.jobs.request import Component


class RackRequest:
    """A request as racks are asked for it. masks: by rack, the nodes that are available and have
    its feature, in its partition. required: by rack, the nodes that it must have, as far as they
    are known. units: by rack, what `Lanes.holders` compares with; groups: see `Lanes`. most_nodes:
    how many nodes it may have at most; None: any number."""

    __slots__ = ("component", "groups", "masks", "most_nodes", "required", "units")

    def __init__(
        self,
        component: Component,
        units: list[int],
        masks: list[int],
        required: Sequence[int],
        groups: list[list[int]],
        most_nodes: int | None,
    ) -> None:
        self.component = component
        self.units = units
        self.masks = masks
        self.required = required
        self.groups = groups
        self.most_nodes = most_nodes

    def has_required(self, holders: Iterable[int]) -> bool:
        """Return whether the nodes that the request must have are among the `holders` of racks."""
        both = zip(self.required, holders, strict=False)
        return not any(required & ~holding for required, holding in both)

    def fits_on_few(self, cores: Iterable[int]) -> bool:
        """Return whether as many nodes as the request may have can hold all of its units, given the
        free cores of nodes: a necessary condition."""
        assert self.most_nodes is not None
        most, unit = nlargest(self.most_nodes, cores), self.component.cores
        return sum([one // unit for one in most]) >= self.component.units
