"""Generic resources: the devices of nodes, such as GPUs, and the requests for them.

A *kind* is a name, as `gpu`, or a name and a type, as `gpu:a100`. A request for a name takes
devices of one type on each node, whichever it is there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

Amounts = tuple[tuple[str, int], ...]
"""A number of devices of each kind, by kind."""


class Share(NamedTuple):
    """Some devices of one kind on a node. numbers: which ones they are; they are chosen as the
    attempt starts. A name's devices have different numbers on a node, whatever their types."""

    kind: str
    amount: int
    numbers: tuple[int, ...] = ()


Shares = tuple[Share, ...]


def name_of(kind: str) -> str:
    """Return the name in a kind."""
    return kind.partition(":")[0]


def serves(kind: str, asked: str) -> bool:
    """Return whether devices of this kind are what is asked for."""
    return kind == asked or kind.startswith(f"{asked}:")


def written(amounts: Iterable[tuple[str, int]]) -> str:
    """Return amounts as users write them: `gpu:a100:2,fpga:1`."""
    return ",".join([f"{kind}:{count}" for kind, count in amounts])


class Demands(NamedTuple):
    """The demands that few requests have.

    exclusive: every node used is the job's alone, with all that it has. all_mem: all memory of
    every node used. node_gres: devices that are taken once from every node used. unit_gres: devices
    that are taken for each unit. unit_mem: the memory of the component is taken for each unit as
    well, and not once from every node used. by_user: no node used is shared with jobs of other
    users. Such a job is planned on whole nodes; see `lifecycle/own_nodes`. counts: how many of the
    nodes must have a feature, by feature; see `machine/feature_counts`.
    """

    exclusive: bool = False
    all_mem: bool = False
    node_gres: Amounts = ()
    unit_gres: Amounts = ()
    unit_mem: bool = False
    by_user: bool = False
    counts: Amounts = ()

    @property
    def alone(self) -> bool:
        """Return whether a place for the job takes every node used with all that it has."""
        return self.exclusive or self.by_user

    @property
    def all_gres(self) -> Amounts:
        """Return the devices that a node needs for one unit."""
        return self.node_gres + self.unit_gres


def unambiguous(present: Iterable[Share], held: Iterable[Share]) -> Shares:
    """Return the shares without the devices that attempts hold as another kind: a node may tell of
    another type while a job runs."""
    kinds = {(name_of(one.kind), number): one.kind for one in held for number in one.numbers}
    left = []
    for kind, _, numbers in present:
        own = tuple([at for at in numbers if kinds.get((name_of(kind), at), kind) == kind])
        left.append(Share(kind, len(own), own))
    return tuple(left)


def chosen(
    shares: Iterable[Share], present: Iterable[Share], taken: Iterable[Share]
) -> tuple[Share, ...]:
    """Return the shares with numbers: of the devices that are `present` the lowest that are not
    `taken`."""
    used = {(name_of(one.kind), number) for one in taken for number in one.numbers}
    numbered = []
    by_kind = {one.kind: one.numbers for one in present}
    for share in shares:
        name = name_of(share.kind)
        free = [at for at in by_kind.get(share.kind, ()) if (name, at) not in used]
        numbers = tuple(free[: share.amount])
        assert len(numbers) == share.amount, f"{share} is not left of {by_kind}"
        numbered.append(share._replace(numbers=numbers))
    return tuple(numbered)
