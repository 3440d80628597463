"""The advance reservations of a daemon's history, as what-if simulations need them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rmsd_core.lifecycle.inputs import NodeUp
from rmsd_daemon.store.past_reservations import ReservationChange
from rmsd_lab.simulation.what_if import PastReservation


def reservations_on(
    nodes: Sequence[NodeUp],
    changes: Iterable[ReservationChange],
    views: Iterable[Mapping[str, Any]],
) -> list[PastReservation]:
    """Return the changes of reservations, in the order of their times, on those of their nodes that
    there are still. Whoever had a job inside may have one: the daemon had let it in."""
    names = {node.name for node in nodes}
    users: dict[str, dict[str, None]] = {}
    for view in views:
        if name := view.get("reservation"):  # older daemons tell none
            users.setdefault(name, {})[view["user"]] = None
    found = []
    for at_us, name, made in changes:
        if made is not None:
            left = tuple([node for node in made.nodes if node in names])
            if made.nodes and not left:
                made = None
            else:
                inside = tuple(users.get(name, ()))
                made = replace(made, nodes=left, users=inside, accounts=(), groups=(), members=())
        found.append(PastReservation(at_us, name, made))
    return sorted(found, key=lambda one: one.at_us)
