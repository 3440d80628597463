"""The request of a job, and its allocation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class Component(NamedTuple):
    """A number of equal units that are allocated together.

    `spread=False`: `units` tasks of `cores` each, as many on one node as fit.
    `spread=True`: one unit on each of `units` nodes, with `cores` on each of them.
    `mem_mib` is taken once from every node used (0: memory is not accounted).
    `avoid` names nodes that are not to be given. No user asks for it: they have refused the job.
    """

    units: int
    cores: int = 1
    mem_mib: int = 0
    spread: bool = False
    feature: str | None = None  # any node if None
    avoid: frozenset[str] = frozenset()

    @property
    def asked(self) -> tuple[int, int, int, bool, str | None]:
        """Return what the user has asked for: all fields but the nodes to avoid."""
        return self[:5]


@dataclass(frozen=True, slots=True)
class Request:
    """The resources that a job asks for: one component today, a list of them by design.

    `size` is the number of processors in all: "size" in the papers.
    """

    components: tuple[Component, ...]
    size: int = field(init=False, compare=False)

    @property
    def avoid(self) -> frozenset[str]:
        """Return the nodes that are not to be given; they are the same in all components."""
        return self.components[0].avoid

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", sum(c.units * c.cores for c in self.components))


def avoiding(request: Request, nodes: frozenset[str]) -> Request:
    """Return the request with these nodes, and no others, to be avoided."""
    return Request(tuple([one._replace(avoid=nodes) for one in request.components]))


def processors(count: int) -> Request:
    """Return the request of an SWF job: `count` processors on any nodes."""
    return Request((Component(count),))


class Piece(NamedTuple):
    """The cores and the memory that an allocation holds on one node."""

    node: str
    cores: int
    mem_mib: int = 0


Allocation = tuple[Piece, ...]
"""The pieces a job holds; the first one is on its batch host, where the script runs."""
