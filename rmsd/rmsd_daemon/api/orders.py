"""The HTTP API that tells the orders that the queue was in."""

from __future__ import annotations

from typing import ClassVar

from aiohttp import web

from rmsd_daemon.domain.errors import Malformed
from rmsd_daemon.front.answers import answer, turn_of
from rmsd_daemon.front.parameters import parse_number
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries.history import JobHistory
from rmsd_wire.api.orders import MOST_ORDERS, OrdersReply, OrderView


class OrdersApi:
    """The handler of orders."""

    OPERATIONS: ClassVar[tuple[str, ...]] = ("orders",)

    def __init__(self, scheduler: Scheduler, history: JobHistory) -> None:
        self._scheduler = scheduler
        self._history = history

    async def orders(self, request: web.Request) -> web.Response:
        """Tell the orders between two times; the end is now at the latest."""
        query, now_us = request.query, self._scheduler.clock.now_us()
        until_us = min(now_us, parse_number("until_us", query.get("until_us", str(now_us))))
        since_us = min(until_us, parse_number("since_us", query.get("since_us", "0")))
        async with turn_of(request):
            found = await self._history.orders(
                since_us, until_us, lambda: request.transport is None
            )
        if len(found) > MOST_ORDERS:
            raise Malformed(f"the order changed more than {MOST_ORDERS} times: ask for less time")
        return answer(OrdersReply(orders=[OrderView(*one) for one in found]))
