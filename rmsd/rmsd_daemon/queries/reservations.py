"""The views of advance reservations in the API."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from rmsd_core.lifecycle.core import Core
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.model_time import SECOND_US
from rmsd_daemon.domain.reservations import repeat_of
from rmsd_daemon.store.past_reservations import ReservationChange
from rmsd_wire.api.past_reservations import ReservationChangeView
from rmsd_wire.api.reservations import ReservationView
from rmsd_wire.hostlist import compress


def reservations_at(core: Core, now_us: int) -> list[AdvanceReservation]:
    """Return the reservations that are not over at this time, by start and name. The core may not
    have come so far: one that repeats is the instance that will be the next."""
    found = [one.first_at(now_us) for one in core.reservations.values()]
    here = [one for one in found if one is not None]
    return sorted(here, key=lambda one: (one.start_us, one.name))


def reservation_view(
    one: AdvanceReservation, core: Core, now_us: int, *, is_told: bool
) -> ReservationView:
    """Return the view of a reservation. `is_told`: whose jobs may run inside is told; it is to
    these users and to operators."""
    nodes = core.nodes
    return ReservationView(
        name=one.name,
        life=one.life_at(now_us),
        start_us=one.start_us,
        end_us=one.end_us,
        nodelist=_nodelist(one.nodes),
        nodes=len(one.nodes),
        cores=one.cores or sum([nodes[name].cores for name in one.nodes if name in nodes]),
        users=list(one.users) if is_told else None,
        accounts=list(one.accounts) if is_told else None,
        maintenance=one.is_maintenance,
        groups=list(one.groups) if is_told else None,
        every_s=one.every_us // SECOND_US,
        until_us=one.until_us or None,
        repeat=repeat_of(one),
    )


def change_view(change: ReservationChange) -> ReservationChangeView:
    """Return the view of a change in the past."""
    if (one := change.made) is None:
        return ReservationChangeView(at_us=change.at_us, name=change.name, deleted=True)
    return ReservationChangeView(
        at_us=change.at_us,
        name=one.name,
        start_us=one.start_us,
        end_us=one.end_us,
        nodelist=_nodelist(one.nodes),
        cores=one.cores,
        maintenance=one.is_maintenance,
        every_us=one.every_us,
        until_us=one.until_us,
        weekdays=one.weekdays,
    )


@lru_cache(maxsize=128)
def _nodelist(nodes: tuple[str, ...]) -> str:
    """Return the host list of nodes. That of thousands takes some milliseconds, and all callers may
    ask for those of a hundred reservations."""
    return compress(sorted(nodes))


class ActiveByNode:
    """The advance reservations that are active, by node; of two the maintenance. There may be a
    hundred of thousands of nodes: they are sorted by nodes anew once others are active."""

    def __init__(self) -> None:
        self._active: list[AdvanceReservation] = []
        self._by_node: dict[str, AdvanceReservation] = {}

    def at(self, core: Core, now_us: int) -> Mapping[str, AdvanceReservation]:
        """Return the reservations of that time."""
        active = [one for one in reservations_at(core, now_us) if one.life_at(now_us) == "active"]
        active.sort(key=lambda one: (one.is_maintenance, one.name))
        if active != self._active:
            self._active = active
            self._by_node = {name: one for one in active for name in one.nodes}
        return self._by_node
