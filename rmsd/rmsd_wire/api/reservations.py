"""Bodies about advance reservations."""

from __future__ import annotations

from typing import Literal

import msgspec

Repeat = Literal["", "hourly", "daily", "weekly", "weekday", "weekend"]


class ReservationView(msgspec.Struct, frozen=True, kw_only=True):
    """An advance reservation. `life`: future or active. `nodelist`: a host list of `nodes` nodes
    with `cores` cores. `users`, `groups` and `accounts`: those whose jobs may run inside; None:
    others, who are not told to the caller. `maintenance`: no job runs inside. `every_s`: the time
    after which it repeats; 0: it does not, else the start and the end are those of the instance
    that is not over. `repeat`: how it repeats, as in `NewReservation`. `until_us`: no instance
    begins then or later; None: there is no such time. Times are those of the model."""

    name: str
    life: str
    start_us: int
    end_us: int
    nodelist: str
    nodes: int
    cores: int
    users: list[str] | None
    accounts: list[str] | None
    maintenance: bool
    groups: list[str] | None = None
    every_s: int = 0
    until_us: int | None = None
    repeat: str = ""


class ReservationsReply(msgspec.Struct, frozen=True):
    """GET /v1/reservations: those that are not over, the first to begin first."""

    reservations: list[ReservationView]
    schema: str = "rmsd.reservations/1"


class ReservationReply(msgspec.Struct, frozen=True):
    """POST /v1/reservations and DELETE /v1/reservations/{name}: the reservation as it is, or as it
    was."""

    reservation: ReservationView
    schema: str = "rmsd.reservation/1"


class NewReservation(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """POST /v1/reservations.

    The reservation begins at `start_us` of the model time, in `start_in_s` seconds, or now (neither
    is given), and ends at `end_us` or after `duration_s` seconds. It has the nodes of the host list
    `nodes` ("ALL": all that are known), or as many whole nodes as have `cores` cores together: the
    daemon takes those that are free then. `ignore_jobs`: jobs that could still run there at its
    start, by their limits, do not matter. `replace`: it takes the place of the one with its name.
    `groups`: groups of this machine, without `@`. `repeat`: "hourly", "daily", "weekly", "weekday"
    (daily from Monday to Friday), "weekend" (Saturday and Sunday), or "": never. The days are those
    of the daemon's time zone; a start on another day is moved to the next one that is right.
    `until_us`: no instance begins then or later.
    """

    name: str
    start_us: int | None = None
    start_in_s: float | None = None
    end_us: int | None = None
    duration_s: float | None = None
    nodes: str = ""
    cores: int = 0
    users: list[str] = []
    accounts: list[str] = []
    maintenance: bool = False
    ignore_jobs: bool = False
    replace: bool = False
    groups: list[str] = []
    repeat: Repeat = ""
    until_us: int | None = None
