"""Bodies about the advance reservations that there were."""

from __future__ import annotations

import msgspec

MOST_CHANGES = 10_000


class ReservationChangeView(msgspec.Struct, frozen=True, kw_only=True):
    """At `at_us` an advance reservation was made, or took the place of the one of its name. With
    `deleted` it was deleted, and the rest says nothing. `nodelist`: a host list; empty where
    processors are counted, of which it had `cores`. `every_us`: the time after which it repeats; 0:
    it does not. `until_us`: no instance begins then or later; 0: there is no such time. `weekdays`:
    the days of the week on which it has instances, a bit for each; 0: all. Bit 0 is the day with
    which model time begins. Times are those of the model."""

    at_us: int
    name: str
    deleted: bool = False
    start_us: int = 0
    end_us: int = 0
    nodelist: str = ""
    cores: int = 0
    maintenance: bool = False
    every_us: int = 0
    until_us: int = 0
    weekdays: int = 0


class ReservationChangesReply(msgspec.Struct, frozen=True, kw_only=True):
    """GET /v1/reservation-changes: those that were there when the time that was asked for began,
    each as it was made, and then the changes in their order. Events that are deleted tell of none;
    a reservation that is still there is told from the beginning then, with `at_us` 0."""

    changes: list[ReservationChangeView]
    schema: str = "rmsd.reservation-changes/1"
