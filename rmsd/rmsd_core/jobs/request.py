"""The request of a job, and its allocation."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field
from typing import NamedTuple

from rmsd_core.jobs.gres import Demands, Shares

Where = tuple[str | None, str | None, tuple[str, ...], frozenset[str]]
"""The feature, the partition, and the nodes that a component must not have or is to avoid."""


class Component(NamedTuple):
    """A number of equal units that are allocated together.

    `spread=False`: `units` tasks of `cores` each, as many on one node as fit.
    `spread=True`: one unit on each of `units` nodes, with `cores` on each of them.
    `mem_mib` is taken once from every node used, unless `needs` has it taken for each unit (0:
    memory is not accounted).
    `feature`: a feature, or several with & and |. `require`: nodes that it must have among others;
    then it is spread. `exclude`: nodes that it must not have.
    `partition` None: on any node, as in a cluster without partitions.
    `needs`: whole nodes, all memory, devices, memory for each unit; None: none of these.
    No user asks for the last two fields. `avoid` names nodes that are not to be given, because they
    have refused the job. `closed`: the partition does not take the job now.
    """

    units: int
    cores: int = 1
    mem_mib: int = 0
    spread: bool = False
    feature: str | None = None  # any node if None
    partition: str | None = None
    require: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    needs: Demands | None = None
    avoid: frozenset[str] = frozenset()
    closed: bool = False

    @property
    def asked(self) -> tuple[object, ...]:
        """Return what the user has asked for: all fields but the last two."""
        return self[:9]

    @property
    def where(self) -> Where:
        """Return the fields that decide on which nodes the component may be."""
        return self.feature, self.partition, self.exclude, self.avoid

    @property
    def size(self) -> int:
        return self.units * self.cores

    @property
    def unit_mem_mib(self) -> int:
        """Return the memory that is taken for each unit; 0: any number of units takes the same."""
        return self.mem_mib if self.needs is not None and self.needs.unit_mem else 0

    @property
    def least_nodes(self) -> int:
        """Return the number of nodes that the component needs at least, as far as it says so."""
        return self.units if self.spread else 1


_MANY = 4
"""The partitions from which on it is worth to ask first whether the whole machine has a place."""


@dataclass(frozen=True, slots=True)
class Request:
    """The resources that a job asks for: one of the components, the first that can be met.

    A job that names several partitions has a component for each of them. `size` is the number of
    processors: "size" in the papers; the least, if components differ. `open`: the components that
    are not closed. `partition`: the one that the job names first, in whose queue it waits.
    `anywhere`: what all of many open components ask for, in no partition; None if they are few, or
    differ.
    """

    components: tuple[Component, ...]
    size: int = field(init=False, compare=False)
    open: tuple[Component, ...] = field(init=False, compare=False)
    partition: str | None = field(init=False, compare=False)
    anywhere: Component | None = field(init=False, compare=False)

    @property
    def avoid(self) -> frozenset[str]:
        """Return the nodes that are not to be given; they are the same in all components."""
        return self.components[0].avoid

    def __post_init__(self) -> None:
        components = self.components
        object.__setattr__(self, "size", min([one.size for one in components]))
        is_open = tuple([one for one in components if not one.closed])
        object.__setattr__(self, "open", is_open)
        object.__setattr__(self, "partition", components[0].partition)
        object.__setattr__(self, "anywhere", _anywhere(is_open))

    @property
    def ever_anywhere(self) -> Component | None:
        """Return `anywhere`, as if all components were open."""
        is_open = len(self.open) == len(self.components)
        return self.anywhere if is_open else _anywhere(self.components)

    @property
    def partitions(self) -> tuple[str, ...]:
        """Return the partitions that the job names, each once, in the order of its wishes."""
        named = [one.partition for one in self.components if one.partition is not None]
        return tuple(dict.fromkeys(named))


def _anywhere(components: tuple[Component, ...]) -> Component | None:
    """Return what all of many components ask for, in no partition, whether they are closed or not;
    None if they are few, or differ."""
    if len(components) < _MANY:
        return None
    first = components[0]
    before, after = first[:5], first[6:10]  # all but the partition, and whether it is closed
    if any(one[:5] != before or one[6:10] != after for one in components):
        return None
    return first._replace(partition=None, closed=False)


def avoiding(request: Request, nodes: frozenset[str]) -> Request:
    """Return the request with these nodes, and no others, to be avoided."""
    return Request(tuple([one._replace(avoid=nodes) for one in request.components]))


def closing(request: Request, partitions: Container[str]) -> Request:
    """Return the request with its components in these partitions closed, and no others."""
    components = request.components
    if not any((one.partition in partitions) != one.closed for one in components):
        return request
    return Request(tuple([one._replace(closed=one.partition in partitions) for one in components]))


def processors(count: int) -> Request:
    """Return the request of an SWF job: `count` processors on any nodes."""
    return Request((Component(count),))


class Piece(NamedTuple):
    """The cores, the memory and the devices that an allocation holds on one node."""

    node: str
    cores: int
    mem_mib: int = 0
    gres: Shares = ()


Allocation = tuple[Piece, ...]
"""The pieces a job holds; the first one is on its batch host, where the script runs."""
