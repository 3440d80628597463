"""The views of advance reservations in the API."""

from __future__ import annotations

from rmsd_core.lifecycle.core import Core
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_wire.api.reservations import ReservationView
from rmsd_wire.hostlist import compress


def reservation_view(one: AdvanceReservation, core: Core, now_us: int) -> ReservationView:
    nodes = core.nodes
    return ReservationView(
        name=one.name,
        life=one.life_at(now_us),
        start_us=one.start_us,
        end_us=one.end_us,
        nodelist=compress(sorted(one.nodes)),
        nodes=len(one.nodes),
        cores=one.cores or sum([nodes[name].cores for name in one.nodes if name in nodes]),
        users=list(one.users),
        accounts=list(one.accounts),
        maintenance=one.is_maintenance,
    )


def active_by_node(core: Core, now_us: int) -> dict[str, AdvanceReservation]:
    """Return the advance reservations that are active now, by node; of two the maintenance."""
    active = [one for one in core.reservations.values() if one.life_at(now_us) == "active"]
    active.sort(key=lambda one: (one.is_maintenance, one.name))
    return {name: one for one in active for name in one.nodes}
