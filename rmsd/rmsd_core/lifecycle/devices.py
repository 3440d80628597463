"""The devices of nodes: which an attempt gets, and which a node may give to others."""

from __future__ import annotations

from rmsd_core.jobs.gres import Share, Shares, chosen, unambiguous
from rmsd_core.jobs.request import Allocation, Piece
from rmsd_core.lifecycle.state import CoreState


def with_numbers(state: CoreState, allocation: Allocation) -> Allocation:
    """Return the allocation with the devices chosen that the attempt gets on each node."""
    if not any(piece.gres for piece in allocation):
        return allocation
    return tuple([_with_devices(state, piece) if piece.gres else piece for piece in allocation])


def _with_devices(state: CoreState, piece: Piece) -> Piece:
    present = state.nodes.by_name[piece.node].gres
    return piece._replace(gres=chosen(piece.gres, present, held_on(state, piece.node)))


def held_on(state: CoreState, node: str) -> list[Share]:
    """Return the devices that attempts hold on a node."""
    return [Share(kind, 1, (number,)) for kind, number in state.holdings.on(node).devices]


def usable(state: CoreState, node: str, present: Shares) -> Shares:
    """Return, of the devices that are present on a node, those that it may give to attempts once
    they are free. A device that is held as one of another kind cannot be counted with this one: it
    is left out until the node tells of it again."""
    return unambiguous(present, held_on(state, node)) if present else present


def restore(state: CoreState) -> None:
    """Leave out the devices that restored attempts hold as other kinds."""
    for name in state.holdings.nodes():
        node = state.nodes.by_name.get(name)
        if node is not None and (left := usable(state, name, node.gres)) != node.gres:
            state.nodes.set_devices(name, left)
