"""The HTTP API that tells, makes and deletes advance reservations."""

from __future__ import annotations

import time
from bisect import bisect_left
from dataclasses import replace
from itertools import accumulate
from typing import ClassVar

import structlog
from aiohttp import web

from rmsd_core.lifecycle.advance import MOST_RESERVATIONS
from rmsd_core.lifecycle.inputs import AddReservation, DeleteReservation
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_daemon.api.reservation_members import is_member
from rmsd_daemon.callers.audit import entry
from rmsd_daemon.callers.auth import Role
from rmsd_daemon.domain.accounts import AccountRules
from rmsd_daemon.domain.errors import Conflict, NotFound, TooMany
from rmsd_daemon.domain.reservations import reservation_of
from rmsd_daemon.front.access import caller_of
from rmsd_daemon.front.answers import answer, turn_of
from rmsd_daemon.front.request_limits import decode, read_body
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries.reservations import reservation_view, reservations_at
from rmsd_wire.api.reservations import (
    NewReservation,
    ReservationReply,
    ReservationsReply,
)

log = structlog.get_logger()


class ReservationsApi:
    """The handlers of advance reservations."""

    OPERATIONS: ClassVar[tuple[str, ...]] = ("reservations", "reserve", "unreserve")

    def __init__(self, scheduler: Scheduler, accounts: AccountRules) -> None:
        self._scheduler = scheduler
        self._accounts = accounts

    async def reservations(self, request: web.Request) -> web.Response:
        await self._scheduler.sound()
        now_us = self._scheduler.cluster.present_us()
        core = self._scheduler.core
        found = reservations_at(core, now_us)
        caller, views = caller_of(request), []
        is_operator = caller.role.covers(Role.OPERATOR)
        above = set[str]() if is_operator else self._accounts.above(caller.user)
        for one in found:
            async with turn_of(request) as turn:  # each may have thousands of nodes
                began_s = time.monotonic()
                is_told = is_operator or one.admits(caller.user, above)
                is_told = is_told or is_member(one, caller.user, self._accounts.is_listed)
                views.append(reservation_view(one, core, now_us, is_told=is_told))
                turn.worked(time.monotonic() - began_s)
        return answer(ReservationsReply(views))

    async def reserve(self, request: web.Request) -> web.Response:
        """Make a reservation, or replace one."""
        asked = decode(await read_body(request), NewReservation)
        await self._scheduler.sound()
        core, now_us = self._scheduler.core, self._scheduler.cluster.present_us()
        if len(core.reservations) >= MOST_RESERVATIONS and not asked.replace:
            raise TooMany(f"there are {MOST_RESERVATIONS} reservations, and may be no more")
        made = reservation_of(asked, now_us, sorted(core.nodes))
        made = replace(made, members=self._members(made))
        item = AddReservation(made, asked.ignore_jobs, asked.replace)
        if asked.cores and self._scheduler.cluster.capacity == "counted":
            item = replace(item, reservation=replace(made, cores=asked.cores))
        elif asked.cores:
            item = replace(item, reservation=replace(made, nodes=self._free_nodes(item, asked)))
        self._check(item)
        caller = caller_of(request)
        act = "change-reservation" if asked.replace else "reserve"
        audit_entry = entry(caller, act, f"reservation {made.name}")
        if not await self._scheduler.carry_out(item, audit_entries=[audit_entry]):
            self._check(item)
            raise Conflict(f"reservation {made.name} could not be made just now; ask again")
        log.info("reservation-made", reservation=made.name, by=caller.user)
        view = reservation_view(item.reservation, core, now_us, is_told=True)
        return answer(ReservationReply(view), 201)

    def _members(self, made: AdvanceReservation) -> tuple[str, ...]:
        """Return the members of the reservation's groups who have jobs that name it already."""
        if not made.groups:
            return ()
        jobs = self._scheduler.core.jobs.values()
        users = dict.fromkeys(job.user for job in jobs if job.reservation == made.name)
        return tuple(user for user in users if is_member(made, user, self._accounts.is_listed))

    def _check(self, item: AddReservation) -> None:
        """Raise Conflict if the reservation cannot be made."""
        if (why := self._scheduler.core.why_not_reserved(item)) is not None:
            raise Conflict(f"reservation {item.reservation.name} cannot be made: {why}")

    def _free_nodes(self, item: AddReservation, asked: NewReservation) -> tuple[str, ...]:
        """Return as many nodes as have the cores together that are asked for, of those that could
        be reserved; the largest first, so that they are few."""
        core = self._scheduler.core
        free = [core.nodes[name] for name in core.reservable(item) if core.nodes[name].available]
        free.sort(key=lambda node: (-node.cores, node.name))
        ends = list(accumulate(node.cores for node in free))
        count = 1 + bisect_left(ends, asked.cores)
        if count > len(free):
            raise Conflict(
                f"reservation {asked.name} cannot be made: {asked.cores} cores asked for, and "
                f"nodes with {sum(node.cores for node in free)} are available and free of jobs "
                "and reservations at that time"
            )
        return tuple(sorted([node.name for node in free[:count]]))

    async def unreserve(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        await self._scheduler.sound()
        core = self._scheduler.core
        if (found := core.reservations.get(name)) is None:
            raise NotFound(f"there is no reservation '{name}'")
        now_us, caller = self._scheduler.cluster.present_us(), caller_of(request)
        entries = [entry(caller, "unreserve", f"reservation {name}")]
        if not await self._scheduler.carry_out(DeleteReservation(name), audit_entries=entries):
            raise NotFound(f"there is no reservation '{name}' any more")
        log.info("reservation-deleted", reservation=name, by=caller.user)
        return answer(ReservationReply(reservation_view(found, core, now_us, is_told=True)))
