"""The HTTP API that tells the advance reservations that there were."""

from __future__ import annotations

import time
from typing import ClassVar

from aiohttp import web

from rmsd_daemon.domain.errors import Malformed
from rmsd_daemon.front.answers import answer, turn_of
from rmsd_daemon.front.parameters import parse_number
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries.history import JobHistory
from rmsd_daemon.queries.reservations import change_view
from rmsd_wire.api.past_reservations import MOST_CHANGES, ReservationChangesReply

_MOST_CHARACTERS = 4 << 20
"""The most characters of the host lists of an answer."""


class PastReservationsApi:
    """The handler of changes of reservations."""

    OPERATIONS: ClassVar[tuple[str, ...]] = ("reservation_changes",)

    def __init__(self, scheduler: Scheduler, history: JobHistory) -> None:
        self._scheduler = scheduler
        self._history = history

    async def reservation_changes(self, request: web.Request) -> web.Response:
        """Tell the reservations that were there since a time. None tells its users."""
        since_us = parse_number("since_us", request.query.get("since_us", "0"))
        await self._scheduler.sound()
        now = list(self._scheduler.core.reservations.values())
        async with turn_of(request):
            found = await self._history.reservations(
                now, since_us, lambda: request.transport is None
            )
        views, characters = [], 0
        for change in found:
            async with turn_of(request) as turn:  # each may have thousands of nodes
                began_s = time.monotonic()
                views.append(view := change_view(change))
                characters += len(view.nodelist)
                turn.worked(time.monotonic() - began_s)
            if len(views) > MOST_CHANGES or characters > _MOST_CHARACTERS:
                raise Malformed("the reservations of so long a time are too many: ask for less")
        return answer(ReservationChangesReply(changes=views))
