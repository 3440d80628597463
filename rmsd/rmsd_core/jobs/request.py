"""The request of a job, and its allocation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class Component(NamedTuple):
    """A number of equal units that are allocated together.

    `spread=False`: `units` tasks of `cores` each, as many on one node as fit.
    `spread=True`: one unit on each of `units` nodes, with `cores` on each of them.
    `mem_mib` is taken once from every node used (0: memory is not accounted).
    """

    units: int
    cores: int = 1
    mem_mib: int = 0
    spread: bool = False
    feature: str | None = None  # any node if None


@dataclass(frozen=True, slots=True)
class Request:
    """The resources that a job asks for: one component today, a list of them by design.

    `size` is the number of processors in all: "size" in the papers.
    """

    components: tuple[Component, ...]
    size: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", sum(c.units * c.cores for c in self.components))


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
